"""Rank swapping."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from tacit.kernels.rankswap import swap_positions
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector, Seed


class RankSwapping(Protector):
    """Exchange values between records whose ranks differ by at most p percent of the file.

    Definition: each column is sorted (equal values in random order; nominal values by frequency, rarest first). From
    the smallest up, the value at position i changes places with that of a uniformly chosen position among those of
    i+1 .. i+w that have not been swapped yet, ``w = floor(p n / 100)``, at least 1. A position that finds no partner
    joins a pair, as a cycle of three, so that every value takes part and no rank moves by more than w (at the end of
    an odd file one may move w + 1). Source: Moore (1996); 000, section 3.1.2.
    Guarantee: the multiset of each column is kept exactly. Missing values stay where they are.
    Cost: n log n for the sort, then linear whatever p is.
    Known attacks: rank intervals (the intruder knows p): possible candidates of each record and their intersection.

    Parameters: ``p``: percent of the number of records.

    >>> import numpy as np
    >>> x = np.arange(10.0)[:, None]
    >>> masked = RankSwapping(p=20, random_state=0).fit_transform(x)
    >>> bool((np.sort(masked, axis=0) == x).all()), bool(abs(masked - x).max() <= 2)
    (True, True)
    """

    def __init__(
        self, p: Annotated[float, Gt(0), Le(100)] = 5.0, columns: list[str] | None = None, random_state: Seed = None
    ) -> None:
        self.p = p
        self.columns = columns
        self.random_state = random_state

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            nominal = data.schema[name].kind is Kind.nominal
            values[:, j] = swap_column(values[:, j], self.p, rng, by_frequency=nominal)
        return data.with_numbers(columns, values)


def swap_column(values: FloatArray, p: float, rng: np.random.Generator, *, by_frequency: bool = False) -> FloatArray:
    """One column rank-swapped; NaN stays where it is."""
    present = np.flatnonzero(~np.isnan(values))
    key = values[present]
    if by_frequency and key.size:
        codes = key.astype(np.int64)
        count = np.bincount(codes)
        place = np.empty(count.size, dtype=np.int64)
        place[np.lexsort((np.arange(count.size), count))] = np.arange(count.size)
        key = place[codes].astype(np.float64)
    start = rng.permutation(present.size)  # equal values in random order
    order = present[start[np.argsort(key[start], kind="stable")]]
    window = max(1, int(np.floor(p * present.size / 100.0 + 1e-9)))
    source = swap_positions(rng.random(present.size), window)
    out = values.copy()
    out[order] = values[order[source]]
    return out
