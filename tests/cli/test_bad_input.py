"""Bad input: one clear sentence, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest

import tacit
from tacit.cli import main

ENV = {
    **os.environ,
    "PYTHONPATH": str(Path(tacit.__file__).parents[1]),
    "COLUMNS": "200",
}
GOOD = "age,income\n" + "".join(f"{20 + i},{1000 + 37 * i % 991}\n" for i in range(30))


def run(*words: str | Path, process: bool = False) -> subprocess.CompletedProcess[str]:
    """The command, in this process (or in one of its own, which costs seconds)."""
    arguments = [str(word) for word in words]
    if process:
        command = [sys.executable, "-m", "tacit", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, env=ENV, check=False
        )
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["tacit", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def protect(path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Mask a file with noise."""
    return run("protect", path, path.parent / "out.csv", "--method", "noise", *more)


CASES = {
    "empty": (b"", "empty"),
    "header only": (b"a,b\n", "no records"),
    "ragged": (b"a,b\n1,2\n3\n4,5\n", "line 3 has 1 fields where the header has 2"),
    "duplicate names": (b"a,a\n1,2\n3,4\n", "two columns are named 'a'"),
    "infinite": (b"a,b\n1,2\ninf,4\n5,6\n", "column 'a', row 2: the value is infinite"),
    "binary": (b"a,b\n1,\x00\x01\x02\n", "not a CSV file"),
    "neither utf-8 nor windows": (
        b"a,b\n1,caf\xe9\n2,\x81\x8d\n",
        "line 3 is neither UTF-8 nor Windows text",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_files(tmp_path: Path, case: str) -> None:
    """A file that cannot be read: said in one sentence, and left as it is."""
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
    "k larger than n": (
        ["--method", "microaggregation", "--set", "k=100"],
        "larger than the number of records",
    ),
    "no equals": (["--set", "k"], "name=value"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(tmp_path: Path, case: str) -> None:
    """An option that cannot be used: nothing is written."""
    words, expected = PARAMETERS[case]
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    _one_sentence(protect(path, *words), None, expected)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]


def test_text_where_numbers_are_needed(tmp_path: Path) -> None:
    """The sentence names column and row."""
    path = tmp_path / "in.csv"
    path.write_text(GOOD + "thirty,5\n")
    done = protect(path, "--continuous", "age")
    _one_sentence(done, path, "column 'age', row 31: 'thirty' is not a number")


def test_missing_file(tmp_path: Path) -> None:
    """The same in a process of its own as in this one."""
    path = tmp_path / "nope.csv"
    for process in (False, True):
        done = run(
            "protect", path, tmp_path / "out.csv", "--method", "noise", process=process
        )
        _one_sentence(done, path, "no such file")


def test_existing_output_and_the_input_are_kept(tmp_path: Path) -> None:
    """Outputs are overwritten with --force only, the input never."""
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
    """Alignment is checked, never assumed."""
    path, short = tmp_path / "in.csv", tmp_path / "short.csv"
    path.write_text(GOOD)
    short.write_text(GOOD[: GOOD[:-1].rfind("\n") + 1])
    _one_sentence(run("assess", path, short), short, "has 29 records")


def test_constant_and_missing_columns_work(tmp_path: Path) -> None:
    """Poor data are no error, and the same seed gives the same bytes."""
    path = tmp_path / "in.csv"
    path.write_text(
        "a,b,c\n" + "".join(f"{i},7.5,{'' if i % 3 else i}\n" for i in range(40))
    )
    assert protect(path, "--seed", "1").returncode == 0
    first = (tmp_path / "out.csv").read_bytes()
    assert protect(path, "--seed", "1", "--force").returncode == 0
    assert (tmp_path / "out.csv").read_bytes() == first


def test_names_are_not_markup(tmp_path: Path) -> None:
    """`weight [kg]` lost its unit, and `temp [/day]` was a traceback."""
    path = tmp_path / "[red]in.csv"
    rows = GOOD.partition("\n")[2]
    path.write_text("weight [kg],temp [/day]\n" + rows)
    shown = run("schema", path)
    assert shown.returncode == 0, shown.stderr
    assert "weight [kg]" in shown.stdout
    assert "temp [/day]" in shown.stdout
    out = tmp_path / "[bold]out.csv"
    masked = run("protect", path, out, "--method", "noise", "--set", "percent=50")
    assert masked.returncode == 0, masked.stderr
    assert "[bold]out.csv" in masked.stdout
    assessed = run("assess", path, out)
    assert "Traceback" not in assessed.stderr
    assert "Verdict" in assessed.stdout


def test_fail_above(tmp_path: Path) -> None:
    """A rate above the bound is exit code 1, for scripts."""
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    assert protect(path, "--set", "percent=0.1").returncode == 0
    words = ["assess", path, tmp_path / "out.csv", "--attackers", "nearest"]
    failed = run(*words, "--fail-above", "0.5")
    assert failed.returncode == 1
    assert "--fail-above 0.5: not " in failed.stderr


@pytest.mark.parametrize("rate", ["nan", "-0.1", "5", "inf"])
def test_a_rate_that_is_none_is_bad_input(tmp_path: Path, rate: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    done = run("assess", path, path, f"--fail-above={rate}")
    _one_sentence(done, None, "is not a rate; give a number from 0 to 1")


@pytest.mark.parametrize("kind", [ZeroDivisionError, EOFError, KeyError, OSError])
def test_a_defect_is_never_taken_for_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    """Exit code 1 says 'not safe'; what nobody foresaw says nothing and shows no records."""

    record = "Ann Smith, 52000"

    def breaks(*_: object, **__: object) -> None:
        raise kind(record)

    # by module: tacit.assess is the function of that name
    monkeypatch.setattr(import_module("tacit.assess.assessment"), "assess", breaks)
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    done = run("assess", path, path, "--fail-above", "0.5")
    assert done.returncode == 3
    assert "Nothing is known of the release" in done.stderr
    assert "Smith" not in done.stderr


def _one_sentence(
    done: subprocess.CompletedProcess[str], path: Path | None, expected: str
) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    if path is not None:
        assert str(path) in done.stderr


UNITS = {
    "a gap in the person": (
        "id,home,age\n1,5,30\n,5,31\n2,6,40\n",
        "column 'id', row 2: the person is missing",
    ),
    "a person in two households": (
        "id,home,age\n1,5,30\n1,6,31\n2,6,40\n",
        "column 'id', row 2: person 1 is in household 6 here and in 5 in row 1",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("command", ["protect", "assess"])
def test_units_that_cannot_be(
    tmp_path: Path, text: str, sentence: str, command: str
) -> None:
    path = tmp_path / "survey.csv"
    path.write_text(text)
    second = path if command == "assess" else tmp_path / "out.csv"
    method = ["--method", "noise"] if command == "protect" else ["--aligned"]
    got = run(command, path, second, *method, "--person", "id", "--household", "home")
    assert got.returncode == 2, got.stderr
    assert f"survey.csv: {sentence}" in got.stderr
    assert not (tmp_path / "out.csv").exists()
