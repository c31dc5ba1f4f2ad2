"""Bad input: one clear sentence, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import tacit
from tacit.cli import main

ENV = {**os.environ, "PYTHONPATH": str(Path(tacit.__file__).parents[1]), "COLUMNS": "200"}
GOOD = "age,income\n" + "".join(f"{20 + i},{1000 + 37 * i % 991}\n" for i in range(30))


def run(*words: str | Path, process: bool = False) -> subprocess.CompletedProcess[str]:
    """The command, in this process (or in one of its own, which costs seconds)."""
    arguments = [str(word) for word in words]
    if process:
        command = [sys.executable, "-m", "tacit", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=ENV, check=False)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["tacit", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def protect(path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run("protect", path, path.parent / "out.csv", "--method", "noise", *more)


CASES = {
    "empty": (b"", "empty"),
    "header only": (b"a,b\n", "no records"),
    "ragged": (b"a,b\n1,2\n3\n4,5\n", "line 3 has 1 fields where the header has 2"),
    "duplicate names": (b"a,a\n1,2\n3,4\n", "two columns are named 'a'"),
    "infinite": (b"a,b\n1,2\ninf,4\n5,6\n", "column 'a', row 2: the value is infinite"),
    "binary": (b"a,b\n1,\x00\x01\x02\n", "not a CSV file"),
    "neither utf-8 nor windows": (b"a,b\n1,caf\xe9\n2,\x81\x8d\n", "line 3 is neither UTF-8 nor Windows text"),
}


@pytest.mark.parametrize("case", CASES)
def test_files(tmp_path: Path, case: str) -> None:
    content, expected = CASES[case]
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    done = protect(path)
    _one_sentence(done, path, expected)
    assert path.read_bytes() == content
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]


PARAMETERS = {
    "unknown method": (["--method", "nois"], "there is no protect method 'nois'"),
    "unknown parameter": (["--set", "sigma=3"], "has no parameter 'sigma'"),
    "bad parameter": (["--set", "percent=-3"], "percent=-3"),
    "unknown column": (["--quasi", "height"], "there is no column 'height'"),
    "k larger than n": (["--method", "microaggregation", "--set", "k=100"], "larger than the number of records"),
    "no equals": (["--set", "k"], "name=value"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(tmp_path: Path, case: str) -> None:
    words, expected = PARAMETERS[case]
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    _one_sentence(protect(path, *words), None, expected)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]


def test_text_where_numbers_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(GOOD + "unknown,5\n")
    done = protect(path, "--continuous", "age")
    _one_sentence(done, path, "column 'age', row 31: 'unknown' is not a number")


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "nope.csv"
    for process in (False, True):
        done = run("protect", path, tmp_path / "out.csv", "--method", "noise", process=process)
        _one_sentence(done, path, "no such file")


def test_existing_output_and_the_input_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    (tmp_path / "out.csv").write_text("precious")
    _one_sentence(protect(path), tmp_path / "out.csv", "--force")
    assert (tmp_path / "out.csv").read_text() == "precious"
    assert protect(path, "--force").returncode == 0
    done = run("protect", path, path, "--method", "noise", "--force")
    _one_sentence(done, path, "the input itself")
    assert path.read_text() == GOOD


def test_files_of_different_length(tmp_path: Path) -> None:
    path, short = tmp_path / "in.csv", tmp_path / "short.csv"
    path.write_text(GOOD)
    short.write_text(GOOD[: GOOD[:-1].rfind("\n") + 1])
    _one_sentence(run("assess", path, short), short, "has 29 records")


def test_constant_and_missing_columns_work(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("a,b,c\n" + "".join(f"{i},7.5,{'' if i % 3 else i}\n" for i in range(40)))
    assert protect(path, "--seed", "1").returncode == 0
    first = (tmp_path / "out.csv").read_bytes()
    assert protect(path, "--seed", "1", "--force").returncode == 0
    assert (tmp_path / "out.csv").read_bytes() == first


def test_fail_above(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    assert protect(path, "--set", "percent=0.1").returncode == 0
    words = ["assess", path, tmp_path / "out.csv", "--attackers", "nearest"]
    assert run(*words, "--fail-above", "0.5").returncode == 1


def _one_sentence(done: subprocess.CompletedProcess[str], path: Path | None, expected: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    if path is not None:
        assert str(path) in done.stderr
