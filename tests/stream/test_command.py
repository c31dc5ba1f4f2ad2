"""``tacit stream`` as a program: pipes, signals, kill -9, monitors, mistakes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.stream.sources.text import csv_records

SRC = str(Path(tc.__file__).parents[1])
COMMAND = [sys.executable, "-m", "tacit", "stream"]
ENV = os.environ | {"PYTHONPATH": SRC}
MICRO = ["--filter", "microaggregation", "--set", "k=3", "--set", "window=20"]


def table(n: int) -> tuple[str, np.ndarray]:
    x = np.round(np.random.default_rng(1).normal(size=(n, 2)), 6)
    return "a,b,note\n" + "".join(
        f"{a!r},{b!r},n{i}\n" for i, (a, b) in enumerate(x.tolist())
    ), x


def run(*options: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *options],
        input=text,
        capture_output=True,
        text=True,
        env=ENV,
        timeout=300,
    )


def test_pipe_equals_the_library_and_monitors_are_written(tmp_path: Path) -> None:
    text, x = table(300)
    log = tmp_path / "monitor.jsonl"
    done = run(
        *MICRO,
        "--columns",
        "a,b",
        "--drop",
        "note",
        "--monitor",
        str(log),
        "--alarm",
        "risk_past=0.01",
        text=text,
    )
    assert done.returncode == 0, done.stderr
    rows = list(csv_records(done.stdout.splitlines()))
    want = tc.stream.Microaggregation(k=3, window=20).apply(x)
    assert [[r["a"], r["b"]] for r in rows] == want.tolist()
    assert "note" not in rows[0]
    values = json.loads(log.read_text().splitlines()[-1])
    assert values["released"] == 300
    assert values["group_min"] == 3
    assert 0 < values["risk_centred"] < 1
    assert values["alarms"][0]["name"] == "risk_past"
    assert "alarm: risk_past" in done.stderr


def test_an_identifier_is_pointed_out() -> None:
    done = run(*MICRO, "--no-monitors", "--nominal", "note", text=table(60)[0])
    assert done.returncode == 0
    assert "'note' has nearly as many values as records" in done.stderr


def test_json_lines_with_books() -> None:
    text = "".join(json.dumps({"a": i % 7, "who": "x"}) + "\n" for i in range(30))
    columns = ["--columns", "a", "--keep", "who"]
    done = run(
        "--filter",
        "noise",
        *columns,
        "--format",
        "jsonl",
        "--books",
        "--seed",
        "3",
        "--no-monitors",
        text=text,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(s) for s in done.stdout.splitlines()]
    assert [r["_index"] for r in rows] == list(range(30))
    assert all(r["who"] == "x" for r in rows)


def wait_for(condition, seconds: float = 240.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened in time"
        time.sleep(0.05)


def lines_in(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


def test_sigterm_flushes_and_exits_0(tmp_path: Path) -> None:
    text, x = table(100)
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(text)
    options = [
        "--columns",
        "a,b",
        "--in",
        str(source),
        "--follow",
        "--out",
        str(out),
        "--state",
        str(tmp_path / "s"),
        "--every",
        "10",
    ]
    program = subprocess.Popen(
        [*COMMAND, *MICRO, *options], env=ENV, stderr=subprocess.PIPE
    )
    wait_for(lambda: lines_in(out) >= 80)
    program.send_signal(signal.SIGTERM)
    assert program.wait(timeout=180) == 0
    rows = list(csv_records(out.read_text().splitlines()))
    assert len(rows) == 100
    assert [[r["a"], r["b"]] for r in rows] == tc.stream.Microaggregation(
        k=3, window=20
    ).apply(x).tolist()


def test_time_alone_releases_what_is_due(tmp_path: Path) -> None:
    """No further record comes, the input stays open, and the limit in seconds holds."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("a\n1\n2\n")
    options = [
        "--filter",
        "clusters",
        "--set",
        "k=2",
        "--set",
        "seconds=0.5",
        "--interval",
        "0.1",
    ]
    files = ["--in", str(source), "--follow", "--out", str(out)]
    program = subprocess.Popen([*COMMAND, *options, *files], env=ENV)
    wait_for(lambda: lines_in(out) == 3)
    assert program.poll() is None
    program.send_signal(signal.SIGTERM)
    assert program.wait(timeout=180) == 0
    assert out.read_text() == "a\n1.5\n1.5\n"


