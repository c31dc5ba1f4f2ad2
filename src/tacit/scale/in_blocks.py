"""Steps of a plan whose columns do not fit in memory, done in blocks of a 2^d-tree.

Microaggregation looks at all its columns at once. Where these do not fit, ``chosen`` says which
steps form their groups inside blocks, and ``InBlocks.mask`` runs the plan so: look, row order and
manifest are those of every release. Groups then differ from those of memory, so that the manifest
keeps the choice (``IN_BLOCKS``), and ``tacit verify`` repeats it in whatever memory there is. Not
done in blocks, but refused for want of memory: categories and dates (a median or mode of a block
would be another), weighted means, missing codes, persons and households.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import InputError, ParameterError
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import BATCH
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.microdata import Kind, Microdata, Role, Schema
from tacit.data.out_of_core.pieces import spans
from tacit.plan.plan import Plan, Table
from tacit.protect.base import Protector
from tacit.protect.file_parts import has_units
from tacit.protect.parted import strata_columns
from tacit.scale.protect import protect

BLOCKS = "blocks"
"""The entry by which a manifest of ``tacit large protect`` is known."""
IN_BLOCKS = "in_blocks"
"""Where a manifest says which steps were done in blocks, and how large these may be."""
GROUPED = "microaggregation"
"""The method whose groups depend on the blocks."""
LEAF = 10_000
"""Records of a block at most: as ``tacit large protect`` has it."""


def runs_in_blocks(method: Protector, data: Microdata) -> bool:
    """Do groups formed inside blocks keep the meaning of this step on this file?"""
    if method.scales != "blocks" or method.needs_whole_file() is not None:
        return False
    columns = [data.schema[name] for name in method.touches(data)]
    plain = all(one.scale is Kind.continuous and not one.missing for one in columns)
    weighted = getattr(method, "weighted", False) and data.schema.names(
        role=Role.weight
    )
    alone = not strata_columns(method) and not has_units(data)
    return plain and not weighted and alone


def asked_for(
    plan: Plan, data: Microdata, leaf: int, memory: int, folder: Path | None
) -> InBlocks:
    """Every step that forms groups does so in blocks of at most ``leaf`` records, as was asked.

    Raises where no step can: whoever asks for blocks must not get a release without them.
    """
    data = plan.with_roles(data)
    steps = enumerate(zip(plan.steps, plan.protectors(), strict=True), start=1)
    grouped = [
        number
        for number, (step, method) in steps
        if step.method == GROUPED and runs_in_blocks(method, data)
    ]
    if not grouped:
        raise ParameterError(
            "--blocks: no step of the plan forms groups of numbers by distance (microaggregation "
            "with the partitions mdav, vmdav or mu-approx, of numbers without missing codes, in "
            "a file of one row per person); leave --blocks out"
        )
    return InBlocks(dict.fromkeys(grouped, leaf), memory, folder, asked=True)


@dataclass(frozen=True)
class InBlocks:
    """The steps of a plan that are done in blocks: number of the step, from 1 -> leaf."""

    leaf: Mapping[int, int]
    memory: int
    folder: Path | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    """What ``tacit large protect`` was asked for: columns, what blocks are cut on, categories."""
    asked: bool = False
    """Somebody asked for blocks, whatever would fit."""

    def entry(self) -> Table:
        """What the manifest keeps."""
        return {IN_BLOCKS: {str(step): leaf for step, leaf in self.leaf.items()}}

    def sentence(self, plan: Plan) -> str:
        """What is done otherwise than in memory, and why."""
        names = ", ".join(f"{n} ({plan.steps[n - 1].method})" for n in self.leaf)
        most = max(self.leaf.values())
        if self.asked:
            why = f"groups of step {names} are"
        else:
            limit = f"{self.memory / 1e9:.3g} GB"
            why = f"the columns of step {names} do not fit in {limit}: groups are"
        return (
            f"{why} formed inside blocks of at most {most:,} near records (2^d-tree), which loses "
            "a little more and gives other bytes than without blocks; the manifest says so"
        )

    @classmethod
    def of(
        cls, manifest: Table, source: object, memory: int, folder: Path | None = None
    ) -> InBlocks | None:
        """As a manifest says it; None: no step was."""
        large = manifest.get(BLOCKS)
        if large is not None:
            # a release of ``tacit large protect``: one step, all of it in blocks
            return cls({1: int(large["leaf"])}, memory, folder, large)
        entry = manifest.get(IN_BLOCKS)
        if entry is None:
            return None
        try:
            leaf = {int(step): int(size) for step, size in entry.items()}
        except (AttributeError, TypeError, ValueError):
            raise InputError(f"{source}: its blocks cannot be read") from None
        return cls(leaf, memory, folder)

    def mask(
        self, plan: Plan, data: Microdata, outcomes: list[Table] | None = None
    ) -> Microdata:
        """``Plan.mask``, with these steps in blocks."""
        masked: Microdata = self.done(plan).mask(data, outcomes)
        return masked

    def done(self, plan: Plan) -> Plan:
        """The plan with these steps in blocks, for whoever runs it again."""
        # what is masked record by record is the same in blocks and without
        steps = [n for n in self.leaf if plan.steps[n - 1].method == GROUPED]
        return replace(plan, instead=dict.fromkeys(steps, self._masked))

    def _masked(self, number: int, method: Protector, data: Microdata) -> Microdata:
        """What one step makes of a file, on the disk or in memory."""
        data, columns = method._start(data, reset=True)
        columns = list(self.request.get("columns") or columns)
        cut_on = self.request.get("split_on")
        if self.request.get("categorical"):
            raise InputError(
                "steps in blocks with categories cannot be run again here: repeat the release "
                "with tacit verify"
            )
        given = method.changed_parameters()
        given.pop("columns", None)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="blocks-") as name:
            folder = Path(name)
            source, out = folder / "in.parquet", folder / "out.parquet"
            _write(data, [*dict.fromkeys([*columns, *(cut_on or [])])], source)
            protect(
                source,
                out,
                method=GROUPED,
                parameters=given,
                columns=columns,
                split_on=cut_on,
                drop=[],
                leaf=self.leaf[number],
                memory=self.memory,
            )
            return _with_masked(data, columns, ParquetParts.of(out))


def _write(data: Microdata, columns: list[str], path: Path) -> None:
    """The columns as a Parquet file."""
    if isinstance(data, OnDisk):
        tables = data.disk.in_turn(BATCH, columns)
        schema = data.disk.select(columns).schema
    else:
        tables = iter([data.table.select(columns)])
        schema = data.table.select(columns).schema
    # what the file says of its columns is not asked for again
    schema = schema.remove_metadata()
    with pq.ParquetWriter(path, schema) as writer:
        for table in tables:
            writer.write_table(table.replace_schema_metadata(None))


def _with_masked(
    data: Microdata, columns: list[str], masked: ParquetParts
) -> Microdata:
    """The file with the masked columns, in the decimals that it has."""
    schema = data.schema.select(columns)
    if not isinstance(data, OnDisk):
        rounded = _rounded(masked.read(columns), schema)
        return data.with_numbers(columns, rounded.numbers(columns))

    def pieces() -> Iterator[pa.Table]:
        for first, stop in spans(data.n):
            some = pa.concat_tables(masked.in_turn(columns, first, stop))
            yield _rounded(some.combine_chunks(), schema).table

    written = data.disk.folder.write(pieces())
    return data.with_spilled(columns, written, data.schema)


def _rounded(table: pa.Table, schema: Schema) -> Microdata:
    data = Microdata(table, schema, NativeFrame.of(table))
    names = table.column_names
    return data.with_numbers(names, data.numbers(names))
