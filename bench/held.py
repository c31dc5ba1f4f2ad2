"""What each attacker holds: ``python -m bench.held [--records 1000000] [--columns 3] [--only NAME]``.

Every attack runs in a process of its own, on generated records in memory and from the disk, and says
the most memory that the process held. ``Attacker.holds`` must not say less: each line has what was
measured per record, without the program itself, beside what the attacker says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PLANS = {
    "noise10": ("noise", {"percent": 10}),
    "noise20": ("noise", {"percent": 20}),
    "microaggregation": ("microaggregation", {"k": 5, "partition": "mdav"}),
    "rank_swapping": ("rank_swapping", {"p": 5}),
}
RUNS = (
    ("nearest", "noise10"),
    ("assignment", "noise10"),
    ("assignment", "noise20"),
    ("aware", "noise10"),
    ("aware", "microaggregation"),
    ("aware", "rank_swapping"),
    ("rerun", "microaggregation"),
    ("reverse", "noise10"),
    ("groups", "noise10"),
    ("unchanged_columns", "noise10"),
)
"""Who attacks what."""
PROGRAM = 400e6
"""Bytes of a run on few records."""
HOUSEHOLD = 4
"""Records of a household, where households are linked as a whole."""


def write(folder: Path, n: int, columns: int, plan: str) -> None:
    """An original of correlated numbers and its release; rows stay where they are."""
    from tacit import protect
    from tacit.base.facts import draws_numbers

    rng = np.random.default_rng(1)
    common = rng.normal(size=(n, 1))
    x = 0.6 * common + rng.normal(size=(n, columns))
    names = [f"x{j}" for j in range(columns)]
    method, settings = PLANS[plan]
    if draws_numbers(protect.registry[method]):
        settings = settings | {"random_state": 1}
    z = np.asarray(protect.registry[method](**settings).fit_transform(x))
    household = np.arange(n) // HOUSEHOLD
    for name, values in (("original", x), ("masked", z)):
        table = {column: values[:, j] for j, column in enumerate(names)}
        pq.write_table(pa.table(table | {"hid": household}), folder / f"{name}.parquet")


def attack(folder: Path, name: str, plan: str, where: str) -> dict[str, object]:
    """One attack in this process."""
    from tacit import protect
    from tacit.attack import registry
    from tacit.data import io
    from tacit.data.io.on_disk import OnDisk

    columns = [
        name
        for name in pq.read_schema(folder / "original.parquet").names
        if name != "hid"
    ]
    roles = {"quasi": columns}
    if name == "groups":
        roles["household"] = ["hid"]
    files = []
    for number, file in enumerate(("original", "masked")):
        path = folder / f"{file}.parquet"
        if where == "disk":
            spill = folder / f"spill-{number}"
            spill.mkdir(exist_ok=True)
            files.append(OnDisk.open(path, spill, **roles))
        else:
            files.append(io.read(path, **roles))
    if name != "groups":
        files = [file.drop(["hid"]) for file in files]
    method, settings = PLANS[plan]
    known = {}
    if name in ("aware", "rerun"):
        known["plan"] = protect.registry[method](**settings)
    attacker = registry[name](**known)
    start = time.process_time()
    link = attacker.link(*files)
    holding = attacker.holding(files[0], on_disk=where == "disk")
    return {
        "peak": _most(),
        "cpu": time.process_time() - start,
        "rate": link.rate,
        "said": holding.bytes_of(1, len(columns)),
    }


def _most() -> int:
    """Most bytes that this program held; the system's count would hold its parent's, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if "VmHWM" in line) * 1024


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--records", type=int, default=1_000_000)
    asked.add_argument("--columns", type=int, default=3)
    asked.add_argument("--only", default="")
    asked.add_argument("--where", default="memory,disk")
    asked.add_argument("--one", nargs=3)
    options = asked.parse_args()
    if options.one:
        folder, name, plan = options.one
        print(json.dumps(attack(Path(folder), name, plan, options.where)))
        return
    for name, plan in RUNS:
        if options.only not in f"{name} {plan}":
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write(folder, options.records, options.columns, plan)
            for where in options.where.split(","):
                words = ["--one", place, name, plan, "--where", where]
                done = subprocess.run(
                    [sys.executable, "-W", "ignore", "-m", "bench.held", *words],
                    capture_output=True,
                    env=os.environ,
                    text=True,
                )
                if done.returncode:
                    said = done.stderr.strip().splitlines()[-1]
                    print(f"{name:18} {plan:17} {where:7} failed: {said}", flush=True)
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                # the program, its kernels and blocks that are kept are there whatever the size
                each = (found["peak"] - PROGRAM) / options.records
                print(
                    f"{name:18} {plan:17} {where:7} {options.records:>9,} x {options.columns} "
                    f"{found['peak'] / 1e9:6.2f} GB {each:6.0f} bytes each (said "
                    f"{found['said']}) {found['cpu']:6.1f} CPU s, rate {found['rate']:.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
