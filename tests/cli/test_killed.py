"""Kill -9 at the worst moments: the old or the whole new file, and the same figures after it.

Random moments, a hundred of each kind: ``python -m tools.kills``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_bad_input import ENV, GOOD, run

# a process that dies at the n-th call of a function, before it or after it
DIES = """
import os, signal, sys
from importlib import import_module
where, name, count, when, *words = sys.argv[1:]
holder = import_module(where.split(":")[0])
for part in where.split(":")[1:]:
    holder = getattr(holder, part)
usual, calls = getattr(holder, name), 0

def dying(*args, **more):
    global calls
    calls += 1
    if calls == int(count) and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = usual(*args, **more)
    if calls == int(count) and when == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(holder, name, dying)
from tacit.cli import main
sys.argv = ["tacit", *words]
main()
"""


def killed(at: list[str], *words: str | Path) -> None:
    """The command in a process that dies at this moment."""
    command = [sys.executable, "-c", DIES, *at, *map(str, words)]
    done = subprocess.run(command, env=ENV, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize(
    ("at", "is_new"),
    [
        # the release is written under another name
        (["tacit.data.io:csv", "write", "1", "after"], False),
        # the manifest is written, and neither has its name
        (["tacit.plan.manifest", "put", "1", "after"], False),
        # the manifest has its name, and the release not yet
        (["os", "replace", "1", "after"], False),
        (["os", "replace", "2", "after"], True),
    ],
    ids=["before the manifest", "before its name", "between", "after its name"],
)
def test_protect(tmp_path: Path, at: list[str], is_new: bool) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GOOD)
    words = ["protect", source, out, "--method", "noise", "--seed", "5", "--force"]
    assert run(*words).returncode == 0
    new = out.read_bytes()
    out.write_text("precious")
    killed(at, *words)
    assert out.read_bytes() == (new if is_new else b"precious")
    assert source.read_text() == GOOD
    # what was left does not stand in the way
    assert run(*words).returncode == 0
    assert out.read_bytes() == new


def timeless(value: object) -> object:
    """A comparison without its clocks."""
    if isinstance(value, dict):
        kept = {word: inner for word, inner in value.items() if "seconds" not in word}
        return {word: timeless(inner) for word, inner in kept.items()}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def test_compare_goes_on(tmp_path: Path) -> None:
    source, plans = tmp_path / "in.csv", tmp_path / "plans.toml"
    source.write_text(GOOD)
    plans.write_text(
        '[[plans]]\nmethod = "noise"\npercent = { values = [5, 20, 80] }\n'
    )
    words = ["compare", source, "--plans", plans, "--seed", "3", "--seeds", "1"]
    words += ["--attackers", "nearest", "--workers", "1", "--bound", "1"]

    def figures(name: str) -> object:
        out, journal = tmp_path / f"{name}.json", tmp_path / f"{name}.jsonl"
        again = run(*words, "--resume", journal, "--json", out)
        assert again.returncode == 0, again.stderr
        return timeless(json.loads(out.read_text()))

    at = ["tacit.compare.journal:Journal", "add", "2", "after"]
    journal, out = tmp_path / "killed.jsonl", tmp_path / "killed.json"
    killed(at, *words, "--resume", journal, "--json", out)
    assert not out.exists()
    # the key and two of three runs
    assert len(journal.read_text().splitlines()) in (2, 3)
    # a line that was cut off in the middle is no run
    with journal.open("a") as file:
        file.write('{"key": "half')
    assert figures("killed") == figures("whole")


def test_stream_goes_on(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    rows = "".join(f"{20 + i % 50},{1000 + 37 * i % 991}\n" for i in range(300))
    source.write_text("age,income\n" + rows)

    def words(name: str) -> list[str | Path]:
        files = [
            "--out",
            tmp_path / f"{name}.csv",
            "--state",
            tmp_path / f"{name}.state",
        ]
        settings = ["--set", "k=3", "--set", "window=40", "--every", "50"]
        command = ["stream", "--filter", "microaggregation", "--in", source]
        return [*command, *settings, *files, "--no-monitors"]

    for count, when in (("2", "before"), ("2", "after")):
        at = ["tacit.stream.pipeline:Pipeline", "save", count, when]
        killed(at, *words("killed"))
    assert run(*words("killed")).returncode == 0
    assert run(*words("whole")).returncode == 0
    assert (tmp_path / "killed.csv").read_bytes() == (
        tmp_path / "whole.csv"
    ).read_bytes()
