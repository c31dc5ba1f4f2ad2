"""Rank swapping: the rank-interval attack, and what the distance of a swap says beyond it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from tacit.attack.aware.base import Informed
from tacit.attack.distances import common_codes
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.microdata import FloatArray, Kind, Microdata

BINS = 24


def rank_range(values: FloatArray, among: FloatArray) -> FloatArray:
    """(first, last) rank that each value takes among the sorted values; NaN stays NaN."""
    seen = np.sort(among[~np.isnan(among)])
    low = np.searchsorted(seen, values, "left").astype(float)
    high = np.searchsorted(seen, values, "right").astype(float) - 1
    out = np.stack([low, np.maximum(low, high)], 1)
    out[np.isnan(values)] = np.nan
    return out


def gap(p: FloatArray, q: FloatArray) -> FloatArray:
    """Smallest difference of ranks of two rank ranges, for all pairs; NaN with NaN: 0, NaN with a rank: inf."""
    out = np.maximum(0.0, np.maximum(p[:, None, 0] - q[None, :, 1], q[None, :, 0] - p[:, None, 1]))
    lost_p, lost_q = np.isnan(p[:, 0])[:, None], np.isnan(q[:, 0])[None, :]
    return np.where(lost_p & lost_q, 0.0, np.where(lost_p | lost_q, np.inf, out))


def swap_law(n: int, window: int) -> FloatArray:
    """-log of the density of |rank moved| / window in BINS classes, from the method run on n ranks of its own.

    The intruder can run the same method: its law depends on n and the window only. Fixed draws, so that the law is
    the same every time.
    """
    from tacit.kernels.rankswap import swap_positions

    size = min(max(n, 20 * window), 200_000)
    moved = np.zeros(BINS)
    for draw in range(max(1, 20_000 // size)):
        source = swap_positions(np.random.default_rng(draw).random(size), window)
        distance = np.abs(source - np.arange(size))
        moved += np.bincount(np.minimum(distance * BINS // (window + 1), BINS - 1), minlength=BINS)
    return np.asarray(-np.log((moved + 1.0) / (moved.sum() + BINS)))


class AwareRankSwapping(Informed):
    """The intruder knows p: a masked record is a candidate only if every one of its ranks is within p percent.

    Definition: with w = floor(p n / 100), candidates of an original are the masked records whose rank differs by at
    most w in every column (Nin, Herranz and Torra 2008); among them -sum_k log h(|rank difference| / w), h being the
    law of the distance of a swap; then assignment. Equal values have a range of ranks. Without p, the smallest
    window is taken in which every record of both files has a candidate.
    """

    method = "rank_swapping"

    def __init__(
        self,
        p: Annotated[float, Gt(0), Le(100)] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.p = p
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        size = "a limit p that they estimate" if self.p is None else f"p = {self.p:g} percent"
        return self._says(f"that values were swapped with others of near rank, {size}")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        ranks = [_ranks(original, masked, name) for name in columns]
        window = self._window(ranks, original.n)
        a = np.hstack([r[0] for r in ranks])
        b = np.hstack([r[1] for r in ranks])
        law = swap_law(original.n, window)
        # ends of tied ranges may move one more in an odd file with window 1; NaN is a value of its own here
        part = Part(np.nan_to_num(a, nan=-1.0), np.nan_to_num(b, nan=-1.0), _Within(law, window), _hint(a, b, window))
        return Evidence(np.empty((len(a), 0)), np.empty((len(b), 0)), [part])

    def _window(self, ranks: list[tuple[FloatArray, FloatArray]], n: int) -> int:
        if self.p is not None:
            return max(2 if self.p * n / 100 < 2 else 1, int(np.floor(self.p * n / 100.0 + 1e-9)))
        rows = np.zeros((len(ranks[0][0]), 0))
        best_row = np.full(len(ranks[0][0]), np.inf)
        best_column = np.full(len(ranks[0][1]), np.inf)
        step = max(1, 2_000_000 // max(1, len(ranks[0][1])))
        for s in range(0, len(rows), step):
            worst = np.zeros((len(best_row[s : s + step]), len(best_column)))
            for a, b in ranks:
                worst = np.maximum(worst, gap(a[s : s + step], b))
            best_row[s : s + step] = worst.min(1)
            best_column = np.minimum(best_column, worst.min(0))
        widest = np.concatenate([best_row, best_column])
        widest = widest[np.isfinite(widest)]
        return max(1, int(widest.max())) if widest.size else n


def _hint(a: FloatArray, b: FloatArray, window: float) -> tuple[FloatArray, FloatArray]:
    """Middle ranks over the window; a missing value far from every other."""
    middle = [np.nan_to_num((r[:, ::2] + r[:, 1::2]) / (2 * window), nan=-1e6) for r in (a, b)]
    return middle[0], middle[1]


def _ranks(original: Microdata, masked: Microdata, name: str) -> tuple[FloatArray, FloatArray]:
    kind = original.schema[name].kind
    if kind is Kind.continuous:
        a, b = original.column(name), masked.column(name)
    else:
        a, b, size = common_codes(original, masked, name)
        if kind is Kind.nominal:  # nominal values are sorted by frequency, rarest first
            count = np.bincount(a[~np.isnan(a)].astype(np.int64), minlength=size)
            place = np.empty(size)
            place[np.lexsort((np.arange(size), count))] = np.arange(size)
            a, b = (np.where(np.isnan(c), np.nan, place[np.nan_to_num(c).astype(np.int64)]) for c in (a, b))
    return rank_range(a, a), rank_range(b, b if len(a) == len(b) else a)


class _Within:
    def __init__(self, law: FloatArray, window: int) -> None:
        self.law, self.window = law, window

    def __call__(self, p: FloatArray, q: FloatArray) -> FloatArray:
        total = np.zeros((len(p), len(q)))
        for k in range(0, p.shape[1], 2):
            a, b = p[:, k : k + 2], q[:, k : k + 2]
            far = gap(np.where(a < 0, np.nan, a), np.where(b < 0, np.nan, b))
            inside = far <= self.window
            place = np.minimum(np.where(inside, far, 0.0) * BINS // (self.window + 1), BINS - 1).astype(np.int64)
            total += np.where(inside, self.law[place], np.inf)
        return total
