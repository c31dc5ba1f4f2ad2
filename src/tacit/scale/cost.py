"""What a run will cost, before it starts: bytes, passes and CPU time from a linear model.

    CPU seconds = start + n / 10^6 * (look c + text t + write r + sum over steps of way m)

for n records of c columns, t of them text, r released, and steps that mask m columns each in their
way. Persons and households (``units``) cost the same for each column that is masked and each that
numbers them. The constants are microseconds per record and column. They were fitted once
(``python -m bench.cost``, least squares on relative errors, one thread at 2.8 GHz) for memory and
for the disk, and are not measured on the spot: that would cost what it is to predict. Methods
that look at columns ``together`` differ among themselves: their constant is that of local
suppression with thousands of values in each key. ``sums``: that of ``sorts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from tacit.data import lazy
from tacit.data.io import csv
from tacit.data.io.parquet_parts import ParquetParts, files_of
from tacit.data.microdata import Kind, Microdata, Role, Schema
from tacit.plan.plan import Plan
from tacit.scale.partition.leaf_size import seconds as leaf_seconds
from tacit.scale.table_names import is_table

# start: seconds of the program with its libraries and kernels; the others: microseconds per
# record and column, by where the file is worked on. Fitted on a busy machine: memory to 400,000
# records (keys with thousands of values), the disk to 2,000,000 (keys with 20 values each)
MEMORY: Mapping[str, float] = {
    "start": 1.1,
    "look": 0.0,
    "text": 0.66,
    "write": 0.0,
    "records": 0.34,
    "values": 0.34,
    "ranks": 0.76,
    "sorts": 0.76,
    "sums": 0.76,
    "keys": 7.9,
    "together": 7.9,
    "units": 0.7,
}
DISK: Mapping[str, float] = {
    "start": 1.6,
    "look": 0.084,
    "text": 0.12,
    "write": 0.084,
    "records": 0.093,
    "values": 0.0,
    "ranks": 0.67,
    "sorts": 0.70,
    "sums": 0.70,
    "keys": 0.16,
    "together": 7.5,
    "units": 1.0,
}
# whose columns say who belongs together
UNIT_ROLES = (Role.person, Role.household)
# Groups inside blocks: what the tree, the bins and the merge take, in microseconds per record and
# column (1,000,000 x 5 from the disk took 8.7 CPU seconds in all); leaf_size says what groups take
BLOCKED = 0.65
# ranges, moments, some levels of the tree, its leaves, bins, merge
BLOCKED_PASSES = 8
# bytes of a number in a file of pieces
WIDTH = 8
# what is looked at to know kinds and columns before the work
HEAD = 10_000
# passes of every run besides those of its steps: kinds and roles, what leaves, row order, write
USUAL_PASSES = 4
# passes of a step: learn and mask; sort, scatter and gather; all at once
PASSES = {
    "records": 2,
    "values": 2,
    "ranks": 4,
    "sorts": 8,
    "sums": 9,
    "keys": 3,
    "together": 1,
}


@dataclass(frozen=True)
class Cost:
    """What a run is expected to cost."""

    records: int
    columns: int
    bytes_read: int
    bytes_beside: int
    """Written beside the release meanwhile; 0 in memory."""
    passes: int
    cpu_seconds: float

    def sentence(self) -> str:
        """For the command line."""
        beside = "nothing else on the disk"
        if self.bytes_beside:
            beside = f"up to {self.bytes_beside / 1e9:.3g} GB on the disk meanwhile"
        return (
            f"{self.records:,} records of {self.columns} columns, "
            f"{self.bytes_read / 1e9:.3g} GB to read in {self.passes} passes, {beside}; "
            f"about {self.cpu_seconds:,.0f} CPU seconds ({self.cpu_seconds / 3600:.2g} hours)."
        )

    def afterwards(self, seconds: float, by_workers: float = 0.0) -> str:
        """How far off it was; ``by_workers``: CPU seconds besides those of this process."""
        took = seconds + by_workers
        off = 100 * (self.cpu_seconds / took - 1)
        who = ""
        if by_workers:
            who = (
                f", {seconds:,.1f} by this process and {by_workers:,.1f} by the workers"
            )
        return (
            f"Predicted {self.cpu_seconds:,.1f} CPU seconds, took {took:,.1f} "
            f"({off:+.0f} %){who}."
        )

    def to_dict(self) -> dict[str, float]:
        """Plain types."""
        return asdict(self)


def cost_of(
    plan: Plan,
    data: Microdata,
    records: int,
    size: int,
    *,
    on_disk: bool,
    in_blocks: Mapping[int, int] | None = None,
) -> Cost:
    """The cost of a plan on a file of so many records and bytes; ``data`` may be its head.

    ``in_blocks``: steps that form groups inside blocks, by number, with the size of these.
    """
    data = plan.with_roles(data)
    rates = DISK if on_disk else MEMORY
    released = len(plan.released(data))
    texts = [
        column for column in data.schema if column.kind in (Kind.nominal, Kind.text)
    ]
    each = rates["look"] * len(data.names) + rates["text"] * len(texts)
    each += rates["write"] * released
    passes, beside = USUAL_PASSES, WIDTH * released
    people = [column for column in data.schema if column.role in UNIT_ROLES]
    inside = 0.0
    for number, method in enumerate(plan.protectors(), start=1):
        way = method.passes_of(data)
        masked = len(method.touches(data))
        leaf = (in_blocks or {}).get(number)
        if leaf is not None:
            inside += leaf_seconds(records, masked, leaf)
            inside += records * masked * BLOCKED / 1e6
            passes += BLOCKED_PASSES
            beside += 3 * WIDTH * masked
            continue
        each += rates.get(way, rates["together"]) * max(masked, 1)
        if people:
            each += rates["units"] * (masked + len(people))
        passes += PASSES.get(way, 1)
        beside += WIDTH * masked
    return Cost(
        records,
        len(data.names),
        size,
        beside * records if on_disk else 0,
        passes,
        rates["start"] + records * each / 1e6 + inside,
    )


def head_of(
    source: str | Path,
    schema: Schema | None,
    encoding: str | None,
    roles: Mapping[str, object],
) -> tuple[Microdata, int, int] | None:
    """The first records of a file, how many there are, and its bytes; None: only reading tells."""
    path = Path(source)
    if is_table(source) or not lazy.is_file(source):
        return None
    if path.is_dir() or path.suffix.lower() in (".parquet", ".pq"):
        parts = ParquetParts.of(path)
        table = pa.concat_tables(parts.in_turn(parts.schema.names, 0, HEAD))
        size = size_of(path)
        records = parts.num_rows
    elif path.suffix.lower() in (".csv", ".tsv", ".txt"):
        size = size_of(path)
        dialect, codes = csv.beginning(path, encoding)
        reading, parsing, converting = csv.options(dialect, codes, in_order=False)
        with pacsv.open_csv(path, reading, parsing, converting) as stream:
            first = next(iter(stream), None)
        if first is None:
            return None
        table = pa.Table.from_batches([first])
        # lines are about as long as the first ones are
        length = min(reading.block_size, size) / max(table.num_rows, 1)
        records = table.num_rows if size <= reading.block_size else int(size / length)
    else:
        return None
    return Microdata.of(table, schema, **roles), records, size  # type: ignore[arg-type]  # roles


def size_of(source: str | Path) -> int:
    """Bytes of a file, or of the files of a folder; 0 for a table."""
    path = Path(source)
    return sum(file.stat().st_size for file in files_of(path)) if path.exists() else 0
