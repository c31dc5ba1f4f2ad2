"""Rank swapping."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import numpy as np
from annotated_types import Gt, Le

from tacit.base.facts import Strength
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.kernels.rankswap import draw_positions
from tacit.protect.base import Protector, Seed

ROUNDING = 1e-9
"""Added before the window is cut to a whole number, so that 10 % of 30 is 3 and not 2.999..."""

Exchange: TypeAlias = Literal["pairs", "cycles"]
"""How values change places: two and two, or all in a permutation of cycles of any length."""


class RankSwapping(Protector):
    """Exchange values between records whose ranks differ by at most p percent of the file.

    Parameters
    ----------
    p : float
        Largest distance of two ranks that change places, in percent of the number of records.
    exchange : {"pairs", "cycles"}
        Values change places two and two, which can be undone, or in cycles, which cannot.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Notes
    -----
    **Definition.** Each column is sorted (equal values in random order; nominal values by
    frequency, rarest first), and ``w = floor(p n / 100)``, at least 1. *Pairs:* from the
    smallest up, the value at position i changes places with that of a uniformly chosen
    position among those of i+1 .. i+w that have not been swapped yet. A position that finds no
    partner joins a pair, as a cycle of three, so that every value takes part and no rank moves
    by more than w (at the end of an odd file one may move w + 1). *Cycles:* a permutation
    drawn from all in which no rank moves by more than w, each as likely as any other; a value
    keeps its place about once in 2w + 1. Missing values stay where they are.

    **Guarantee.** The multiset of each column is kept exactly. At ``p=100`` with cycles the
    columns are independent of each other and of the original.

    **Cost.** n log n for the sort, then linear whatever p is.

    **Known attacks.** Pairs: an exchange tells of itself in every column, and the attacker
    ``pairing`` undoes it at any p where values are mostly unique. Both: rank intervals (the
    intruder knows p), that is possible candidates of each record and their intersection; they
    find nearly everybody at a small p and many columns.

    References
    ----------
    Moore (1996); Rodriguez Fernandez (2013), section 3.1.2; for cycles this package, see
    docs/explanation/literature.md.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(10.0)[:, None]
    >>> masked = RankSwapping(p=20, random_state=0).fit_transform(x)
    >>> bool((np.sort(masked, axis=0) == x).all()), bool(abs(masked - x).max() <= 2)
    (True, True)
    >>> cycles = RankSwapping(p=20, exchange="cycles", random_state=0).fit_transform(x)
    >>> bool((np.sort(cycles, axis=0) == x).all()), bool(abs(cycles - x).max() <= 2)
    (True, True)
    """

    title = "Rank swapping"
    family = "swapping"
    purpose = "keep every column's distribution exactly and weaken the relations"
    goal = "exchange values between people"
    plain = {"p": "how far values may move, in % of the ranks"}
    strength = Strength("p", 1.0, 100.0)
    attacker = "informed.rank_swapping:AwareRankSwapping"
    whole_file = "p is a percentage of the file's ranks, and a block holds few of them"
    passes = "columns"

    def __init__(
        self,
        p: Annotated[float, Gt(0), Le(100)] = 5.0,
        exchange: Exchange = "pairs",
        columns: list[str] | None = None,
        by: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.p = p
        self.exchange = exchange
        self.columns = columns
        self.by = by
        self.random_state = random_state

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            # names have no order of their own, but their frequencies have
            nominal = data.schema[name].scale is Kind.nominal
            values[:, j] = swap_column(
                values[:, j],
                self.p,
                rng,
                by_frequency=nominal,
                exchange=self.exchange,
            )
        return data.with_numbers(columns, values)


def swap_column(
    values: Floats,
    p: float,
    rng: np.random.Generator,
    *,
    by_frequency: bool = False,
    exchange: Exchange = "pairs",
) -> Floats:
    """One column rank-swapped; NaN stays where it is."""
    present = np.flatnonzero(~np.isnan(values))
    sort_key = values[present]
    if by_frequency and sort_key.size:
        sort_key = _frequency_ranks(sort_key)
    # a stable sort of a random order leaves equal values in random order
    start = rng.permutation(present.size)
    by_key = np.argsort(sort_key[start], kind="stable")
    order = present[start[by_key]]
    reach = p * present.size / 100.0
    window = max(1, int(np.floor(reach + ROUNDING)))
    cycles = exchange == "cycles"
    source = draw_positions(rng, present.size, window, cycles=cycles)
    # the value at position i is now that of position source[i]
    out = values.copy()
    out[order] = values[order[source]]
    return out


def _frequency_ranks(values: Floats) -> Floats:
    """Codes replaced by the rank of their frequency, rarest first, ties by code."""
    codes = values.astype(np.int64)
    count = np.bincount(codes)
    every_code = np.arange(count.size)
    place = np.empty(count.size, dtype=np.int64)
    place[np.lexsort((every_code, count))] = every_code
    return place[codes].astype(np.float64)
