"""Private streams killed and put back: does a record leave with two noises?

Releases are numbered (``--books``): a number that leaves again must bring the same values. States
that were put back must be refused.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.csv as pacsv

from tools.kills import forked
from tools.kills.people import people
from tools.kills.resumed import ROW
from tools.kills.tally import Tally

RECORDS = 6000
# what a pipe may hold, so that nobody need read it while the child runs
PIPE_BYTES = 1 << 20
WORDS = ["stream", "--filter", "dp_microaggregation", "--books", "--no-monitors"]
WORDS += ["--set", "bounds={age=[0, 100], income=[0, 9000], hours=[0, 60]}"]
WORDS += ["--set", "window=50"]


class Seen:
    """What has left, by its number."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.values: dict[int, tuple[str, ...]] = {}
        self.again = 0

    def look(self, text: str) -> None:
        """Whole lines of a CSV file with books; a number that was seen must be the same."""
        whole = text[: text.rfind("\n") + 1]
        for row in csv.DictReader(io.StringIO(whole)):
            # each run on a pipe begins with a line of names
            if row["_index"] == "_index":
                continue
            self.add(int(row["_index"]), (row["age"], row["income"], row["hours"]))

    def add(self, index: int, values: tuple[str, ...]) -> None:
        """One release."""
        if index in self.values:
            self.again += 1
            if self.values[index] != values:
                self.tally.fault(f"{self.tally.what}: record {index} has two noises")
        self.values[index] = values


def _clean(folder: Path) -> None:
    for left in folder.glob("*"):
        if left.name != "in.csv":
            left.unlink()


def _onto_a_pipe(words: list[str], folder: Path) -> tuple[int, int]:
    """Begin the command with a pipe as its output: process id, and where to read."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    child = forked.start(words, folder, stdout=writing)
    os.close(writing)
    return child, reading


def _rest(reading: int) -> str:
    with open(reading, encoding="utf-8") as pipe:
        return pipe.read()


def _rows(
    tally: Tally,
    seen: Callable[[], None],
    start: Callable[[], int],
    kills: int,
    draw: random.Random,
    seconds: float,
    begin: Callable[[], None],
    end: Callable[[], None],
) -> None:
    """Kills in rows of five, then a run to the end; ``seen`` looks at what left each time."""
    while tally.times < kills:
        begin()
        for _ in range(min(ROW, kills - tally.times)):
            tally.times += 1
            tally.killed += forked.kill_within(start(), seconds, draw)
            seen()
        _, status = os.waitpid(start(), 0)
        seen()
        if os.waitstatus_to_exitcode(status):
            tally.fault(f"{tally.what}: exit {status}; {forked.said()}")
        before = tally.wrong
        end()
        tally.new += tally.wrong == before


def files(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Killed while it writes to a pipe, to a file, and from a pipe; and states put back."""
    pacsv.write_csv(people(RECORDS), folder / "in.csv")
    words = [*WORDS, "--state", "state", "--every", "2500"]
    from_file = [*words, "--in", "in.csv"]
    for _ in range(2):
        # the second run: the first one has loaded everything
        _clean(folder)
        began = time.monotonic()
        assert forked.finish([*from_file, "--out", "o"], folder) == 0, forked.said()
        seconds = time.monotonic() - began
    yield _pipe(folder, from_file, kills, draw, seconds)
    yield _file(folder, from_file, kills, draw, seconds)
    yield _from_pipe(folder, words, kills, draw, seconds)
    yield _put_back(folder, from_file, kills, draw, seconds)


def _pipe(
    folder: Path, words: list[str], kills: int, draw: random.Random, seconds: float
) -> Tally:
    tally = Tally("private `stream --state`, file to pipe")
    seen, again, reading = Seen(tally), 0, -1

    def start() -> int:
        nonlocal reading
        child, reading = _onto_a_pipe(words, folder)
        return child

    def begin() -> None:
        nonlocal seen, again
        again += seen.again
        seen = Seen(tally)
        _clean(folder)

    def end() -> None:
        if sorted(seen.values) != list(range(RECORDS)):
            tally.fault(f"{tally.what}: {RECORDS - len(seen.values)} records lost")

    look = lambda: seen.look(_rest(reading))  # noqa: E731
    _rows(tally, look, start, kills, draw, seconds, begin, end)
    tally.what += f" ({again + seen.again:,} records came again)"
    return tally


def _file(
    folder: Path, words: list[str], kills: int, draw: random.Random, seconds: float
) -> Tally:
    tally = Tally("private `stream --state`, file to file")
    seen = Seen(tally)
    words = [*words, "--out", "out"]

    def begin() -> None:
        nonlocal seen
        seen = Seen(tally)
        _clean(folder)

    def look() -> None:
        if (folder / "out").exists():
            seen.look((folder / "out").read_text())

    def end() -> None:
        text = (folder / "out").read_text()
        index = [int(row["_index"]) for row in csv.DictReader(io.StringIO(text))]
        if index != list(range(RECORDS)):
            tally.fault(f"{tally.what}: not each record once")

    start = lambda: forked.start(words, folder)  # noqa: E731
    _rows(tally, look, start, kills, draw, seconds, begin, end)
    return tally


