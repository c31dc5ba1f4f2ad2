"""Two files side by side: the columns that both have, on common codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.frames import Frame
from tacit.data.microdata import Kind, Microdata


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
    """Columns that the masked file holds as something else, such as intervals where there were
    numbers."""

    @classmethod
    def of(
        cls,
        original: Frame,
        masked: Frame,
        columns: Iterable[str] | None = None,
    ) -> Pair:
        """Compare these columns, or else the original's quasi-identifiers that both files have."""
        original, masked = Microdata.of(original), Microdata.of(masked)
        if columns is None:
            names = [name for name in original.quasi if name in masked.schema]
        else:
            names = list(columns)
        masked = read_as(original, masked)
        comparable: list[str] = []
        incomparable: list[str] = []
        for name in names:
            same = masked.schema[name].scale is original.schema[name].scale
            (comparable if same else incomparable).append(name)
        return cls(original, masked, comparable, incomparable)

    @property
    def aligned(self) -> bool:
        """Row i of one file is row i of the other (files of equal length are taken to be)."""
        return self.original.n == self.masked.n

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


def read_as(
    original: Frame,
    masked: Frame,
) -> Microdata:
    """The masked file with the kinds, roles and category order of the original's columns.

    A column that can no longer be read so (intervals where there were numbers) is nominal;
    categories that the original does not know are allowed.
    """
    known, out = Microdata.of(original), Microdata.of(masked)
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
            try:
                candidate.column(name)
            except InputError:
                continue
            out = candidate
            break
    return out
