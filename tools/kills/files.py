"""Commands that write a file, killed: `protect`, `compare --resume`, `protect --blocks`."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from tools.kills import forked
from tools.kills.people import people
from tools.kills.resumed import resumed
from tools.kills.tally import OLD, Tally


def protect(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit protect` over an old release, in three formats."""
    pacsv.write_csv(people(3000), folder / "in.csv")
    for ending, times in (
        ("csv", kills - 2 * (kills // 3)),
        ("parquet", kills // 3),
        ("sav", kills // 3),
    ):
        tally = Tally(f"`protect`, {ending}")
        out = folder / f"out.{ending}"
        words = [
            "protect",
            "in.csv",
            out.name,
            "--method",
            "microaggregation",
            "--seed",
            "5",
        ]
        words += ["--quasi", "age,income,hours", "--force"]
        seconds = forked.lasting(words, folder)
        new = out.read_bytes()
        for _ in range(times):
            out.write_bytes(OLD)
            tally.times += 1
            child = forked.start(words, folder)
            tally.killed += forked.kill_within(child, seconds, draw)
            tally.look(out, [new])
        # what was killed must not stand in the way of the next run
        if forked.finish(words, folder) != 0 or out.read_bytes() != new:
            tally.fault("the run after the kills differs")
        yield tally


def compare(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit compare --resume`, killed several times and then finished."""
    pacsv.write_csv(people(120), folder / "in.csv")
    (folder / "plans.toml").write_text(
        '[[plans]]\nmethod = "noise"\npercent = { values = [5, 10, 20, 40, 80] }\n'
    )
    words = [
        "compare",
        "in.csv",
        "--plans",
        "plans.toml",
        "--seed",
        "3",
        "--seeds",
        "1",
    ]
    words += [
        "--attackers",
        "nearest",
        "--workers",
        "1",
        "--uninformed",
        "--bound",
        "1",
    ]
    words += ["--resume", "runs.jsonl", "--json", "out.json", "--force"]
    yield resumed(
        "`compare --resume`", folder, words, folder / "out.json", kills, draw, _figures
    )


def _figures(path: Path) -> object:
    """A comparison without its clocks."""

    def timeless(value: object) -> object:
        if isinstance(value, dict):
            kept = {
                name: inner for name, inner in value.items() if "seconds" not in name
            }
            return {name: timeless(inner) for name, inner in kept.items()}
        return [timeless(one) for one in value] if isinstance(value, list) else value

    return timeless(json.loads(path.read_text()))


def large(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit protect --blocks`, with and without --resume."""
    pq.write_table(people(20_000), folder / "in.parquet", row_group_size=4000)
    out = folder / "out.parquet"
    words = [
        "protect",
        "in.parquet",
        "out.parquet",
        "--quasi",
        "age,income,hours",
    ]
    words += ["--method", "microaggregation", "--blocks", "500", "--seed", "5"]
    words += ["--allow-unprotected"]
    tally = Tally("`protect --blocks`")
    seconds = forked.lasting([*words, "--force"], folder)
    new = out.read_bytes()
    for _ in range(kills):
        out.write_bytes(OLD)
        tally.times += 1
        child = forked.start([*words, "--force"], folder)
        tally.killed += forked.kill_within(child, seconds, draw)
        tally.look(out, [new])
    yield tally
    shutil.rmtree(folder / "out.parquet.work", ignore_errors=True)
    words += ["--resume", "--force"]
    yield resumed(
        "`protect --blocks --resume`", folder, words, out, kills, draw, Path.read_bytes
    )
