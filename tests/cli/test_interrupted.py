"""Ctrl-C once: stop and say what is known; twice: leave. Progress where standard error is a file.

Real processes and real signals; each side waits for a word of the other, so nothing is timed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_bad_input import ENV, GOOD

# a command whose attack by optimal assignment says that it runs, and then waits for a signal
WAITS = """
import sys, time
import tacit.attack.assignment as room
stubborn, calls = sys.argv[1] == "stubborn", []
usual = room.Assignment.link

def waiting(self, *args, **more):
    calls.append(1)
    # in the second release that is attacked, not in the first
    if sys.argv[0] == "second" and len(calls) == 1:
        return usual(self, *args, **more)
    while True:
        try:
            print("RUNS", file=sys.stderr, flush=True)
            while True:
                time.sleep(0.05)
        except KeyboardInterrupt:
            if not stubborn:
                raise
            print("GOES ON", file=sys.stderr, flush=True)

room.Assignment.link = waiting
from tacit.cli import main
sys.argv = [sys.argv[1], *sys.argv[2:]]
main()
"""


def started(kind: str, *words: str | Path, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WAITS, kind, *map(str, words)]
    return subprocess.Popen(
        command,
        env={**ENV, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], word: str) -> str:
    """Everything on standard error until this word."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if word in line:
            return said
    raise AssertionError(f"no {word} in: {said}")


def files(tmp_path: Path) -> tuple[Path, Path]:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GOOD)
    out.write_text(GOOD.replace("1000", "1003"))
    return source, out


def test_once_stops_and_says_what_is_known(tmp_path: Path) -> None:
    source, out = files(tmp_path)
    result = tmp_path / "out.json"
    words = ["assess", source, out, "--aligned", "--json", result]
    process = started("", *words, "--attackers", "nearest,assignment")
    wait_for(process, "RUNS")
    process.send_signal(signal.SIGINT)
    said, heard = process.communicate()
    assert process.returncode == 130, heard
    assert "Ctrl-C again leaves at once" in heard
    assert "what was known by then" in heard
    # what ran before is known, what did not run is not zero
    assert said.startswith("Verdict: not safe")
    assert "Nearest record (nearest)" in said
    assert "did not run: stopped by Ctrl-C" in said
    assert "not computed: stopped by Ctrl-C" in " ".join(said.split())
    assert '"error": "stopped by Ctrl-C"' in result.read_text()


def test_twice_leaves_at_once(tmp_path: Path) -> None:
    """Also where something answers the first one by going on."""
    source, out = files(tmp_path)
    words = ["assess", source, out, "--aligned", "--attackers", "assignment"]
    process = started("stubborn", *words)
    wait_for(process, "RUNS")
    process.send_signal(signal.SIGINT)
    wait_for(process, "GOES ON")
    process.send_signal(signal.SIGINT)
    said, heard = process.communicate()
    assert process.returncode == 130
    assert "Left." in heard
    assert said == ""


def test_a_search_says_where_it_was(tmp_path: Path) -> None:
    source, _ = files(tmp_path)
    release = tmp_path / "release.csv"
    words = ["protect", source, release, "--method", "microaggregation"]
    process = started("", *words, "--until", "risk<=0.05")
    wait_for(process, "RUNS")
    process.send_signal(signal.SIGINT)
    _, heard = process.communicate()
    assert process.returncode == 130, heard
    assert "Stopped: protecting 30 records: " in heard
    assert " done, k=" in heard
    assert "no result was written" in heard
    assert not release.exists()


@pytest.mark.slow
def test_progress_is_said_where_standard_error_is_a_pipe(tmp_path: Path) -> None:
    """One line after a second, and more later; the work does not have to say anything itself."""
    source, out = files(tmp_path)
    words = ["assess", source, out, "--aligned", "--attackers", "nearest,assignment"]
    process = started("", *words, TACIT_PROGRESS="")
    said = wait_for(process, "done, assignment (")
    assert "assessing: 1 of " in said
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert os.environ["TACIT_PROGRESS"] == "off"


def test_a_stopped_search_shows_what_was_attacked(tmp_path: Path) -> None:
    """Settings with what was found at each; none is called the one to take."""
    source, _ = files(tmp_path)
    release = tmp_path / "release.csv"
    words = ["protect", source, release, "--method", "microaggregation"]
    # settings that are above the bound by a cheap attack are known before this one runs
    process = started("", *words, "--until", "risk<=0.2")
    wait_for(process, "RUNS")
    process.send_signal(signal.SIGINT)
    said, heard = process.communicate()
    assert process.returncode == 130, heard
    assert said.startswith("Tried so far; none is released")
    assert "k=2 " in said
    assert "risk<=0.2 holds" in said
    assert not release.exists()


def test_a_stopped_comparison_shows_the_plans_that_had_ended(tmp_path: Path) -> None:
    """The first plan ended, the second did not: no plan is recommended or saved."""
    source, _ = files(tmp_path)
    plans, best = tmp_path / "plans.toml", tmp_path / "best.toml"
    result = tmp_path / "out.json"
    plans.write_text(
        '[[plans]]\nmethod = "microaggregation"\nk = 15\n'
        '[[plans]]\nmethod = "microaggregation"\nk = 10\n'
    )
    words = ["compare", source, "--plans", plans, "--workers", "1", "--bound", "1"]
    words += ["--save-plan", best, "--resume", tmp_path / "runs.jsonl"]
    process = started("second", *words, "--json", result)
    wait_for(process, "RUNS")
    process.send_signal(signal.SIGINT)
    said, heard = process.communicate()
    assert process.returncode == 130, heard
    known = json.loads(result.read_text())
    assert [row["name"] for row in known["plans"]] == ["microaggregation(k=15)"]
    assert known["recommended"] is None
    assert known["why"].startswith("stopped by Ctrl-C after 1 run on 30 of 30 records")
    assert "none is recommended" in heard
    assert not best.exists()
    assert said.startswith("Why: stopped by Ctrl-C")
    assert "1 plan on 30 records" in said
    assert "Recommended" not in said
