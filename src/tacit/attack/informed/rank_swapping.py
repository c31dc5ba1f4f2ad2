"""Rank swapping: the rank-interval attack, and what the distance of a swap says beyond it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Gt, Le

from tacit.attack.base import distinct
from tacit.attack.common_codes import common_codes
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.kernels.compiler import NUMPY_STEP
from tacit.kernels.rank_gaps import range_costs
from tacit.kernels.rankswap import draw_positions

# Classes in which the distance of a swap is counted, over the window
BINS = 24
# Swaps from which the law of distances is counted, at least
DRAWS = 20_000
# Ranks of the largest file on which the law is counted: more would tell nothing new
MOST_RANKS = 200_000
# Pairs that are written down at a time
PAIRS = 2_000_000
# Rank of a missing value, so that it is equal to itself
MISSING = -1.0
# Where a missing value sits in a hint: far from every rank
FAR = -1e6


def rank_range(values: Floats, among: Floats) -> Floats:
    """(first, last) rank that each value takes among sorted values; NaN stays NaN.

    Parameters
    ----------
    values, among : arrays
        The values whose ranks are wanted, and those that are sorted.

    Examples
    --------
    >>> rank_range(np.array([2.0]), np.array([2.0, 1.0, 2.0]))
    array([[1., 2.]])
    """
    ranked = np.sort(among[~np.isnan(among)])
    low = np.searchsorted(ranked, values, "left").astype(float)
    high = np.searchsorted(ranked, values, "right").astype(float) - 1
    ranks = np.stack([low, np.maximum(low, high)], 1)
    ranks[np.isnan(values)] = np.nan
    return ranks


def gap(p: Floats, q: Floats) -> Floats:
    """Smallest difference of ranks of two rank ranges, for all pairs.

    NaN with NaN gives 0, NaN with a rank inf.

    Parameters
    ----------
    p, q : arrays of shape (records, 2)
        Of ``rank_range``.
    """
    p_first = p[:, None, 0]
    p_last = p[:, None, 1]
    q_first = q[None, :, 0]
    q_last = q[None, :, 1]
    apart = np.maximum(0.0, np.maximum(p_first - q_last, q_first - p_last))
    lost_p = np.isnan(p_first)
    lost_q = np.isnan(q_first)
    apart = np.where(lost_p | lost_q, np.inf, apart)
    return np.where(lost_p & lost_q, 0.0, apart)


def swap_law(n: int, window: int, *, cycles: bool = False) -> Floats:
    """-log of the density of |rank moved| / window in BINS classes.

    The intruder can run the same method on ranks of their own: its law depends on n and the
    window only. Fixed draws, so that the law is the same every time.

    Parameters
    ----------
    n : int
        Records of the file.
    window : int
        Largest difference of ranks that may be swapped.
    cycles : bool
        Values changed places in cycles, not in pairs.
    """
    size = min(max(n, 20 * window), MOST_RANKS)
    moved = np.zeros(BINS)
    for seed in range(max(1, DRAWS // size)):
        rng = np.random.default_rng(seed)
        source = draw_positions(rng, size, window, cycles=cycles)
        distance = np.abs(source - np.arange(size))
        moved += np.bincount(_bin(distance, window), minlength=BINS)
    # one more in every class: what these draws did not show is not impossible
    law = (moved + 1.0) / (moved.sum() + BINS)
    if cycles:
        # there are fewer pairs of ranks far apart, so that far ones are rarer without being less
        # likely for anybody; a window of the whole file tells nothing
        apart = np.arange(min(window, size - 1) + 1)
        there = np.bincount(_bin(apart, window), weights=size - apart, minlength=BINS)
        law *= there.sum() / np.maximum(there, 1.0) / BINS
    return np.asarray(-np.log(law))


def _bin(distance: Floats | Ints, window: int) -> Ints:
    """The class of a distance of ranks."""
    return np.minimum(distance * BINS // (window + 1), BINS - 1).astype(np.int64)


ROWS = 32
"""Originals whose pairs are weighed at a time: what is in between stays near the processor."""
OPERATIONS = 8
"""Operations in numpy on an end of a range and a pair, about."""
FEWER = 3
"""A column is weighed by its distinct values where they have so many times fewer pairs."""


class AwareRankSwapping(Informed):
    """The intruder knows p: in a candidate every rank is within p percent of the original's.

    Parameters
    ----------
    p : float, optional
        Percent of the file within which ranks were swapped; unless given, the smallest
        that leaves every record a candidate.
    exchange : {"pairs", "cycles"}
        How values changed places: the two have different laws of the distance.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** With w = floor(p n / 100), candidates of an original are the masked
    records whose rank differs by at most w in every column; among them the cost is
    -sum_k log h(|rank difference| / w), h being the law of the distance of a swap. Equal
    values have a range of ranks.

    **Guarantee.** The true record is a candidate where p is given.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk.

    Examples
    --------
    >>> x = np.arange(10.0)[:, None]
    >>> AwareRankSwapping(p=20).link(x, x).attacker
    'AwareRankSwapping'
    """

    method = "rank_swapping"

    def __init__(
        self,
        p: Annotated[float, Gt(0), Le(100)] | None = None,
        exchange: Literal["pairs", "cycles"] = "pairs",
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.p = p
        self.exchange = exchange
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(cls, protector: Any, original: Microdata) -> AwareRankSwapping:
        """How far ranks were swapped is known, and whether in pairs."""
        return cls(p=protector.p, exchange=protector.exchange)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        if self.p is None:
            size = "a limit p that they estimate"
        else:
            size = f"p = {self.p:g} percent"
        how = "" if self.exchange == "pairs" else " in cycles"
        return self._says(
            f"that values were swapped{how} with others of near rank, {size}"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """The law of swaps inside the window, impossible outside."""
        ranks = [_ranks(original, masked, name) for name in columns]
        window = self.window(ranks, original.n)
        ours = np.hstack([pair[0] for pair in ranks])
        theirs = np.hstack([pair[1] for pair in ranks])
        law = swap_law(original.n, window, cycles=self.exchange == "cycles")
        cost = _Within(law, window)
        # ends of tied ranges may move one more in an odd file with window 1; NaN is a
        # value of its own here
        part = Part(
            np.nan_to_num(ours, nan=MISSING),
            np.nan_to_num(theirs, nan=MISSING),
            cost,
            (_middle(ours, window), _middle(theirs, window)),
        )
        return Evidence.of_part(part)

    def window(
        self,
        ranks: list[tuple[Floats, Floats]],
        n: int,
    ) -> int:
        """The largest difference of ranks: from p, or the smallest that rules nobody out.

        Parameters
        ----------
        ranks : list of pairs of arrays
            ``rank_range`` of both files, one pair per column.
        n : int
            Records of the original.
        """
        if self.p is not None:
            share = self.p * n / 100
            least = 2 if share < 2 else 1
            # 1e-9: a product such as 0.29 * 100 falls a hair short of a whole number
            return max(least, int(np.floor(self.p * n / 100.0 + 1e-9)))
        ours = len(ranks[0][0])
        theirs = len(ranks[0][1])
        # the window that each record needs to have one candidate
        best_row = np.full(ours, np.inf)
        best_column = np.full(theirs, np.inf)
        step = max(1, PAIRS // max(1, theirs))
        for start in range(0, ours, step):
            rows = slice(start, start + step)
            worst = np.zeros((len(best_row[rows]), theirs))
            for a, b in ranks:
                # a candidate must be near in every column
                worst = np.maximum(worst, gap(a[rows], b))
            best_row[rows] = worst.min(1)
            best_column = np.minimum(best_column, worst.min(0))
        needed = np.concatenate([best_row, best_column])
        needed = needed[np.isfinite(needed)]
        if needed.size:
            return max(1, int(needed.max()))
        return n


def _middle(ranks: Floats, window: float) -> Floats:
    """Middle ranks over the window; a missing value far from every other."""
    middle = (ranks[:, ::2] + ranks[:, 1::2]) / (2 * window)
    return np.nan_to_num(middle, nan=FAR)


def _ranks(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> tuple[Floats, Floats]:
    """Rank ranges of a column in both files."""
    kind = original.schema[name].scale
    if kind is Kind.continuous:
        x = original.column(name)
        z = masked.column(name)
    else:
        x, z, size = common_codes(original, masked, name)
        if kind is Kind.nominal:  # nominal values are sorted by frequency, rarest first
            count = np.bincount(x[~np.isnan(x)].astype(np.int64), minlength=size)
            place = np.empty(size)
            place[np.lexsort((np.arange(size), count))] = np.arange(size)
            x = _placed(x, place)
            z = _placed(z, place)
    # a sample has fewer ranks: its values are ranked among the originals
    if len(x) == len(z):
        among = z
    else:
        among = x
    return rank_range(x, x), rank_range(z, among)


def _placed(codes: Floats, place: Floats) -> Floats:
    """The place of each code; NaN stays NaN."""
    known = place[np.nan_to_num(codes).astype(np.int64)]
    return np.where(np.isnan(codes), np.nan, known)


class _Within:
    """The cost of a pair: the law of the distance of ranks, summed over columns."""

    def __init__(
        self,
        law: Floats,
        window: int,
    ) -> None:
        self.law, self.window = law, window
        # after the classes of the law stands what lies outside of the window
        self._costs = np.append(law, np.inf)
        # the same by distance
        inside = _bin(np.arange(window + 1), window)
        self._by_distance = np.append(law[inside], np.inf)

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        if range_costs.pays(OPERATIONS * len(p) * len(q) * p.shape[1] * NUMPY_STEP):
            compiled: Floats = range_costs(p, q, self._by_distance)
            return compiled
        return self._plainly(p, q)

    def _plainly(self, p: Floats, q: Floats) -> Floats:
        """The same in numpy."""
        total = np.zeros((len(p), len(q)))
        for k in range(0, p.shape[1], 2):  # two ends of a range per column
            ours = distinct(p[:, k : k + 2])
            theirs = distinct(q[:, k : k + 2])
            few = len(ours.rows) * len(theirs.rows) <= total.size // FEWER
            if few:
                # a column with few values: each pair of them once
                table = self._column(ours.rows, theirs.rows)
            for first in range(0, len(p), ROWS):
                some = slice(first, first + ROWS)
                if few:
                    total[some] += table[ours.inverse[some]][:, theirs.inverse]
                else:
                    total[some] += self._column(p[some, k : k + 2], q[:, k : k + 2])
        return total

    def _column(self, ours: Floats, theirs: Floats) -> Floats:
        """Costs of one column, for all pairs."""
        ours = np.where(ours < 0, np.nan, ours)
        theirs = np.where(theirs < 0, np.nan, theirs)
        apart = gap(ours, theirs)
        inside = apart <= self.window
        place = _bin(np.where(inside, apart, 0.0), self.window)
        return np.asarray(self._costs[np.where(inside, place, len(self.law))])
