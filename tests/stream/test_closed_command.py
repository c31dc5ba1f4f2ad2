"""``tacit stream`` fails closed: what it cannot protect is withheld, counted and written down,
never released.
"""

from __future__ import annotations

import errno
import json
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.stream.sources.text import csv_records

NOISE = ["--filter", "noise", "--set", "percent=50", "--seed", "1", "--no-monitors"]
SALARIES = [str(30000 + 7 * i) for i in range(300)]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Done:
    """What the command left: exit code, both texts, records, letters."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(s) for s in self.out.splitlines()]


def run(
    *options: str, given: str | bytes | None = None, capsys: pytest.CaptureFixture[str]
) -> Done:
    """The command in this process; ``given`` is written to in.csv, and read unless --in is among
    the options.
    """
    from tacit.cli import main

    if given is not None:
        Path("in.csv").write_bytes(
            given if isinstance(given, bytes) else given.encode()
        )
    where = [] if "--in" in options else ["--in", "in.csv"]
    handlers = {
        number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)
    }
    code = 0
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["tacit", "stream", *where, *options])
            try:
                main()
            except SystemExit as stopped:
                code = int(stopped.code or 0)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    text = capsys.readouterr()
    return Done(code, text.out, text.err)


def letters(path: str = "tacit-stream.withheld.jsonl") -> list[dict[str, Any]]:
    return [json.loads(s) for s in Path(path).read_text().splitlines()]


def raw_left(done: Done, originals: list[str]) -> int:
    cells = {
        c
        for line in done.out.splitlines()
        for c in line.replace(";", ",").replace("\t", ",").split(",")
    }
    return sum(o in cells or f"{float(o)!r}" in cells for o in originals)


# -- dialects --------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]
)
def test_dialects_are_detected_as_in_files(
    delimiter: str, encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"salary{delimiter}größe\n" + "".join(
        f"{s}{delimiter}{i}.5\n" for i, s in enumerate(SALARIES)
    )
    data = (("\ufeff" if encoding == "utf-16-le" else "") + text).encode(encoding)
    done = run(*NOISE, given=data, capsys=capsys)
    assert done.code == 0, done.err
    rows = list(csv_records(done.out.splitlines(), delimiter))
    assert list(rows[0]) == ["salary", "größe"]
    assert len(rows) == 300
    assert raw_left(done, SALARIES) == 0
    assert "300 released, 0 withheld" in done.err


def test_decimal_commas_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a;b\n" + "".join(f"{i},5;{i}\n" for i in range(60))
    done = run(
        "--filter",
        "rounding",
        "--set",
        "base=10",
        "--no-monitors",
        given=text,
        capsys=capsys,
    )
    assert done.out.splitlines()[:4] == ["a;b", "0,0;0,0", "0,0;0,0", "0,0;0,0"]
    assert len(done.out.splitlines()) == 61


@pytest.mark.parametrize(
    "text", ["name:town\nx:y\nz:w\n", "a b\nx y\n", "name\nAnn\nBob\n"]
)
def test_nothing_to_protect_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run(*NOISE, "--out", "out.csv", given=text, capsys=capsys)
    assert (done.code, done.out) == (2, "")
    assert "no column of the stream can be masked by Noise" in done.err
    assert done.err.count("\n") == 1
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("kind", ["parquet", "feather", "dta"])
def test_files_that_are_no_text_get_a_sentence(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table({"a": list(range(300)), "b": [0.5] * 300})
    if kind == "parquet":
        pyarrow.parquet.write_table(table, "x.parquet")
    elif kind == "feather":
        pyarrow.feather.write_feather(table, "x.feather")
    else:
        pd.DataFrame(table.to_pydict()).to_stata("x.dta", version=114)
    for form in ("csv", "jsonl"):
        done = run(
            *NOISE,
            "--in",
            f"x.{kind}",
            "--format",
            form,
            "--out",
            "out.csv",
            capsys=capsys,
        )
        assert done.code == 2
        assert done.err.startswith("Error: ")
        assert done.err.count("\n") == 1
        assert {
            "parquet": "is a Parquet file",
            "feather": "is an Arrow file",
            "dta": "x.dta",
        }[kind] in done.err
        assert not Path("out.csv").exists()


# -- numbers, codes and text -----------------------------------------------------------


def test_a_number_written_as_text_is_a_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "".join(json.dumps({"salary": s}) + "\n" for s in SALARIES)
    done = run(*NOISE, "--format", "jsonl", given=text, capsys=capsys)
    values = [r["salary"] for r in done.rows]
    assert len(values) == 300
    assert all(isinstance(v, float) for v in values)
    assert not {*map(float, SALARIES)} & {*values}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_leading_zeros_are_text(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    codes = [f"004124427{i:04d}" for i in range(60)]
    rows = [{"phone": c, "a": str(i)} for i, c in enumerate(codes)]
    text = "".join(json.dumps(r) + "\n" for r in rows)
    if form == "csv":
        text = "phone,a\n" + "".join(f"{r['phone']},{r['a']}\n" for r in rows)
    done = run(*NOISE, "--format", form, given=text, capsys=capsys)
    assert (
        "Warning: dropped (text that was not declared with --nominal): phone"
        in done.err
    )
    assert "4124427" not in done.out
    kept = run(*NOISE, "--format", form, "--keep", "phone", given=text, capsys=capsys)
    assert all(code in kept.out for code in codes)
    refused = run(
        *NOISE, "--format", form, "--columns", "phone", given=text, capsys=capsys
    )
    assert refused.code == 2
    assert "--nominal phone" in refused.err
    late = text.replace("0041244270000", "5") + (
        "7,0012\n" if form == "csv" else '{"phone": "7", "a": "0012"}\n'
    )
    done = run(*NOISE, "--format", form, "--keep", "phone", given=late, capsys=capsys)
    assert (
        letters()[-1]["reason"]
        == "column 'a': digits that begin with 0 are a code and not a number"
    )
    assert "60 released, 1 withheld" in done.err


# -- columns ---------------------------------------------------------------------------


def test_a_new_field_in_mid_stream_is_withheld(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows: list[dict[str, Any]] = [{"age": i} for i in range(50)]
    rows[30]["ssn"] = "SECRET-30"
    text = "".join(json.dumps(r) + "\n" for r in rows)
    done = run(
        *NOISE, "--columns", "age", "--format", "jsonl", given=text, capsys=capsys
    )
    assert "SECRET" not in done.out
    assert len(done.rows) == 49
    [letter] = letters()
    assert letter == {
        "line": 31,
        "kind": "unknown column",
        "reason": "has the unknown column 'ssn'",
        "record": {"age": 30, "ssn": "SECRET-30"},
    }
    assert "50 record(s) read: 49 released, 1 withheld (1 unknown column)" in done.err


def test_columns_leave_only_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    text = "age,ssn,income,town\n" + "".join(
        f"{i},SECRET-{i},{i * 100},Oslo\n" for i in range(50)
    )
    done = run(*NOISE, "--columns", "age", given=text, capsys=capsys)
    assert done.out.splitlines()[0] == "age"
    assert "Warning: dropped (not named in --columns): ssn, income, town" in done.err
    done = run(
        *NOISE,
        "--columns",
        "age",
        "--keep",
        "town",
        "--drop",
        "ssn",
        given=text,
        capsys=capsys,
    )
    assert done.out.splitlines()[0] == "age,town"
    assert "ssn" not in done.err
    done = run(*NOISE, given=text, capsys=capsys)
    assert done.out.splitlines()[0] == "age,income"
    assert "SECRET" not in done.out
    for wrong in (["--keep", "nobody"], ["--drop", "nobody"], ["--columns", "nobody"]):
        done = run(*NOISE, *wrong, given=text, capsys=capsys)
        assert (done.code, "no column 'nobody'" in done.err) == (2, True)
    done = run(*NOISE, "--columns", "age", "--keep", "age", given=text, capsys=capsys)
    assert done.code == 2


def test_a_person_is_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    text = "who,age,ill\n" + "".join(f"P{i % 9},{i},{i % 3}\n" for i in range(60))
    options = [
        "--filter",
        "clusters",
        "--set",
        "k=3",
        "--set",
        "delay=20",
        "--set",
        "person=who",
        "--no-monitors",
    ]
    done = run(*options, given=text, capsys=capsys)
    assert done.out.splitlines()[0] == "age,ill"
    assert "P1" not in done.out
    assert "who" in done.err
    kept = run(*options, "--keep", "who", given=text, capsys=capsys)
    assert kept.out.splitlines()[0] == "who,age,ill"
    dropped = run(*options, "--drop", "who", given=text, capsys=capsys)
    assert dropped.out == done.out


def test_a_private_filter_releases_what_was_declared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (
        "sex,age,ssn\n"
        + "".join(f"{'fm'[i % 2]},{i % 90},S{i}\n" for i in range(60))
        + "RARE,50,S60\n"
    )
    options = [
        "--filter",
        "dp_microaggregation",
        "--set",
        "k=3",
        "--set",
        "window=20",
        "--no-monitors",
    ]
    declared = [
        "--set",
        'categories={sex = ["f", "m"]}',
        "--set",
        "bounds={age = [0, 100]}",
    ]
    done = run(*options, *declared, given=text, capsys=capsys)
    assert done.code == 0, done.err
    assert set(done.out.splitlines()[0].split(",")) == {"sex", "age"}
    assert "RARE" not in done.out
    assert "S1" not in done.out
    assert letters()[-1]["kind"] == "undeclared category"
    done = run(*options, *declared, "--keep", "ssn", given=text, capsys=capsys)
    assert done.code == 2


def test_a_declared_number_is_a_category(capsys: pytest.CaptureFixture[str]) -> None:
    text = "sex\n" + "1\n2\n" * 20 + "3\n"
    done = run(
        "--filter",
        "pram",
        "--set",
        "categories={sex = [1, 2]}",
        "--no-monitors",
        given=text,
        capsys=capsys,
    )
    assert set(done.out.splitlines()[1:]) == {"1", "2"}
    assert letters()[0]["record"] == {"sex": "3"}


# -- records that do not fit -----------------------------------------------------------


def test_everything_that_does_not_fit_is_written_down(
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = "".join(f"{i},{i * 2}\n" for i in range(60))
    bad = '1\n1,2,3\nold,3\n"4,4\n5,inf\n6,1e999\n7,007\na,b\n'
    done = run(
        *NOISE, "--dead-letter", "held.jsonl", given="a,b\n" + good + bad, capsys=capsys
    )
    assert len(done.out.splitlines()) == 61
    kinds = [entry["kind"] for entry in letters("held.jsonl")]
    assert kinds == [
        "another number of fields",
        "another number of fields",
        "wrong type",
        "cannot be parsed",
        "infinite",
        "infinite",
        "wrong type",
        "a header in mid-stream",
    ]
    assert [entry["line"] for entry in letters("held.jsonl")] == list(range(62, 70))
    assert stat.S_IMODE(Path("held.jsonl").stat().st_mode) == 0o600
    assert (
        "68 record(s) read: 60 released, 8 withheld (2 another number of fields, 2 infinite"
        in done.err
    )


def test_below_a_quote_that_does_not_end_no_cell_holds_records(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (
        "a,town,ssn\n"
        + "".join(f"{i},Oslo,S{i}\n" for i in range(30))
        + '31,"Smith, town",S31\n'
    )
    text += '32,"Bonn,S32\n33,"Oslo,SECRET33",S34\n35,"Bonn",S35\n36,Oslo,S36\n'
    done = run(*NOISE, "--keep", "town", given=text, capsys=capsys)
    assert '"Smith, town"' in done.out
    assert "SECRET" not in done.out
    assert "35 record(s) read: 33 released, 2 withheld (2 cannot be parsed)" in done.err


def test_below_another_header_nothing_is_released(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = "age,town,ssn\n" + "".join(f"{i},Oslo,S{i}\n" for i in range(30))
    second = "age,ssn,town\n" + "".join(f"{i},SECRET{i},Oslo\n" for i in range(30))
    done = run(*NOISE, "--keep", "town", given=first + second + first, capsys=capsys)
    assert "SECRET" not in done.out
    assert len(done.out.splitlines()) == 61
    assert "32 withheld (32 a header in mid-stream)" in done.err


def test_the_dead_letter_file_is_nobody_elses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "a\n1\n2\n"
    taken = {"in.csv": "is the input itself", "out.csv": "needs a name of its own"}
    for name, sentence in taken.items():
        done = run(
            *NOISE, "--out", "out.csv", "--dead-letter", name, given=text, capsys=capsys
        )
        assert done.code == 2
        assert sentence in done.err
    assert Path("in.csv").read_text() == text


@pytest.mark.parametrize(
    "options",
    [
        ["--set", "percent=text"],
        ["--set", "warmup=1.5"],
        ["--set", "replace=7"],
        ["--alarm", "risk_past=high"],
        ["--alarm", "nothing=1"],
        ["--encoding", "idna"],
        ["--encoding", "base64"],
        ["--encoding", "nothing"],
        ["--format", "parquet"],
    ],
)
def test_options_that_make_no_sense_are_one_sentence(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "a,b\n" + "".join(f"{i},{i * 2}\n" for i in range(400))
    done = run(
        "--filter", "noise", "--out", "out.csv", *options, given=text, capsys=capsys
    )
    assert done.code == 2
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("Error: ")
    assert not Path("out.csv").exists()


def test_the_output_is_whole_or_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit.stream.sources.sinks import CsvSink

    text = "a\n" + "".join(f"{i}\n" for i in range(400))
    Path("out.csv").write_text("old\n")

    def full(self: CsvSink, releases: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(CsvSink, "write", full)
        done = run(*NOISE, "--out", "out.csv", "--force", given=text, capsys=capsys)
    assert done.code == 2
    assert "No space left on device" in done.err
    assert Path("out.csv").read_text() == "old\n"
    assert sorted(p.name for p in Path().iterdir()) == ["in.csv", "out.csv"]
    assert (
        run(*NOISE, "--out", "out.csv", "--force", given=text, capsys=capsys).code == 0
    )
    assert Path("out.csv").read_text().count("\n") == 401


# -- saved state -----------------------------------------------------------------------


def pipe(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tacit", "stream", *options]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=300
    )


def test_a_pipe_brings_new_records_though_there_is_a_state() -> None:
    options = [*NOISE, "--state", "s", "--out", "out.csv"]
    head = "a,b\n"
    first, second = (
        "".join(f"{i},{i * 2}\n" for i in range(at, at + 500)) for at in (0, 1000)
    )
    assert pipe(head + first, *options).returncode == 0
    done = pipe(head + second, *options)
    assert done.returncode == 0, done.stderr
    assert "500 record(s) read: 500 released" in done.stderr
    rows = list(csv_records(Path("out.csv").read_text().splitlines()))
    assert len(rows) == 1000
    assert np.mean([r["a"] for r in rows[500:]]) > 1000
    other = pipe("b,a\n1,2\n", *options)
    assert (
        other.returncode,
        "not the one that the state was saved with" in other.stderr,
    ) == (2, True)


def test_another_file_is_not_taken_for_the_one_of_the_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "a\n" + "".join(f"{i}\n" for i in range(100))
    assert (
        run(*NOISE, "--state", "s", "--out", "o.csv", given=text, capsys=capsys).code
        == 0
    )
    grown = run(
        *NOISE, "--state", "s", "--out", "o.csv", given=text + "5\n6\n", capsys=capsys
    )
    assert "2 record(s) read: 2 released" in grown.err
    other = run(
        *NOISE,
        "--state",
        "s",
        "--out",
        "o.csv",
        given="a\n" + "7\n" * 200,
        capsys=capsys,
    )
    assert (
        other.code,
        "is not the file that the state was saved with" in other.err,
    ) == (2, True)
    columns = run(
        *NOISE,
        "--state",
        "s",
        "--out",
        "o.csv",
        "--drop",
        "a",
        given=text,
        capsys=capsys,
    )
    assert (columns.code, "belongs to other columns" in columns.err) == (2, True)


def test_letters_are_not_written_twice_after_a_crash(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = {7, 33, 61}
    text = "a\n" + "".join("x\n" if i in bad else f"{i}\n" for i in range(80))
    options = [*NOISE, "--state", "s", "--every", "20", "--out", "o.csv"]
    run(*options, given=text[: text.index("39\n")], capsys=capsys)
    with Path("o.csv.withheld.jsonl").open("a") as torn:
        torn.write('{"line": 62, "kind"')  # what a crash leaves behind
    run(*options, given=text, capsys=capsys)
    assert [entry["line"] for entry in letters("o.csv.withheld.jsonl")] == [9, 35, 63]
