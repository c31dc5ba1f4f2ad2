"""A file on the disk as its different records, each with the number of records that are like it.

A generalisation looks at nothing else: classes are counted from these, and every record takes what
became of the one that it is like. So a file of any length takes the memory of its distinct
combinations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats, Ints
from tacit.data import units
from tacit.data.category_codes import decode_categories, decode_numbers
from tacit.data.frames import NativeFrame
from tacit.data.hierarchies.rule import Rule
from tacit.data.hierarchies.tree import coded
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.key_counts import KeyCounts, numbers_of
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.protect import by_address
from tacit.protect.grouping.few_combinations import counted_combinations
from tacit.protect.lattice.writing import NewValues


@dataclass(frozen=True)
class DistinctRecords:
    """Records that stand for those of a file."""

    data: Microdata
    """One record for each combination; of a file in memory, the file."""
    times: Ints | None = None
    """How many records each stands for; None: one."""
    counts: KeyCounts | None = None
    """The combination of every record, by its place in ``data``; None: the record itself."""
    file: OnDisk | None = None
    """The file that they stand for; None: themselves."""
    word: str = "record"
    """What the file's records are, where each is one: person or record."""

    @classmethod
    def of(cls, data: OnDisk, names: Sequence[str]) -> DistinctRecords:
        """The different combinations of these columns, with the categories of the file."""
        names = list(names)
        counts = counted_combinations(data, names)
        found = list(counts.in_turn())
        keys = np.concatenate([some for some, _ in found])
        times = np.concatenate([size for _, size in found])
        schema = data.with_date_formats(data.closed(names), names).select(names)
        types = data.disk.schema
        columns = [
            _values(schema, name, keys[:, j], types.field(name).type)
            for j, name in enumerate(names)
        ]
        table = pa.table(columns, names=names)
        records = Microdata(table, schema, NativeFrame.of(table))
        return cls(records, times, counts, data, units.persons(data).word)

    def name_row(self, rules: Mapping[str, Rule]) -> None:
        """Raise, where a value is not covered, with the row of the file that has it."""
        for name, rule in rules.items():
            if self.file is not None:
                coded(rule, self.file.held([name]), name)

    def written(
        self, data: Microdata, made: Sequence[NewValues], cell: Ints
    ) -> Microdata:
        """The file with new values.

        Parameters
        ----------
        data : Microdata
            The file.
        made : list of NewValues
            What becomes of each column, by cell.
        cell : array
            The cell of each of these records.
        """
        if self.counts is None or not isinstance(data, OnDisk):
            for column in made:
                data = column.put(data, cell)
            return data
        changed = [column for column in made if not column.unchanged]
        if changed:
            data = self._from_disk(data, changed, cell)
        self.counts.remove()
        return data

    def _from_disk(self, data: OnDisk, made: Sequence[NewValues], cell: Ints) -> OnDisk:
        assert self.counts is not None
        folder, names = data.disk.folder, [column.name for column in made]
        number = self.counts.numbers(folder)
        closed = data.with_date_formats(data.closed(names), names).select(names)
        work = _Put(data.disk.select(names), closed, number, cell, tuple(made))
        items = [(*span, folder.next_file()) for span in spans(data.n)]
        after = mapped(work, items)[0]
        number.remove()
        for column in made:
            name = column.name
            if column.labels is None:
                opened = by_address.opened(after.select([name]), data.schema)[name]
            else:
                # memory has not looked how dates were written that are classes now
                form = data.schema[name].date_format
                opened = replace(after[name], date_format=form)
            after = after.put(opened)
        written = SpilledColumns(tuple(path for _, _, path in items))
        return data.with_spilled(names, written, after)


@dataclass(frozen=True)
class _Put:
    """Item: (first, stop, file). The new values of a span of records, written."""

    table: DiskTable
    schema: Schema
    number: NumberFiles
    cell: Ints
    made: tuple[NewValues, ...]

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        span = next(self.table.in_turn(stop - first, None, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        cell = self.cell[self.number.read(first, stop)]
        for column in self.made:
            block = column.put(block, cell)
        write_columns(path, [block.table])
        return block.schema


def _values(schema: Schema, name: str, keys: Ints, type_: pa.DataType) -> pa.Array:
    """Keys of a column as its values again."""
    if schema[name].scale is Kind.continuous:
        return decode_numbers(numbers_of(keys), type_)
    codes: Floats = np.where(keys < 0, np.nan, keys)
    return decode_categories(codes, schema[name].categories or (), type_)
