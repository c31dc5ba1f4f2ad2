"""Full disks, closed folders, two processes at once: nobody is killed, but the work cannot end."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from tools.kills import forked
from tools.kills.people import people
from tools.kills.tally import OLD, Tally


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
    blocks = ["protect", "in.parquet", "out.parquet", "--force", "--seed", "5"]
    blocks += ["--method", "microaggregation", "--blocks", "100"]
    cases.append(("disk full, `protect --blocks`", blocks, "out.parquet"))
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
