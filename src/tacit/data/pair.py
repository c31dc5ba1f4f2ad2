"""Two files side by side: the columns that the original and the masked file share, on common codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.microdata import FloatArray, Kind, Microdata


@dataclass(frozen=True)
class Pair:
    """The original and the masked file, the masked columns read as the original's kinds.

    >>> pair = Pair.of({"a": [1.0, 2.5, 4.0]}, {"a": [1.0, 2.0, 4.5]})
    >>> pair.columns, pair.aligned
    (['a'], True)
    """

    original: Microdata
    masked: Microdata
    columns: list[str]
    incomparable: list[str]
    """Columns that the masked file holds as something else, such as intervals where there were numbers."""

    @classmethod
    def of(cls, original: Any, masked: Any, columns: Iterable[str] | None = None) -> Pair:
        """Compare these columns, or else the original's quasi-identifiers that the masked file has too."""
        original, masked = Microdata.of(original), Microdata.of(masked)
        if columns is None:
            names = [name for name in original.quasi if name in masked.schema]
        else:
            names = list(columns)
        masked = read_as(original, masked)
        incomparable = [name for name in names if masked.schema[name].kind is not original.schema[name].kind]
        return cls(original, masked, [name for name in names if name not in incomparable], incomparable)

    @property
    def aligned(self) -> bool:
        """Row i of one file is row i of the other (files of equal length are taken to be)."""
        return self.original.n == self.masked.n

    def names(self, *kinds: Kind) -> list[str]:
        """The compared columns of these kinds."""
        return [name for name in self.columns if self.original.schema[name].kind in kinds]

    @property
    def numeric(self) -> list[str]:
        """Continuous and ordinal columns: values, or ranks of ordered categories."""
        return self.names(Kind.continuous, Kind.ordinal)

    @property
    def categorical(self) -> list[str]:
        """Nominal and ordinal columns."""
        return self.names(Kind.nominal, Kind.ordinal)

    def numbers(self, names: list[str] | None = None) -> tuple[FloatArray, FloatArray]:
        """Both files as float64 (n, d), NaN where missing; categories of both files share one coding."""
        names = self.columns if names is None else names
        # column by column: what follows works on columns
        x = np.empty((self.original.n, len(names)), order="F")
        z = np.empty((self.masked.n, len(names)), order="F")
        for j, name in enumerate(names):
            x[:, j], z[:, j] = self.column(name)
        return x, z

    def column(self, name: str) -> tuple[FloatArray, FloatArray]:
        """One column of both files."""
        if self.original.schema[name].kind is Kind.continuous:
            return self.original.column(name), self.masked.column(name)
        ours, theirs = self.original.categories(name), self.masked.categories(name)
        place = {value: code for code, value in enumerate(ours)}
        for value in theirs:
            place.setdefault(value, len(place))
        table = np.array([*(place[value] for value in theirs), np.nan])
        codes = self.masked.column(name)
        return self.original.column(name), table[np.where(np.isnan(codes), len(theirs), codes).astype(np.int64)]

    def canonical(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """An order of the (aligned) rows that depends on their values only."""
        x, z = self.numbers()
        return np.lexsort(np.hstack([x, z]).T[::-1])


def read_as(original: Any, masked: Any) -> Microdata:
    """The masked file with the kinds, roles and category order of the original's columns of the same name.

    A column that can no longer be read so (intervals where there were numbers) is nominal; categories that the
    original does not know are allowed.
    """
    known, out = Microdata.of(original), Microdata.of(masked)
    for name in out.names:
        if name not in known.schema:
            continue
        ours, theirs = known.schema[name], out.schema[name]
        if (ours.kind, ours.role, ours.categories) == (theirs.kind, theirs.role, theirs.categories):
            continue
        for wanted in (ours, replace(ours, categories=None), replace(ours, kind=Kind.nominal, categories=None)):
            candidate = out.with_schema(out.schema.put(wanted))
            try:
                candidate.column(name)
            except InputError:
                continue
            out = candidate
            break
    return out