def _from_pipe(
    folder: Path, words: list[str], kills: int, draw: random.Random, seconds: float
) -> Tally:
    """The records do not come again: what left may not leave again at all."""
    tally = Tally("private `stream --state`, pipe to pipe")
    seen, reading = Seen(tally), -1
    text = (folder / "in.csv").read_bytes()

    def start() -> int:
        nonlocal reading
        giving, into = os.pipe()
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.write(into, text)
        os.close(into)
        out, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        child = forked.start(words, folder, stdout=writing, stdin=giving)
        os.close(writing)
        os.close(giving)
        reading = out
        return child

    def begin() -> None:
        nonlocal seen
        seen = Seen(tally)
        _clean(folder)

    def end() -> None:
        if seen.again:
            tally.fault(f"{tally.what}: {seen.again} left twice")

    look = lambda: seen.look(_rest(reading))  # noqa: E731
    _rows(tally, look, start, kills, draw, seconds, begin, end)
    return tally


def _put_back(
    folder: Path, words: list[str], kills: int, draw: random.Random, seconds: float
) -> Tally:
    """A state of an earlier moment, put back after a kill: refused, and nothing is written."""
    tally = Tally("private `stream --state`, an older state put back")
    words = [*words, "--out", "out"]
    state, out = folder / "state", folder / "out"
    while tally.times < kills // 5:
        _clean(folder)
        forked.kill_within(forked.start(words, folder), seconds, draw)
        if not state.exists():
            continue
        older = state.read_bytes()
        tally.killed += forked.kill_within(forked.start(words, folder), seconds, draw)
        # killed before it saved again: the state is still the last one
        if state.read_bytes() == older and forked.finish(words, folder) != 0:
            tally.fault(f"{tally.what}: {forked.said()}")
            continue
        if state.read_bytes() == older:
            continue
        tally.times += 1
        before = out.read_bytes()
        state.write_bytes(older)
        code = forked.finish(words, folder)
        if code == 2 and out.read_bytes() == before:
            tally.old += 1
        else:
            tally.fault(f"{tally.what}: exit {code}, {forked.said()}")
    return tally


def redis(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """A private consumer of Redis that is killed; and a server that is, and comes back."""
    from tacit.stream.sources.redis_server import connect

    if shutil.which("redis-server") is None:
        return
    place = folder / "redis.sock"
    server = ["redis-server", "--port", "0", "--unixsocket", str(place), "--save", ""]
    server += ["--appendonly", "yes", "--appendfsync", "always"]

    def serve() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(server, stdout=subprocess.DEVNULL, cwd=folder)
        while True:
            try:
                connect(f"unix://{place}")
                return process
            except ValueError:
                time.sleep(0.02)

    process = serve()
    try:
        client = connect(f"unix://{place}")
        for row in people(RECORDS // 2).to_pylist():
            client.xadd("in", {name: json.dumps(value) for name, value in row.items()})
        words = [word for word in WORDS if word != "--books"]
        words += ["--redis", f"unix://{place}", "--from", "in", "--to", "out"]
        began = time.monotonic()
        assert forked.finish([*words, "--group", "whole"], folder) == 0, forked.said()
        seconds = time.monotonic() - began

        def forget() -> None:
            client.xgroup_destroy("in", "g")
            for key in client.keys("*"):
                if key != "in":
                    client.delete(key)

        forget()
        tally = Tally("private `stream --redis`")
        while tally.times < kills:
            seen: dict[int, str] = {}
            for last in [False] * min(ROW, kills - tally.times) + [True]:
                child = forked.start([*words, "--group", "g"], folder)
                if last:
                    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                else:
                    tally.times += 1
                    tally.killed += forked.kill_within(child, seconds, draw)
                entries = client.xrange("out")
                for _, fields in entries:
                    if seen.setdefault(int(fields["_index"]), str(fields)) != str(
                        fields
                    ):
                        tally.fault(f"{tally.what}: {fields['_index']} has two noises")
            index = [int(fields["_index"]) for _, fields in entries]
            if code or index != list(range(RECORDS // 2)):
                tally.fault(f"{tally.what}: exit {code}; {forked.said()}")
            else:
                tally.new += 1
            forget()
        yield tally
        tally = Tally("`stream --redis`, the server killed and started again")
        while tally.times < kills // 5:
            tally.times += 1
            child = forked.start([*words, "--group", "g"], folder)
            time.sleep(draw.random() * seconds)
            process.kill()
            process.wait()
            time.sleep(draw.random() * 0.2)
            process = serve()
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            index = [int(fields["_index"]) for _, fields in client.xrange("out")]
            tally.killed += 1
            if code or index != list(range(RECORDS // 2)):
                tally.fault(f"{tally.what}: exit {code}; {forked.said()}")
            else:
                tally.new += 1
            forget()
        yield tally
    finally:
        process.kill()
        process.wait()
