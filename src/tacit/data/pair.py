"""Two files side by side: the columns that both have, on common codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.column import Category, Column
from tacit.data.frames import Frame, NativeFrame
from tacit.data.microdata import Kind, Microdata
from tacit.data.schema import columns_asked

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

# records of a file on the disk that are looked at at a time
SPAN = 1 << 17


@dataclass(frozen=True)
class Pair:
    """The original and the masked file, the masked columns read as the original's kinds.

    >>> pair = Pair.of({"a": [1.0, 2.5, 4.0]}, {"a": [1.0, 2.0, 4.5]})
    >>> pair.columns, pair.aligned
    (['a'], True)
    """

    original: Microdata
    masked: Microdata
    asked: list[str]
    """The columns that were to be compared, in their order."""
    columns: list[str]
    """Those of them that both files hold as the same sort of thing."""
    incomparable: list[str]
    """The others, such as intervals where there were numbers."""

    @classmethod
    def of(
        cls,
        original: Frame,
        masked: Frame,
        columns: Iterable[str] | None = None,
    ) -> Pair:
        """Compare these columns, or else the original's quasi-identifiers that both files have."""
        original, masked = Microdata.of(original), Microdata.of(masked)
        if not original.n or not masked.n:
            raise InputError("a file without records cannot be compared with another")
        if columns is None:
            names = [name for name in original.quasi if name in masked.schema]
        else:
            names = columns_asked(columns)
        masked = read_as(original, masked)
        comparable: list[str] = []
        incomparable: list[str] = []
        for name in names:
            same = masked.schema[name].scale is original.schema[name].scale
            (comparable if same else incomparable).append(name)
        return cls(original, masked, names, comparable, incomparable)

    @property
    def aligned(self) -> bool:
        """Row i of one file is row i of the other (files of equal length are taken to be)."""
        return self.original.n == self.masked.n

    @property
    def held(self) -> bool:
        """A file is in memory, so that columns are compared there; else both are on the disk."""
        return self.original.in_memory or self.masked.in_memory

    def names(self, *kinds: Kind) -> list[str]:
        """The compared columns of these kinds."""
        schema = self.original.schema
        return [name for name in self.columns if schema[name].scale in kinds]

    @property
    def numeric(self) -> list[str]:
        """Continuous and ordinal columns: values, or ranks of ordered categories."""
        return self.names(Kind.continuous, Kind.ordinal)

    @property
    def categorical(self) -> list[str]:
        """Nominal and ordinal columns."""
        return self.names(Kind.nominal, Kind.ordinal)

    def numbers(self, names: list[str] | None = None) -> tuple[Floats, Floats]:
        """Both files as float64 (n, d), NaN where missing.

        Categories of both files share one coding.
        """
        names = self.columns if names is None else names
        # column by column: what follows works on columns
        x = np.empty((self.original.n, len(names)), order="F")
        z = np.empty((self.masked.n, len(names)), order="F")
        for j, name in enumerate(names):
            x[:, j], z[:, j] = self.column(name)
        return x, z

    def rows(self, names: list[str]) -> tuple[Rows, Rows]:
        """``numbers``, of files on the disk read run by run as they are asked for."""
        if self.held:
            return self.numbers(names)
        # measured: what reads files is not loaded where they are in memory
        from tacit.data.io.on_disk import OnDisk
        from tacit.data.out_of_core.disk_rows import disk_rows

        schema = self.masked.schema
        for name in names:
            if schema[name].scale is not Kind.continuous:
                every = tuple(self._common(name))
                schema = schema.put(replace(schema[name], categories=every))
        original, masked = self.original, self.masked.with_schema(schema)
        assert isinstance(original, OnDisk)
        assert isinstance(masked, OnDisk)
        return disk_rows(original, names), disk_rows(masked, names)

    def _common(self, name: str) -> list[Category]:
        """The original's categories, and after them those that only the release has."""
        every = dict.fromkeys(self.original.categories(name))
        return list(every | dict.fromkeys(self.masked.categories(name)))

    def column(self, name: str) -> tuple[Floats, Floats]:
        """One column of both files."""
        original = self.original.column(name)
        codes = self.masked.column(name)
        if self.original.schema[name].scale is Kind.continuous:
            return original, codes
        # categories that only the masked file has get codes after the original's
        categories = self.original.categories(name)
        place = {value: code for code, value in enumerate(categories)}
        masked_categories = self.masked.categories(name)
        for value in masked_categories:
            # a category that only the release has gets a code after the others
            place.setdefault(value, len(place))
        # the last entry is what missing values become
        places = [place[value] for value in masked_categories]
        common = np.array([*places, np.nan])
        missing = len(masked_categories)
        filled = np.where(np.isnan(codes), missing, codes)
        at = filled.astype(np.int64)
        return original, common[at]

    def canonical(self) -> Ints:
        """An order of the (aligned) rows that depends on their values only."""
        x, z = self.numbers()
        # the first column is the first key, which lexsort takes last
        columns = np.hstack([x, z]).T
        return np.lexsort(columns[::-1])

    def canonical_at(self, places: Ints) -> Ints:
        """The rows at some rising places of that order; of files on the disk no column is held."""
        if self.held:
            return np.asarray(self.canonical()[places])
        from tacit.data.out_of_core.disk_rows import DiskRows, value_order
        from tacit.data.out_of_core.order_counts import at_rising

        x, z = self.rows(self.columns)
        assert isinstance(x, DiskRows)
        assert isinstance(z, DiskRows)
        return at_rising(value_order([x, z]), places).astype(np.int64)


