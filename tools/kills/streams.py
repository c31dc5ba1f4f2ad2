"""Streams killed: `stream --state` and `stream --redis`."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv as pacsv

from tools.kills import forked
from tools.kills.people import people
from tools.kills.resumed import ROW, resumed
from tools.kills.tally import Tally


def stream(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit stream --state` on a file, with groups and with noise."""
    pacsv.write_csv(people(6000), folder / "in.csv")
    filters = {
        "microaggregation": ["--set", "k=3", "--set", "window=60"],
        "noise": ["--set", "percent=20", "--seed", "4"],
        "rank_swapping": ["--set", "p=10", "--set", "window=60", "--seed", "4"],
    }
    for name, settings in filters.items():
        words = [
            "stream",
            "--filter",
            name,
            *settings,
            "--in",
            "in.csv",
            "--out",
            "out.csv",
        ]
        words += ["--state", "state.bin", "--every", "200", "--no-monitors"]
        what = f"`stream --state`, {name}"
        out = folder / "out.csv"
        yield resumed(what, folder, words, out, kills // 3 + 1, draw, Path.read_bytes)


def redis(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """A consumer of Redis: every record once, with the values of a run that was never killed."""
    from tacit.stream.sources.redis_server import connect

    if shutil.which("redis-server") is None:
        return
    place = folder / "redis.sock"
    server = ["redis-server", "--port", "0", "--unixsocket", str(place), "--save", ""]
    process = subprocess.Popen(server, stdout=subprocess.DEVNULL, cwd=folder)
    try:
        while not place.exists():
            time.sleep(0.05)
        url = f"unix://{place}"
        client = connect(url)
        rows = people(3000).to_pylist()
        for row in rows:
            client.xadd("in", {name: json.dumps(value) for name, value in row.items()})
        for name, settings in (("microaggregation", "k=3"), ("noise", "percent=20")):
            tally = Tally(f"`stream --redis`, {name}")
            words = [
                "stream",
                "--filter",
                name,
                "--set",
                settings,
                "--redis",
                url,
                "--from",
                "in",
            ]
            words += ["--no-monitors", *(["--seed", "4"] if name == "noise" else [])]
            began = time.monotonic()
            assert (
                forked.finish(
                    [*words, "--to", "whole", "--group", f"whole-{name}"], folder
                )
                == 0
            )
            seconds = time.monotonic() - began
            wanted = [fields for _, fields in client.xrange("whole")]
            while tally.times < kills // 2:
                for _ in range(min(ROW, kills // 2 - tally.times)):
                    tally.times += 1
                    child = forked.start(
                        [*words, "--to", "out", "--group", "g"], folder
                    )
                    tally.killed += forked.kill_within(child, seconds, draw)
                code = forked.finish([*words, "--to", "out", "--group", "g"], folder)
                got = [fields for _, fields in client.xrange("out")]
                index = [int(fields["_index"]) for fields in got]
                lost, twice = len(rows) - len(set(index)), len(index) - len(set(index))
                if code or lost or twice or got != wanted:
                    tally.fault(
                        f"exit {code}, {lost} lost, {twice} twice; {forked.said()}"
                    )
                else:
                    tally.new += 1
                _forget(client, ["out", "whole"], "g")
                client.delete("out")
            client.delete("whole")
            yield tally
    finally:
        process.terminate()
        process.wait()


def _forget(client: object, keys: list[str], group: str) -> None:
    """The group and its state, so that the next round begins at the first record."""
    client.xgroup_destroy("in", group)  # type: ignore[attr-defined]
    for key in client.keys("*"):  # type: ignore[attr-defined]
        if key not in ("in", "whole", b"in", b"whole"):
            client.delete(key)  # type: ignore[attr-defined]
