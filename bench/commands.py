"""The commands as people call them, from 10,000 records on: CPU seconds of the whole process, with
loading and reading, and the exponent that is fitted to them. Compared with a budget: seconds of
the clock, which must not pass it by more than 5 %.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.csv as csv

from bench import Row
from tacit.data.datasets.census import make_census

COLUMNS = 10
SIZES = (10_000, 31_623, 100_000, 1_000_000)
"""Records of the files."""
BUDGET = 20
"""Seconds of the comparison."""
COMPARED = (10_000, 100_000)
"""Records of the files that are compared in it."""
PLANS = """
[[plans]]
method = "noise"
percent = { values = [5, 10, 20, 40] }
[[plans]]
method = "microaggregation"
k = { values = [3, 10, 30] }
"""


@dataclass(frozen=True)
class Spent:
    """What one command took."""

    cpu: float
    wall: float
    memory_mb: float


def spent(*command: str) -> Spent:
    """Run the command line; its exit code 2 (no plan is safe) is an answer, too."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tacit", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 2):
        raise RuntimeError(f"tacit {command[0]} ended with {process.returncode}")
    return Spent(
        usage.ru_utime + usage.ru_stime,
        time.perf_counter() - start,
        usage.ru_maxrss / 1e3,
    )


def measured(folder: Path, n: int) -> Iterator[Row]:
    """Every command on a file of n records."""
    original = folder / f"{n}.csv"
    masked = folder / f"{n}.masked.csv"
    table = make_census(n, seed=1)
    csv.write_csv(table.select(table.column_names[:COLUMNS]), original)
    manifest = f"{masked}.manifest.json"
    commands = {
        "protect": ("--method", "microaggregation", "--set", "k=5", "--force"),
        "risk": (),
        "assess": ("--plan", manifest, "--html", str(folder / "r.html"), "--force"),
    }
    for name, options in commands.items():
        files = [str(original)] if name == "risk" else [str(original), str(masked)]
        took = spent(name, *files, *options)
        yield Row(
            f"tacit {name}, census-like {n:,} x {COLUMNS}",
            took.cpu,
            memory_mb=took.memory_mb,
            note=f"CPU seconds of the process; {took.wall:.1f} s of the clock",
            size=n,
            series=f"tacit {name}",
        )
    # the clock is the budget's whatever the size: two sizes show it
    if n not in COMPARED:
        return
    plans = folder / "plans.toml"
    plans.write_text(PLANS)
    took = spent(
        "compare", str(original), "--plans", str(plans), "--budget", f"{BUDGET}"
    )
    yield Row(
        f"tacit compare --budget {BUDGET}, census-like {n:,} x {COLUMNS}",
        took.wall,
        note=f"seconds of the clock, {took.wall / BUDGET - 1:+.1%} of the budget",
        size=n,
        series="tacit compare --budget",
    )


def run(full: bool) -> Iterator[Row]:
    """Small files first: what a short run leaves out are the large ones."""
    with TemporaryDirectory() as folder:
        # once on a small file, so that kernels are compiled
        for _ in measured(Path(folder), 3_000):
            pass
        for n in SIZES:
            yield from measured(Path(folder), n)