def read_as(
    original: Frame,
    masked: Frame,
) -> Microdata:
    """The masked file with the kinds, roles and category order of the original's columns.

    A column that can no longer be read so (intervals where there were numbers) is nominal;
    categories that the original does not know are allowed.
    """
    known, out = Microdata.of(original), Microdata.of(masked)
    if out.in_memory:
        return _read_as(known, out)
    # every measure asks, and looking takes a pass over the file; who was asked about is kept with
    # the answer, so that nobody else gets its identity
    what = f"read as {id(known)}"
    return out.once(what, lambda: (_read_as(known, out), known))[0]


def _read_as(known: Microdata, out: Microdata) -> Microdata:
    """The first reading of each column that can be read."""
    for name in out.names:
        if name not in known.schema:
            continue
        ours, theirs = known.schema[name], out.schema[name]
        if replace(theirs, why=ours.why) == ours:
            continue
        # as the original, then with other categories, then as text: the first that can be read
        readings = (
            ours,
            replace(ours, categories=None),
            replace(ours, kind=Kind.nominal, categories=None),
        )
        for reading in readings:
            candidate = out.with_schema(out.schema.put(reading))
            # numbers of the type that the original has can be read as it is, without a look
            if (
                not out.in_memory
                and reading is ours
                and _numbers_alike(known, out, ours)
            ):
                out = candidate
                break
            if not _can_be_read(candidate, name):
                continue
            out = candidate
            break
    return out


def _can_be_read(data: Microdata, name: str) -> bool:
    """Can every value of a column be read as its schema says?"""
    try:
        if data.in_memory:
            data.column(name)
            return True
        schema = data.schema.select([name])
        # some records at a time: a column may be larger than memory
        for piece in data.table.in_turn(SPAN, [name]):
            Microdata(piece, schema, NativeFrame.of(piece)).column(name)
    except InputError:
        return False
    return True


def _numbers_alike(known: Microdata, out: Microdata, column: Column) -> bool:
    """Are both columns numbers of one type, read as numbers?"""
    ours = known.table.schema.field(column.name).type
    theirs = out.table.schema.field(column.name).type
    is_number = pa.types.is_floating(ours) or pa.types.is_integer(ours)
    return ours == theirs and is_number and column.scale is Kind.continuous