def test_kill_9_loses_nothing(tmp_path: Path) -> None:
    text, x = table(400)
    source, out, state = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "s"
    half = text[: len(text) // 2]
    source.write_text(half)
    options = [
        "--columns",
        "a,b",
        "--in",
        str(source),
        "--out",
        str(out),
        "--state",
        str(state),
        "--every",
        "7",
        "--books",
        "--keep",
        "note",
    ]
    program = subprocess.Popen([*COMMAND, *MICRO, *options, "--follow"], env=ENV)
    wait_for(lambda: lines_in(out) >= 100 and state.exists())
    program.kill()  # SIGKILL: no handler runs
    program.wait(timeout=30)
    with out.open("a") as torn:
        torn.write(
            "0.1,0.2,half a li"
        )  # what a crash in the middle of a write leaves behind
    source.write_text(text)
    done = run(*MICRO, *options)
    assert done.returncode == 0, done.stderr
    rows = list(csv_records(out.read_text().splitlines()))
    assert [r["_index"] for r in rows] == list(range(400))
    assert [[r["a"], r["b"]] for r in rows] == tc.stream.Microaggregation(
        k=3, window=20
    ).apply(x).tolist()
    assert [r["note"] for r in rows] == [f"n{i}" for i in range(400)]


def mistake(options: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What ``tacit stream`` says about a mistake: one sentence, and exit code 2."""
    from tacit.cli import main

    handlers = {
        number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["tacit", "stream", *options])
            with pytest.raises(SystemExit) as stopped:
                main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert stopped.value.code == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    return text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--filter", "nothing"], "There are:"),
        (["--filter", "microaggregation", "--set", "k=60"], "at least 2 k"),
        (["--filter", "microaggregation", "--set", "kk=3"], "no parameter 'kk'"),
        (["--filter", "dp_microaggregation"], "not private"),
        (["--filter", "noise", "--in", "/nowhere.csv"], "cannot be read"),
        (["--filter", "noise", "--alarm", "x"], "name=number"),
    ],
)
def test_mistakes_are_one_sentence_and_code_2(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in mistake(options, capsys)


def test_dashboard_draws_what_is_known() -> None:
    from rich.console import Console

    from tacit.cli.stream_dashboard import Dashboard, sparkline

    board = Dashboard("Noise()")
    values = {
        "consumed": 10,
        "released_now": 8,
        "pending": 2,
        "rate": 1234.5,
        "delay": 1.0,
        "chance": 0.01,
        "loss": 0.5,
    }
    alarm = {"name": "loss", "value": 0.5, "bound": 0.1, "arrived": 9}
    board.table(values)
    console = Console(width=100, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(board.table(values | {"alarms": [alarm], "rate": 2000.0}))
    text = console.export_text()
    assert "1,234" not in text
    assert "2,000" in text
    assert "▁█" in text
    assert "alarm: loss" in text
    assert sparkline([1.0, float("nan"), 2.0]) == "▁ █"


def test_no_file_is_overwritten_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(table(5)[0])
    target.write_text("mine\n")
    noise = ["--filter", "noise", "--in", str(source)]
    assert mistake([*noise, "--out", str(target)], capsys).endswith(
        "overwrite it with --force\n"
    )
    assert target.read_text() == "mine\n"
    assert "the input itself" in mistake(
        [*noise, "--out", str(source), "--force"], capsys
    )
    assert source.read_text() == table(5)[0]
