"""The columns that are grouped, with the records in value order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import BATCH
from tacit.data.microdata import Kind, Microdata
from tacit.protect.grouping import aggregates


@dataclass(frozen=True)
class ValueOrderedTable:
    """The columns to protect; sums over them do not depend on the order of the file's rows."""

    values: Floats
    order: Ints
    """The row of the file that each record comes from."""
    place: dict[str, int]
    kinds: dict[str, Kind]
    sizes: dict[str, int]
    """Number of categories of each column; 0 for numbers."""
    weights: Floats | None

    @classmethod
    def of(
        cls,
        data: Microdata,
        columns: list[str],
        weights: Floats | None = None,
    ) -> ValueOrderedTable:
        """The columns of a file, in value order."""
        values = data.numbers(columns)
        order = np.argsort(values[:, 0], kind="stable")
        first = values[order, 0]
        # where the first column decides the order alone, the others need not be sorted
        has_ties = (first[1:] == first[:-1]).any()
        if has_ties or np.isnan(first).any():
            last_key = [] if weights is None else [weights]
            order = np.lexsort((*last_key, *values.T[::-1]))
        kinds = {name: data.schema[name].scale for name in columns}
        sizes = {
            name: 0 if kind is Kind.continuous else len(data.categories(name))
            for name, kind in kinds.items()
        }
        place = {name: j for j, name in enumerate(columns)}
        ordered_weights = None if weights is None else weights[order]
        return cls(values[order], order, place, kinds, sizes, ordered_weights)

    def numbers(self, names: list[str]) -> Floats:
        """The values of some columns."""
        return self.values[:, [self.place[name] for name in names]]

    def points(
        self,
        names: list[str],
        *,
        scale: bool = True,
    ) -> Floats:
        """The records as points whose squared Euclidean distances are those of their kinds."""
        kinds = [self.kinds[name] for name in names]
        sizes = [self.sizes[name] for name in names]
        return aggregates.coordinates(self.numbers(names), kinds, sizes, scale=scale)


def sampling_weights(data: Microdata, name: str) -> Floats:
    """The sampling weights; a negative or missing one is refused."""
    weights = data.column(name)
    _refuse_wrong(weights, name, 0)
    return weights


def refuse_weights(data: Microdata, name: str) -> None:
    """The same of a file on the disk, whose weights are not held."""
    row = 0
    for some in data.in_turn([name], BATCH):
        _refuse_wrong(some[:, 0], name, row)
        row += len(some)


def _refuse_wrong(weights: Floats, name: str, row: int) -> None:
    """Weights of some records, from a row on."""
    # not 'below 0', which a missing weight is not
    wrong = np.flatnonzero(~(weights >= 0))
    if wrong.size:
        raise InputError(
            f"column '{name}', row {row + wrong[0] + 1}: a sampling weight must be a number of 0 "
            "or more; correct it, give the column another role, "
            "or do without weights (weighted=false)"
        )
