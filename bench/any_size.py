"""Files larger than memory, each run in a process of its own: ``python -m bench.any_size``.

    python -m bench.any_size --records 100000000 --folder /tmp/large --memory 4GB

generates six columns (three numbers that are masked, two of text, a score), runs commands and
measures on them from the disk, and prints CPU seconds, microseconds per record, the peak of resident
memory, what was predicted before, and the same by stage. ``--runs noise,PIL`` runs some of them. The
same with 1,000,000 and 20,000,000 records shows whether memory grows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SOURCE, RELEASE = "in.parquet", "out.parquet"
NUMBERS, KEYS = ["income", "age", "height"], ["region", "job"]
ROLES = ["--release-as-is", "region,job,score", "--seed", "1", "--force"]
QUASI = ["--quasi", "income,age,height"]
ALONE = ["--quasi", "income,age", "--confidential", "height"]
# recoded to classes, then fewer than five of a combination lose cells
SUPPRESS = """
[[steps]]
method = "recoding"
columns = ["income", "age"]
bins = 10
[[steps]]
method = "local_suppression"
k = 5
columns = ["income", "age", "region"]
"""
PROTECT = {
    "noise": ["--method", "noise", "--set", "percent=10", *QUASI],
    "rank swapping": ["--method", "rank_swapping", "--set", "p=5", *QUASI],
    "recoding and suppression": [
        "--plan",
        "plan.toml",
        "--quasi",
        "income,age,height,region",
        "--allow-unprotected",
    ],
    "shuffling": ["--method", "shuffling", "--set", 'given=["height"]', *ALONE],
    "IPSO": ["--method", "ipso", "--set", 'confidential=["height"]', *ALONE],
    "individual ranking": [
        "--method",
        "microaggregation",
        "--set",
        "partition=individual",
        *QUASI,
    ],
    "microaggregation in blocks": [
        "--method",
        "microaggregation",
        "--set",
        "k=5",
        "--blocks",
        "10000",
        *QUASI,
    ],
}
MEASURES = {"k_anonymity": ("risk", KEYS), "PIL": ("loss", NUMBERS)}


def write(path: Path, records: int) -> None:
    """The file, a million records at a time."""
    regions = pa.array([f"region {j}" for j in range(30)])
    jobs = pa.array([f"job {j}" for j in range(20)])
    writer = None
    for first in range(0, records, 1_000_000):
        n = min(1_000_000, records - first)
        rng = np.random.default_rng(first // 1_000_000 + 1)
        table = pa.table(
            {
                "income": np.round(rng.lognormal(10, 0.7, n), 0),
                "age": np.round(rng.normal(45, 15, n).clip(0, 99), 0),
                "height": np.round(rng.normal(170, 10, n), 1),
                "region": regions.take(pa.array(rng.integers(0, 30, n))),
                "job": jobs.take(pa.array(rng.integers(0, 20, n))),
                "score": rng.integers(0, 100, n),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


class Stages:
    """CPU seconds and peak memory between the ends of named stages."""

    def __init__(self) -> None:
        self.found: list[tuple[str, float, float]] = []
        self.last = 0.0

    def end(self, name: str) -> None:
        """A stage has ended."""
        now = time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        self.found.append((name, now - self.last, peak))
        self.last = now

    def after(self, module: Any, function: str, name: str) -> None:
        """A call of this function ends the stage."""
        work: Callable[..., Any] = getattr(module, function)

        def staged(*given: Any, **named: Any) -> Any:
            result = work(*given, **named)
            self.end(name)
            return result

        setattr(module, function, staged)


def protect(words: list[str], stages: Stages) -> None:
    """``tacit protect``, from the disk."""
    from tacit.cli import main, options
    from tacit.cli import protect as command
    from tacit.plan import release
    from tacit.plan.row_order import RowOrder

    stages.end("start")
    stages.after(options, "read", "kinds and roles")
    stages.after(release, "look", "what would leave by accident")
    stages.after(command, "_masked", "masking")
    stages.after(RowOrder, "arranged", "new order of the rows")
    stages.after(release, "write", "writing, and the hashes of both files")
    sys.argv = ["tacit", "protect", SOURCE, RELEASE, *ROLES, *words]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


def measure(name: str, memory: str, stages: Stages) -> float:
    """A measure of the release (or of the file beside itself); CPU seconds that were predicted."""
    from tacit import loss, risk
    from tacit.scale import assess_cost
    from tacit.scale.any_size import place_of

    room, columns = MEASURES[name]
    registry = {"risk": risk.registry, "loss": loss.registry}[room]
    released = RELEASE if Path(RELEASE).exists() and room == "loss" else SOURCE
    stages.end("start")
    with place_of(SOURCE, RELEASE, memory, files=2) as place:
        assert place.on_disk, place.sentence
        original = place.read(SOURCE, quasi=columns)
        masked = place.read(released, original.schema)
        stages.end("kinds and roles of both files")
        registry[name](original, masked)
        stages.end("the measure")
        found = assess_cost.assess_cost(
            original, masked, {}, original.n, 0, place.limit, on_disk=True
        )
    opened = assess_cost.OPENED["disk"] * (len(original.names) + len(masked.names))
    start = assess_cost.START["disk"]
    return start + original.n / 1e6 * opened + found.parts[name]


def one(name: str, memory: str) -> None:
    """One run, in this process; what it took is printed as JSON."""
    stages = Stages()
    predicted = None
    if name in PROTECT:
        protect([*PROTECT[name], "--memory", memory], stages)
    else:
        predicted = measure(name, memory, stages)
    print(json.dumps({"predicted": predicted, "stages": stages.found}))


def predicted(name: str, memory: str) -> float | None:
    """What ``--dry-run`` says."""
    words = [sys.executable, "-m", "tacit", "protect", SOURCE, "dry.parquet", *ROLES]
    words += [*PROTECT[name], "--memory", memory, "--dry-run", "--json"]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    return float(json.loads(said.stdout)["cpu_seconds"]) if said.stdout else None


def run(name: str, records: int, memory: str) -> None:
    """One run in a process of its own, as a line of a table, and its stages."""
    said = predicted(name, memory) if name in PROTECT else None
    words = [sys.executable, "-m", "bench.any_size", "--one", name, "--memory", memory]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(
            f"| {name} | failed: {done.stderr.strip().splitlines()[-1]} |", flush=True
        )
        return
    found = json.loads(done.stdout.strip().splitlines()[-1])
    said = found["predicted"] if said is None else said
    seconds = sum(each for _, each, _ in found["stages"])
    peak = max(most for _, _, most in found["stages"])
    told = "" if said is None else f"{said:,.0f}"
    each = 1e6 * seconds / records
    print(f"| {name} | {seconds:,.1f} | {told} | {each:.2f} | {peak:,.0f} MB |")
    for stage, spent, most in found["stages"]:
        print(f"|   {stage} | {1e6 * spent / records:.2f}, {most:,.0f} MB |")
    sys.stdout.flush()


def main() -> None:
    """Generate, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/any-size"))
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--runs", default=",".join([*PROTECT, *MEASURES]))
    parser.add_argument("--one", help="run one in this process")
    given = parser.parse_args()
    if given.one:
        one(given.one, given.memory)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).resolve().parents[1]
    os.chdir(given.folder)
    os.environ["PYTHONPATH"] = f"{here}:{here / 'src'}"
    os.environ["TACIT_PROGRESS"] = "off"
    Path("plan.toml").write_text(SUPPRESS, encoding="utf-8")
    if not Path(SOURCE).exists() or pq.read_metadata(SOURCE).num_rows != given.records:
        write(Path(SOURCE), given.records)
    print("| run | CPU seconds | predicted | microseconds per record | peak |")
    print("|---|---|---|---|---|")
    for name in given.runs.split(","):
        run(name, given.records, given.memory)


if __name__ == "__main__":
    main()
