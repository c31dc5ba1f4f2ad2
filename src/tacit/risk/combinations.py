"""A file on the disk as its different combinations of keys, which are few beside its records.

Whoever counts keys needs no record: a combination, how many records have it and what they weigh
together say as much. The combinations become a small file in memory whose rows stand for several
records each (``data.repeated``), so that every formula that counts records of a file counts them
here. Two combinations may be one person's: then the combination and the person of every record are
held too (``data.spread``), and still no key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.key_counts import KeyColumns, count_keys, numbers_of
from tacit.data.out_of_core.key_tally import KeyTally, tally_keys
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.pair import SPAN
from tacit.data.repeated import Repeated
from tacit.data.schema import Schema
from tacit.data.spread import Spread
from tacit.data.units import Units


@dataclass(frozen=True)
class Combinations:
    """The combinations of some columns of a file."""

    data: Microdata
    """One row for each, its columns as numbers (codes of categories); in memory."""
    units: Repeated
    """How many records each row stands for, and whose they are."""
    row: Ints | None = None
    """The row of each record, where somebody has several or lives with others."""

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
        keys, row = placed_keys(file, names)
        each = total = None
        if weight is not None:
            source = _weights(file, weight)
            each = source.read(0, source.n)
            added = np.bincount(row, weights=each, minlength=len(keys))
            total = np.asarray(added, np.float64)
        units: Repeated = Spread.over(row, who, each)
        if who.single:
            units = Repeated.of(units.times)
        return cls(_table(file, names, keys, weight, total), units, row)


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


def placed_keys(file: OnDisk, names: Sequence[str]) -> tuple[Ints, Ints]:
    """The combinations of keys, and the number of that of every record, which is held."""
    table = file.disk
    readers = tuple(table.readers[name] for name in names)
    schema = file.schema.select(list(names))
    key = ("placed", tuple(id(one) for one in readers), schema)
    kept = table.folder.kept.get(key)
    if kept is None:
        counts = count_keys(KeyColumns.of(file, list(names)), table.folder)
        keys = np.concatenate([keys for keys, _ in counts.in_turn()])
        numbers = counts.numbers(table.folder)
        counts.remove()
        # the readers are kept, so that nobody else gets their identity
        table.folder.kept[key] = kept = (keys, numbers, readers)
    keys, numbers, _ = kept
    row = np.empty(numbers.n, np.int32)
    for first, stop in spans(numbers.n):
        row[first:stop] = numbers.read(first, stop)
    return keys, row


def has_gaps(file: OnDisk, names: Sequence[str]) -> bool:
    """Is a value of these columns missing anywhere?"""
    return any(
        file.once(f"gaps of {name}", partial(_has_gap, file, name)) for name in names
    )


def _has_gap(file: OnDisk, name: str) -> bool:
    return any(bool(np.isnan(some).any()) for some in file.in_turn([name], SPAN))


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
    weights = None if weight is None else _weights(file, weight)
    found = tally_keys(KeyColumns.of(file, list(names)), table.folder, weights)
    # the readers are kept, so that nobody else gets their identity
    table.folder.kept[key] = (found, readers)
    return found


def weight_of(file: Microdata, weight: str | None) -> str | None:
    """The column of sampling weights: the one named, or the one with that role."""
    if weight is None:
        weight = next(iter(file.schema.names(role=Role.weight)), None)
    return weight


def _weights(file: OnDisk, weight: str) -> ColumnNumbers:
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
