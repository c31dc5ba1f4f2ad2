"""A file on the disk as its different combinations of keys, which are few beside its records.

Whoever counts keys needs no record: a combination, how many records have it and what they weigh
together say as much. The combinations become a small file in memory whose rows stand for several
records each (``data.repeated``), so that every formula that counts records of a file counts them
here. Two combinations may be one person's: then the combination of every record stands on the disk,
person by person (``data.spread``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.key_counts import KeyColumns, count_keys, numbers_of
from tacit.data.out_of_core.key_tally import KeyTally, tally_keys
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.repeated import Repeated
from tacit.data.schema import Schema
from tacit.data.spread import Spread
from tacit.data.units import Units
from tacit.data.units_on_disk import UnitsOnDisk


@dataclass(frozen=True)
class Combinations:
    """The combinations of some columns of a file."""

    data: Microdata
    """One row for each, its columns as numbers (codes of categories); in memory."""
    units: Repeated
    """How many records each row stands for, and whose they are."""
    row: NumberFiles | None = None
    """The row of each record, where somebody has several or lives with others; on the disk."""

    @classmethod
    def of(
        cls,
        file: OnDisk,
        names: Sequence[str],
        weight: str | None = None,
        who: Units | None = None,
    ) -> Combinations:
        """The combinations of these columns, with the sum of a weight; ``who`` has the records."""
        if who is not None:
            return cls._placed(file, names, weight, who)
        keys, times, weights = tally(file, names, weight).read()
        return cls(_table(file, names, keys, weight, weights), Repeated.of(times))

    @classmethod
    def _placed(
        cls, file: OnDisk, names: Sequence[str], weight: str | None, who: Units
    ) -> Combinations:
        """The same where persons have several records, or live together."""
        keys, times, row = placed_keys(file, names)
        source = total = None
        if weight is not None:
            source = record_weights(file, weight)
            total = np.zeros(len(keys))
            for first, stop in spans(source.n):
                some, each = row.read(first, stop), source.read(first, stop)
                total += np.bincount(some, each, len(keys))
        units = Repeated.of(times)
        if not who.single:
            assert isinstance(who, UnitsOnDisk)
            numbers, folder = who.numbers, file.disk.folder
            ours = _by_person(numbers, row, folder, row.files, "<i4")
            weights = None
            if source is not None and weight is not None:
                reader = file.disk.readers[weight]
                weights = _by_person(numbers, source, folder, reader, "<f8")
            units = Spread.over(ours, times, numbers, weights)
        return cls(_table(file, names, keys, weight, total), units, row)


def _by_person(
    who: UnitNumbers,
    source: NumberSource,
    folder: SpillFolder,
    where: object,
    dtype: str,
) -> NumberSource:
    """Numbers of records, person by person; put in that order once for all who ask.

    ``where`` is what they are read from: who gives the same gets the same.
    """
    key = ("by person", id(who), where if isinstance(where, tuple) else id(where))
    if key not in folder.kept:
        # both are kept, so that nobody else gets their identity
        folder.kept[key] = who.gathered(source, dtype), who, where
    found: NumberSource = folder.kept[key][0]
    return found


def _table(
    file: OnDisk,
    names: Sequence[str],
    keys: Ints,
    weight: str | None,
    weights: Floats | None,
) -> Microdata:
    """The combinations as a small file, with their weights."""
    columns: dict[str, Floats] = {}
    for j, name in enumerate(names):
        code = keys[:, j]
        if file.schema[name].scale is Kind.continuous:
            columns[name] = numbers_of(code)
        else:
            columns[name] = np.where(code < 0, np.nan, code.astype(np.float64))
    if weight is not None and weights is not None:
        columns[weight] = weights
    table = pa.table({name: pa.array(v) for name, v in columns.items()})
    described = tuple(
        replace(file.schema[name], kind=Kind.continuous, categories=None)
        for name in columns
    )
    return Microdata.of(table, Schema(described))


def placed_keys(file: OnDisk, names: Sequence[str]) -> tuple[Ints, Ints, NumberFiles]:
    """The combinations of keys, how many records have each, and the number of every record's."""
    table = file.disk
    readers = tuple(table.readers[name] for name in names)
    schema = file.schema.select(list(names))
    key = ("placed", tuple(id(one) for one in readers), schema)
    kept = table.folder.kept.get(key)
    if kept is None:
        counts = count_keys(KeyColumns.of(file, list(names)), table.folder)
        found = list(counts.in_turn())
        keys = np.concatenate([keys for keys, _ in found])
        times = np.concatenate([times for _, times in found])
        numbers = counts.numbers(table.folder)
        counts.remove()
        # the readers are kept, so that nobody else gets their identity
        table.folder.kept[key] = kept = (keys, times, numbers, readers)
    keys, times, numbers, _ = kept
    return keys, times, numbers


def tally(file: OnDisk, names: Sequence[str], weight: str | None = None) -> KeyTally:
    """The combinations on the disk; counted once for all who ask."""
    table = file.disk
    wanted = [*names, *([] if weight is None else [weight])]
    readers = tuple(table.readers[name] for name in wanted)
    schema = file.schema.select(wanted)
    key = ("tally", tuple(id(one) for one in readers), schema, len(names))
    kept = table.folder.kept.get(key)
    if kept is not None:
        found: KeyTally = kept[0]
        return found
    weights = None if weight is None else record_weights(file, weight)
    found = tally_keys(KeyColumns.of(file, list(names)), table.folder, weights)
    # the readers are kept, so that nobody else gets their identity
    table.folder.kept[key] = (found, readers)
    return found


def weight_of(file: Microdata, weight: str | None) -> str | None:
    """The column of sampling weights: the one named, or the one with that role."""
    if weight is None:
        weight = next(iter(file.schema.names(role=Role.weight)), None)
    return weight


def record_weights(file: OnDisk, weight: str) -> ColumnNumbers:
    """The weights as numbers; refused where one is not above 0."""
    if file.schema[weight].scale is not Kind.continuous:
        schema = file.schema.set(continuous=[weight])
        again = file.with_schema(schema)
        assert isinstance(again, OnDisk)
        file = again
    source = ColumnNumbers.of(file, weight)
    for first in mapped(_FirstBad(source), spans(source.n)):
        if first is not None:
            raise InputError(
                f"column '{weight}', row {first + 1}: a sampling weight must be a number above 0"
            )
    return source


@dataclass(frozen=True)
class _FirstBad:
    """Item: a span of rows. The first row whose weight is not above 0; None: all are."""

    source: ColumnNumbers

    def __call__(self, item: tuple[int, int]) -> int | None:
        # a missing weight is bad too
        bad: Bools = ~(self.source.read(*item) > 0)
        return item[0] + int(np.argmax(bad)) if bad.any() else None


def has_units(*files: Microdata) -> bool:
    """Does any file say that several records are one person's, or who lives together?"""
    return any(
        file.schema.names(role=role)
        for file in files
        for role in (Role.person, Role.household)
    )


def rows_like(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Labels of the rows of two tables of codes, equal where the rows are, from 0."""
    from tacit.risk.classes import classes

    labels, _ = classes(np.concatenate([first, second]))
    return labels[: len(first)], labels[len(first) :]
