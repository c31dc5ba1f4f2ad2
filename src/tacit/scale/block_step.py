"""One step of a plan in blocks of a 2^d-tree: on this machine, or by the workers of a cluster.

The columns that the step looks at are written to a Parquet file in the folder of the run,
``scale.protect`` treats that file block by block, and the file takes the masked columns back. In a
run that may go on, the file and its finished bins stay in the folder of the run.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import ColumnError, InputError
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import BATCH
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.pieces import spans
from tacit.protect.base import Protector
from tacit.scale.checkpoint import write_whole
from tacit.scale.engine.base import Cancel, Engine, ItemsDone
from tacit.scale.protect import protect
from tacit.scale.run_result import BlockRelease

GROUPED = "microaggregation"
"""The method whose groups depend on the blocks."""
# what records carry through the blocks; Spark also tells names apart without their case
_TAKEN = frozenset(("row", "block", "_error", "_block", "_file", "_first", "_at"))


@dataclass(frozen=True)
class Cut:
    """How a file is cut into the blocks of one step."""

    leaf: int | Literal["auto"]
    split_on: tuple[str, ...] = ()
    """The columns that blocks are cut on; those that are masked, unless given."""
    columns: tuple[str, ...] = ()
    """What is masked, where the step does not say it (``tacit large`` of earlier releases)."""
    categorical: tuple[str, ...] = ()
    """Columns whose numbers are codes, where the schema does not say it (likewise)."""


@dataclass(frozen=True)
class Room:
    """What blocks may use: memory, a folder, workers."""

    memory: int
    folder: Path | None = None
    """Where pieces are written; on a cluster every worker sees it. The system's, if None."""
    engine: Engine | None = None
    keeps: bool = False
    """What is finished stays in the folder, and a later run goes on from it."""
    progress: ItemsDone | None = None
    cancel: Cancel | None = None

    @property
    def cluster(self) -> Engine | None:
        """The workers of a cluster; None: this machine, with a thread for every core."""
        engine = self.engine
        return engine if engine is not None and engine.reach == "cluster" else None

    @contextmanager
    def of_step(self, number: int) -> Iterator[Path]:
        """The folder of a step, which is removed unless the run may have to go on from it."""
        if self.keeps and self.folder is not None:
            # bins of this machine are no groups of a cluster
            where = "here" if self.cluster is None else self.cluster.name
            folder = self.folder / f"blocks-{number}-{where}"
            folder.mkdir(mode=0o700, exist_ok=True)
            yield folder
            return
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="blocks-") as name:
            yield Path(name)


def refuse_cuts(data: Microdata, names: tuple[str, ...]) -> None:
    """Blocks are cut on numbers and categories that the file has."""
    for name in names:
        # a schema names its columns when it is asked for one that is not there
        column = data.schema[name]
        if column.kind is Kind.date or column.missing:
            what = "dates" if column.kind is Kind.date else "missing codes"
            raise ColumnError(
                f"--split-on {name}: it holds {what}, and blocks are cut on numbers and "
                "categories; name other columns"
            )


def masked_in_blocks(
    number: int, method: Protector, data: Microdata, cut: Cut, room: Room, price: int
) -> tuple[Microdata, BlockRelease]:
    """What one step makes of a file, on the disk or in memory, and the figures of its blocks."""
    data, touched = method._start(data, reset=True)
    columns = list(cut.columns or touched)
    cut_on = list(cut.split_on or columns)
    categories = [
        name
        for name in dict.fromkeys([*columns, *cut_on])
        if data.schema[name].scale is not Kind.continuous or name in cut.categorical
    ]
    if set(columns) & set(categories):
        raise InputError(
            "steps in blocks with categories cannot be run again here: repeat the release "
            "with tacit verify"
        )
    given = method.changed_parameters()
    given.pop("columns", None)
    names = _names([*dict.fromkeys([*columns, *cut_on])])
    with room.of_step(number) as folder:
        source, out = folder / "in.parquet", folder / "out.parquet"
        noted = folder / "figures.json"
        if not source.exists():
            write_columns(data, names, source)
        if not noted.exists():
            done = protect(
                source,
                out,
                method=GROUPED,
                parameters=given,
                columns=[names[name] for name in columns],
                split_on=[names[name] for name in cut_on],
                categorical=[names[name] for name in categories],
                drop=[],
                leaf=cut.leaf,
                memory=room.memory,
                engine=room.cluster,
                resume=room.keeps,
                price=price,
                progress=room.progress,
                cancel=room.cancel,
            )
            write_whole(noted, json.dumps(done.to_dict()).encode())
        figures = BlockRelease.of(json.loads(noted.read_text()))
        masked = ParquetParts.of(out)
        return _with_masked(
            data, {name: names[name] for name in columns}, masked
        ), figures


def _names(names: list[str]) -> dict[str, str]:
    """The names that columns have in the file of the blocks: their own, wherever these will do."""
    lower = [name.lower() for name in names]
    return {
        name: f"{place} {name}"
        if lower.count(name.lower()) > 1 or name.lower() in _TAKEN
        else name
        for place, name in enumerate(names)
    }


def write_columns(data: Microdata, names: Mapping[str, str], path: Path) -> None:
    """Columns, under the names that they have there, as a Parquet file that appears whole."""
    columns = list(names)
    if isinstance(data, OnDisk):
        tables = data.disk.in_turn(BATCH, columns)
        schema = data.disk.select(columns).schema
    else:
        tables = iter([data.table.select(columns)])
        schema = data.table.select(columns).schema
    # what the file says of its columns is not asked for again
    fields = [pa.field(names[known.name], _signed(known.type)) for known in schema]
    unfinished = path.with_suffix(".part")
    with pq.ParquetWriter(unfinished, pa.schema(fields)) as writer:
        for table in tables:
            renamed = table.rename_columns([names[name] for name in columns])
            writer.write_table(renamed.cast(pa.schema(fields)))
    os.replace(unfinished, path)


def _signed(kind: pa.DataType) -> pa.DataType:
    """The type with a sign: Spark has no other."""
    unsigned = pa.types.is_unsigned_integer(kind) and kind != pa.uint64()
    return pa.int64() if unsigned else kind


def _with_masked(
    data: Microdata, names: Mapping[str, str], masked: ParquetParts
) -> Microdata:
    """The file with the masked columns, in the decimals that it has."""
    columns = list(names)
    schema = data.schema.select(columns)
    if not isinstance(data, OnDisk):
        table = masked.read(list(names.values())).rename_columns(columns)
        return data.with_numbers(columns, _rounded(table, schema).numbers(columns))
    types = data.disk.select(columns).schema.remove_metadata()

    def pieces() -> Iterator[pa.Table]:
        for first, stop in spans(data.n):
            some = pa.concat_tables(masked.in_turn(list(names.values()), first, stop))
            some = some.combine_chunks().rename_columns(columns)
            rounded = _rounded(some, schema).table
            yield pa.table(
                [rounded.column(name).cast(types.field(name).type) for name in columns],
                names=columns,
            )

    written = data.disk.folder.write(pieces())
    return data.with_spilled(columns, written, data.schema)


def _rounded(table: pa.Table, schema: Schema) -> Microdata:
    data = Microdata(table, schema, NativeFrame.of(table))
    names = table.column_names
    return data.with_numbers(names, data.numbers(names))
