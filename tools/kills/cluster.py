"""A cluster run killed, driver and Java together: `tacit protect --blocks --engine local[2]`."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from tools.kills.people import people
from tools.kills.resumed import ROW
from tools.kills.tally import Tally

COMMAND = (
    "protect in.parquet out.parquet --method microaggregation --quasi age,income,hours "
    "--blocks 2000 --seed 5 --force --allow-unprotected --engine local[2] --resume"
)


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """The run in a process group of its own, to which the Java process belongs."""
    words = [sys.executable, "-m", "tacit", *COMMAND.split()]
    with (folder / "stderr.txt").open("ab") as kept:
        return subprocess.Popen(
            words, cwd=folder, stdout=kept, stderr=kept, start_new_session=True
        )


def killed(folder: Path, seconds: float) -> bool:
    """Was a run still working after so many seconds? Then it is killed."""
    process = begin(folder)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def spark(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Kills are counted that hit a working run: a run that came to its end begins anew."""
    if shutil.which("java") is None:
        return
    pq.write_table(people(20_000), folder / "in.parquet", row_group_size=4000)
    tally = Tally("`protect --blocks --engine local[2] --resume`")
    log = folder / "stderr.txt"
    began = time.monotonic()
    assert begin(folder).wait() == 0, log.read_text()[-800:]
    lasts = time.monotonic() - began
    wanted = (folder / "out.parquet").read_bytes()
    while tally.killed < kills:
        (folder / "out.parquet").unlink(missing_ok=True)
        shutil.rmtree(folder / "out.parquet.work", ignore_errors=True)
        for _ in range(min(ROW, kills - tally.killed)):
            tally.times += 1
            if not killed(folder, draw.random() * lasts):
                break
            tally.killed += 1
        code = begin(folder).wait()
        if code == 0 and (folder / "out.parquet").read_bytes() == wanted:
            tally.new += 1
        else:
            tally.fault(f"exit {code}: {log.read_text()[-400:]}")
    yield tally
