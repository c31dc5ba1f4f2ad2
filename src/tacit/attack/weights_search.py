"""Weights of the distance that link most records: a fast search by exact line searches.

The number of correct links of the weighted distance of 001 (Abril, Navarro-Arribas and Torra 2012,
definition 1) is piecewise constant in the weights. Along any line its breakpoints can be listed
(`kernels.weightline`), so each line search finds the best point of the line exactly. The search goes along
the lines towards and away from each attribute (w + t (e_k - w)), along exchanges of two attributes, and
restarts from random points; it is a heuristic over the whole simplex. `weights_exact` proves how far from
the optimum it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.weightline import correct_links, own_intervals

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """What weights are learned from: originals, distinct masked rows, which of them is whose, and what a
    link counts.

    `value[i]` is 1/g when g masked records are identical to i's own: no weights can tell them apart, so no
    more than 1/g of a link is ever made (honesty rule 1).
    """

    x: FloatArray
    z: FloatArray
    own: IntArray
    value: FloatArray
    nominal: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, x: FloatArray, z: FloatArray, nominal: npt.NDArray[np.bool_] | None = None) -> Pairs:
        """From aligned arrays (row i of z is the masked form of row i of x), already on a common scale."""
        rows, inverse, counts = np.unique(z, axis=0, return_inverse=True, return_counts=True)
        own = inverse.reshape(-1).astype(np.int64)
        flags = np.zeros(x.shape[1], bool) if nominal is None else np.asarray(nominal, bool)
        return cls(np.ascontiguousarray(x, float), np.ascontiguousarray(rows), own, 1.0 / counts[own], flags)

    @property
    def n(self) -> int:
        return int(self.x.shape[0])

    @property
    def d(self) -> int:
        return int(self.x.shape[1])

    def correct(self, weights: FloatArray) -> float:
        """Expected correct links of the weighted distance; a tie with a different row counts nothing."""
        return float(self.value[self.linked(weights)].sum())

    def linked(self, weights: FloatArray) -> npt.NDArray[np.bool_]:
        good: npt.NDArray[np.bool_] = correct_links(
            self.x, self.z, self.nominal, self.own, np.asarray(weights, float), np.empty(self.n, np.int64)
        )
        return good


@dataclass(frozen=True)
class Search:
    """The best weights found (they sum to one) and the expected number of correct links they give."""

    weights: FloatArray
    correct: float
    lines: int


def best_on_line(
    pairs: Pairs,
    w: FloatArray,
    u: FloatArray,
    low: float,
    high: float,
    hard: tuple[IntArray, IntArray] | None = None,
) -> tuple[float, float]:
    """(t, correct) of the best point of w + t u with low < t < high; the middle of the widest best segment."""
    if hard is None:
        hard = (np.empty(0, np.int64), np.zeros(pairs.n + 1, np.int64))
    lo, hi = own_intervals(pairs.x, pairs.z, pairs.nominal, pairs.own, w, u, low, high, *hard)
    open_ = lo < hi
    if not open_.any():
        return 0.0, 0.0
    points = np.concatenate([lo[open_], hi[open_]])
    steps = np.concatenate([pairs.value[open_], -pairs.value[open_]])
    order = np.argsort(points, kind="stable")
    at, depth = points[order], np.cumsum(steps[order])
    width = np.diff(at)
    inside = width > 1e-12 * np.maximum(1.0, np.abs(at[:-1]))
    if not inside.any():
        return 0.0, 0.0
    count = np.where(inside, depth[:-1], -1.0)
    best = count.max()
    top = np.flatnonzero(count >= best - 1e-9)
    pick = top[np.argmax(width[top])]
    return float(0.5 * (at[pick] + at[pick + 1])), float(best)


def _reach(w: FloatArray, u: FloatArray) -> tuple[float, float]:
    """The open range of t in which w + t u stays non-negative."""
    down = u < 0
    up = u > 0
    high = float(np.min(w[down] / -u[down])) if down.any() else 1.0
    low = float(np.max(-w[up] / u[up])) if up.any() else -1.0
    return low, high


def _climb(
    pairs: Pairs, w: FloatArray, rng: np.random.Generator, budget: int, hard: list[list[int]]
) -> tuple[FloatArray, float, int]:
    """Line searches from w until a whole round of directions brings nothing."""
    d, lines = pairs.d, 0
    killers = np.empty(pairs.n, np.int64)

    def counted(at: FloatArray) -> float:
        """Links at these weights; the nearest wrong record of each original joins those to be compared with first."""
        good = correct_links(pairs.x, pairs.z, pairs.nominal, pairs.own, at, killers)
        for i, j in enumerate(killers.tolist()):
            if j >= 0 and j not in hard[i]:
                hard[i] = [*hard[i][-7:], j]
        return float(pairs.value[good].sum())

    score = counted(w)
    while lines < budget:
        before = score
        directions: list[FloatArray] = [np.eye(d)[k] - w for k in range(d)]
        directions += [rng.dirichlet(np.full(d, 0.5)) - w for _ in range(d)]
        a, b = rng.integers(d, size=d), rng.integers(d, size=d)
        directions += [np.eye(d)[i] - np.eye(d)[j] for i, j in zip(a, b, strict=True) if i != j]
        for u in (directions[i] for i in rng.permutation(len(directions))):
            low, high = _reach(w, u)
            if high - low <= 1e-15:
                continue
            starts = np.concatenate([[0], np.cumsum([len(h) for h in hard])]).astype(np.int64)
            first = np.array([j for h in hard for j in h], np.int64)
            t, count = best_on_line(pairs, w, u, low, high, (first, starts))
            lines += 1
            if count > score - 1e-9:
                moved = np.maximum(w + t * u, 0.0)
                moved /= moved.sum()
                reached = counted(moved)
                if reached >= score - 1e-9:  # moving along a plateau is what lets the next line see further
                    w, score = moved, reached
        if score <= before + 1e-9:
            break
    return w, score, lines


def search_weights(
    pairs: Pairs, *, starts: int = 6, lines: int = 600, seed: int = 0, first: list[FloatArray] | None = None
) -> Search:
    """Best weights over several starts: equal weights, each attribute's precision, then random points.

    `first` adds starting points. The random numbers only choose where to look, so a seed gives the same
    weights.
    """
    rng = np.random.default_rng(seed)
    d = pairs.d
    own = np.where(pairs.nominal, pairs.x != pairs.z[pairs.own], (pairs.x - pairs.z[pairs.own]) ** 2)
    precision = 1.0 / np.maximum(own.mean(0), 1e-12 * max(1.0, float(own.mean())) + 1e-300)
    points: list[FloatArray] = [np.full(d, 1.0 / d), precision / precision.sum(), *(first or [])]
    points = [np.maximum(p, 0.0) / np.maximum(p, 0.0).sum() for p in points]
    hard: list[list[int]] = [[] for _ in range(pairs.n)]
    best, score, used = points[0], pairs.correct(points[0]), 0
    for s in range(max(starts, len(points))):
        if s < len(points):
            w = points[s]
        elif s % 2:  # around the best so far, on a log scale: good weights span orders of magnitude
            w = best * np.exp(rng.normal(0.0, 1.0, d)) + 1e-4 * rng.dirichlet(np.ones(d))
        else:
            w = np.exp(rng.normal(0.0, 2.0, d))
        w = w / w.sum()
        w, count, spent = _climb(pairs, w, rng, max(3 * d, (lines - used) // max(1, starts - s)), hard)
        used += spent
        if count > score + 1e-9:
            best, score = w, count
        if used >= lines or score >= pairs.value.sum() - 1e-9:
            break
    return Search(best, score, used)


def as_rows(search: Search, names: list[str]) -> list[dict[str, Any]]:
    """Weights as the per-attribute risk of 001, section 4.4: the heaviest attribute first."""
    order = np.argsort(-search.weights, kind="stable")
    return [{"attribute": names[k], "weight": float(search.weights[k])} for k in order]
