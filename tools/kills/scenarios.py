"""What is killed, and what must lie there afterwards."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from tools.kills import forked
from tools.kills.page import page
from tools.kills.tally import OLD, Scenario, Tally

#: kills in a row before a run may come to its end
ROW = 5


def people(n: int) -> pa.Table:
    """Some records to protect."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.normal(3000, 500, n), 2),
            "hours": np.round(rng.uniform(0, 60, n), 1),
        }
    )


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
    yield _resumed(
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
    """`tacit large protect`, with and without --resume."""
    pq.write_table(people(20_000), folder / "in.parquet", row_group_size=4000)
    out = folder / "out.parquet"
    words = [
        "large",
        "protect",
        "in.parquet",
        "out.parquet",
        "--quasi",
        "age,income,hours",
    ]
    words += ["--leaf", "500", "--seed", "5"]
    tally = Tally("`large protect`")
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
    yield _resumed(
        "`large protect --resume`", folder, words, out, kills, draw, Path.read_bytes
    )


def _resumed(
    what: str,
    folder: Path,
    words: list[str],
    out: Path,
    kills: int,
    draw: random.Random,
    content: Callable[[Path], object],
) -> Tally:
    """Killed several times in a row, then finished: the same as never killed."""
    tally = Tally(what)

    def clean() -> None:
        for left in folder.glob("*"):
            if left.name.startswith(("out.", "runs.", "state")):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    clean()
    began = time.monotonic()
    code = forked.finish(words, folder)
    seconds = time.monotonic() - began
    assert code == 0, forked.said()
    wanted = content(out)
    while tally.times < kills:
        clean()
        for _ in range(min(ROW, kills - tally.times)):
            tally.times += 1
            child = forked.start(words, folder)
            tally.killed += forked.kill_within(child, seconds, draw)
        code = forked.finish(words, folder)
        if code == 0 and content(out) == wanted:
            tally.new += 1
        else:
            tally.fault(f"{what}: exit {code}; {forked.said()}")
    return tally


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
        yield _resumed(what, folder, words, out, kills // 3 + 1, draw, Path.read_bytes)


def redis(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """A consumer of Redis: every record once, with the values of a run that was never killed."""
    from tacit.stream.sources.redis import connect

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


def room(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Disk full: files may not grow beyond a random size."""
    pacsv.write_csv(people(2000), folder / "in.csv")
    pq.write_table(people(2000), folder / "in.parquet")
    protect = [
        "protect",
        "--method",
        "noise",
        "--quasi",
        "age,income,hours",
        "--force",
        "--seed",
        "5",
    ]
    cases: list[tuple[str, list[str], str]] = [
        (
            f"disk full, `protect`, {ending}",
            [*protect, "in.csv", f"out.{ending}"],
            f"out.{ending}",
        )
        for ending in ("csv", "parquet", "xlsx", "sav", "dta", "feather", "arff")
    ]
    blocks = ["large", "protect", "in.parquet", "out.parquet", "--force", "--seed", "5"]
    cases.append(
        ("disk full, `large protect`", [*blocks, "--leaf", "100"], "out.parquet")
    )
    flow = [
        "stream",
        "--filter",
        "noise",
        "--in",
        "in.csv",
        "--out",
        "out.csv",
        "--force",
    ]
    cases.append(
        ("disk full, `stream`", [*flow, "--seed", "5", "--no-monitors"], "out.csv")
    )
    schema = ["schema", "in.csv", "-o", "out.toml", "--force"]
    cases.append(("disk full, `schema -o`", schema, "out.toml"))
    times = max(kills // len(cases), 1)
    for what, words, name in cases:
        tally = Tally(what)
        out = folder / name
        assert forked.finish(words, folder) == 0, forked.said()
        new = out.read_bytes()
        for _ in range(times):
            out.write_bytes(OLD)
            shutil.rmtree(folder / "out.parquet.work", ignore_errors=True)
            tally.times += 1
            limit = int(draw.random() * len(new))
            code = forked.finish(words, folder, forked.short_of_room(limit))
            tally.killed += code != 0
            if code not in (0, 2):
                tally.fault(f"{what}: exit {code}: {forked.said()}")
            tally.look(out, [new])
            left = [
                path.name
                for path in folder.iterdir()
                if path.name.startswith(".tacit-")
            ]
            if left:
                tally.fault(f"{what}: {left} left")
        yield tally


def tmpfs(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Disk full: a real file system of a few kilobytes (needs the right to mount)."""
    pacsv.write_csv(people(2000), folder / "in.csv")
    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(small)]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        return
    try:
        for ending in ("csv", "parquet", "xlsx", "sav", "arff"):
            tally = Tally(f"file system full, `protect`, {ending}")
            filled = small / "filled"
            words = [
                "protect",
                "in.csv",
                f"small/out.{ending}",
                "--method",
                "noise",
                "--force",
            ]
            words += ["--quasi", "age,income,hours"]
            for _ in range(max(kills // 20, 1)):
                (small / f"out.{ending}").write_bytes(OLD)
                filled.write_bytes(b"x" * int(draw.random() * 60_000))
                tally.times += 1
                code = forked.finish(words, folder)
                tally.killed += code != 0
                kept = {path.name for path in small.iterdir()}
                wanted = {"filled", f"out.{ending}"}
                if code == 0:
                    # there was room: the whole release, with its manifest
                    wanted.add(f"out.{ending}.manifest.json")
                    tally.new += 1
                else:
                    tally.look(small / f"out.{ending}", [])
                if code not in (0, 2) or kept != wanted:
                    tally.fault(f"exit {code}, there: {sorted(kept)}: {forked.said()}")
                for path in small.iterdir():
                    path.unlink()
            for path in small.iterdir():
                path.unlink()
            yield tally
    finally:
        subprocess.run(["umount", str(small)])


def closed(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """A folder that cannot be written, for a user who is not root."""
    pacsv.write_csv(people(60), folder / "in.csv")
    shut = folder / "shut"
    shut.mkdir()
    tally = Tally("folder that cannot be written")
    folder.chmod(0o777)
    nobody = 65534

    def prepare() -> None:
        if os.getuid() == 0:
            os.setgid(nobody)
            os.setuid(nobody)

    out = shut / "out.csv"
    protect = ["protect", "in.csv", "shut/out.csv", "--method", "noise", "--force"]
    for words in (
        [*protect, "--quasi", "age,income,hours"],
        ["schema", "in.csv", "-o", "shut/out.csv", "--force"],
        [
            "stream",
            "--filter",
            "noise",
            "--in",
            "in.csv",
            "--out",
            "shut/out.csv",
            "--force",
        ],
        [
            "assess",
            "in.csv",
            "in.csv",
            "--aligned",
            "--records",
            "shut/out.csv",
            "--force",
        ],
    ):
        out.write_bytes(OLD)
        shut.chmod(0o555)
        tally.times += 1
        code = forked.finish(words, folder, prepare)
        tally.killed += code != 0
        if code != 2:
            tally.fault(f"{words[0]}: exit {code}: {forked.said()}")
        tally.look(out, [])
        shut.chmod(0o777)
    yield tally


def both(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Two processes write one output at the same time, with --force and without."""
    pacsv.write_csv(people(1500), folder / "in.csv")
    out = folder / "out.csv"
    words = [
        "protect",
        "in.csv",
        "out.csv",
        "--method",
        "noise",
        "--quasi",
        "age,income,hours",
    ]
    new = []
    for seed in ("5", "6"):
        assert forked.finish([*words, "--seed", seed, "--force"], folder) == 0
        new.append(out.read_bytes())
    for how in (["--force"], []):
        tally = Tally(f"two at once, {how[0] if how else 'without --force'}")
        for _ in range(kills // 2):
            for left in (out, folder / "out.csv.manifest.json"):
                left.unlink(missing_ok=True)
            tally.times += 1
            children = [
                forked.start([*words, "--seed", s, *how], folder) for s in ("5", "6")
            ]
            ends = [
                os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children
            ]
            tally.killed += sum(code != 0 for code in ends)
            tally.look(out, new)
            if not how and sorted(ends) == [0, 0]:
                tally.fault("both say that they wrote it")
        yield tally


def spark(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit large protect --cluster local[2] --resume`: driver and Java are killed together."""
    if shutil.which("java") is None:
        return
    pq.write_table(people(20_000), folder / "in.parquet", row_group_size=4000)
    command = [sys.executable, "-m", "tacit", "large", "protect", "in.parquet", "out"]
    command += [
        "--quasi",
        "age,income,hours",
        "--leaf",
        "2000",
        "--seed",
        "5",
        "--force",
    ]
    command += ["--cluster", "local[2]", "--resume"]
    tally = Tally("`large protect --cluster local[2] --resume`")

    def begin() -> subprocess.Popen[bytes]:
        with (folder / "stderr.txt").open("ab") as kept:
            return subprocess.Popen(
                command, cwd=folder, stdout=kept, stderr=kept, start_new_session=True
            )

    began = time.monotonic()
    assert begin().wait() == 0, (folder / "stderr.txt").read_text()[-800:]
    seconds = time.monotonic() - began
    wanted = pq.read_table(folder / "out")
    while tally.times < kills:
        for left in ("out", "out.work"):
            shutil.rmtree(folder / left, ignore_errors=True)
        for _ in range(min(3, kills - tally.times)):
            tally.times += 1
            process = begin()
            time.sleep(draw.random() * seconds)
            if process.poll() is None:
                tally.killed += 1
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        code = begin().wait()
        if code == 0 and pq.read_table(folder / "out").equals(wanted):
            tally.new += 1
        else:
            tally.fault(f"exit {code}: {(folder / 'stderr.txt').read_text()[-400:]}")
    yield tally


ALL: dict[str, Scenario] = {
    "protect": protect,
    "compare": compare,
    "large": large,
    "stream": stream,
    "redis": redis,
    "page": page,
    "room": room,
    "tmpfs": tmpfs,
    "closed": closed,
    "both": both,
    "spark": spark,
}
