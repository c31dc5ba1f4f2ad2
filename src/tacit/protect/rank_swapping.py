"""Rank swapping."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np
from annotated_types import Gt, Le

from tacit.base.facts import Strength
from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.microdata import Kind, Microdata
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.number_files import NumberFiles, write_numbers
from tacit.data.out_of_core.sorting import SortedNumbers
from tacit.kernels.rankswap import SWEEPS, draw_positions
from tacit.kernels.rankswap_in_turn import Moves, cycles_in_turn, pairs_in_turn
from tacit.protect.base import Protector, Seed
from tacit.protect.by_rank import frequency_ranks, random_order

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
    passes = "ranks"

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

    def holds(self, data: Microdata) -> tuple[float, str]:
        """Two windows of ranks: where values go, who waits for a partner, and their values."""
        held, why = super().holds(data)
        window = 60.0 * self.p / 100
        return max((held, why), (window, f"two windows of {self.p:g} % of the ranks"))

    def by_frequency(self, data: Microdata, name: str) -> bool:
        """Names have no order of their own, but their frequencies have."""
        return data.schema[name].scale is Kind.nominal

    def in_rank_order(
        self, ordered: SortedNumbers, rng: np.random.Generator, folder: SpillFolder
    ) -> _Swapped:
        """Which value goes where, drawn from the smallest up; two windows are held."""
        n = ordered.present
        window = window_of(self.p, n)
        if self.exchange == "pairs":
            moves = _kept(pairs_in_turn(rng.random, n, window, pieces.PIECE), folder)
        else:
            zeros = (np.zeros(stop - at, np.int32) for at, stop in pieces.spans(n))
            moves = _kept(zeros, folder)
            for _ in range(SWEEPS):
                before = moves.in_turn(pieces.PIECE)
                after = _kept(cycles_in_turn(before, rng.random, n, window), folder)
                moves.remove()
                moves = after
        return _Swapped(ordered.values, ordered.rows, moves, window)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            values[:, j] = swap_column(
                values[:, j],
                self.p,
                rng,
                by_frequency=self.by_frequency(data, name),
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
    order = random_order(sort_key, present, len(values), rng)
    window = window_of(p, present.size)
    cycles = exchange == "cycles"
    source = draw_positions(rng, present.size, window, cycles=cycles)
    # the value at position i is now that of position source[i]
    out = values.copy()
    out[order] = values[order[source]]
    return out


def window_of(p: float, present: int) -> int:
    """How many ranks a value may move."""
    reach = p * present / 100.0
    return max(1, int(np.floor(reach + ROUNDING)))


def _frequency_ranks(values: Floats) -> Floats:
    """Codes replaced by the rank of their frequency, rarest first, ties by code."""
    codes = values.astype(np.int64)
    place = frequency_ranks(np.bincount(codes))
    return place[codes].astype(np.float64)


@dataclass(frozen=True)
class _Swapped:
    """Rows and new values of a span of the order: the value at i is that of i + moves[i]."""

    values: NumberFiles
    rows: NumberFiles
    moves: NumberFiles
    window: int

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        first, stop = item
        # at the end of an odd file one value may move by one more than the window
        low = max(first - self.window - 1, 0)
        near = self.values.read(low, stop + self.window + 1)
        places = self.moves.read(first, stop) + np.arange(first - low, stop - low)
        return self.rows.read(first, stop), near[places]


def _kept(stretches: Iterable[Moves], folder: SpillFolder) -> NumberFiles:
    """Moves, written as they come."""
    files, lengths = [], []
    for moves in stretches:
        files.append(folder.next_file())
        lengths.append(write_numbers(files[-1], moves))
    return NumberFiles(tuple(files), tuple(lengths), "<i4")
