"""Weights of the distance that link most records: a fast search by exact line searches.

The number of correct links of the weighted distance (Abril, Navarro-Arribas and Torra 2012,
definition 1) is piecewise constant in the weights. Along any line its breakpoints can be listed
(``kernels.weightline``), so each line search finds the best point of the line exactly. The
search goes along the lines towards and away from each attribute (w + t (e_k - w)), along
exchanges of two attributes, and restarts from random points; it is a heuristic over the whole
simplex. ``weights_proof`` proves how far from the optimum it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.attack.learned.line_search import BETTER, best_on_line, reach
from tacit.attack.solver.csr import pointers
from tacit.base.seeds import FIXED
from tacit.base.typing import Bools, Floats, Ints
from tacit.kernels.weightline import correct_links

# Wrong records kept for each original that are compared with first: they end most scans
# early.
RIVALS = 8
# Differences of attributes up to which those of all pairs are kept (8 MB): a line search is then a
# product of matrices, and nothing is compiled. Their number alone decides.
KEPT = 1_000_000
# A line shorter than this has no inner point to go to
NO_ROOM = 1e-15


@dataclass(frozen=True)
class Pairs:
    """What weights are learned from.

    Attributes
    ----------
    x, z
        Originals, and distinct masked rows.
    own
        The row of z that is each original's.
    value
        What a link counts: 1/g when g masked records are identical to the own one. No
        weights can tell them apart, so no more than 1/g of a link is ever made.
    nominal
        Columns that differ by 0 or 1.
    """

    x: Floats
    z: Floats
    own: Ints
    value: Floats
    nominal: Bools

    @classmethod
    def of(
        cls,
        x: Floats,
        z: Floats,
        nominal: Bools | None = None,
    ) -> Pairs:
        """From aligned arrays, already on a common scale.

        Parameters
        ----------
        x, z : arrays
            Row i of z is the masked form of row i of x.
        nominal : array of bool, optional
            Columns that differ by 0 or 1; none unless given.
        """
        rows, inverse, counts = np.unique(
            z,
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        # the shape of the inverse differs between versions of numpy
        own = inverse.reshape(-1).astype(np.int64)
        if nominal is None:
            nominal = np.zeros(x.shape[1], bool)
        return cls(
            np.ascontiguousarray(x, float),
            np.ascontiguousarray(rows),
            own,
            1.0 / counts[own],
            np.asarray(nominal, bool),
        )

    @property
    def n(self) -> int:
        """Number of originals."""
        return int(self.x.shape[0])

    @property
    def d(self) -> int:
        """Number of attributes."""
        return int(self.x.shape[1])

    @cached_property
    def gains(self) -> Floats | None:
        """d_k(i, j) - d_k(i, own) by attribute k, for every i and every row j of z but the own.

        None: too many to keep.
        """
        others = len(self.z) - 1
        if self.x.size * others > KEPT:
            return None
        gaps = self.x[:, None] - self.z
        parts = np.where(self.nominal, gaps != 0.0, gaps**2)
        is_other = np.arange(len(self.z)) != self.own[:, None]
        own = np.repeat(parts[~is_other], others, axis=0)
        return np.ascontiguousarray((parts[is_other] - own).T)

    def wins(self, *directions: Floats) -> Floats:
        """How much farther than the own row each other row is, for each of these weights.

        Of the shape (weights, originals, other rows); there must be ``gains``.
        """
        assert self.gains is not None
        sums = np.stack(directions) @ self.gains
        return np.asarray(sums.reshape(len(directions), self.n, -1))

    def correct(self, weights: Floats) -> float:
        """Expected correct links; a tie with a different row counts nothing."""
        return float(self.value[self.linked(weights)].sum())

    def linked(self, weights: Floats) -> Bools:
        """Which originals are nearest to their own row, and to no other."""
        if self.gains is None:
            return self.linked_and_rivals(weights)[0]
        (farther,) = self.wins(np.asarray(weights, float))
        return np.asarray(farther.min(axis=1, initial=np.inf) > 0.0)

    def linked_and_rivals(self, weights: Floats) -> tuple[Bools, Ints]:
        """Which originals are linked, and the nearest wrong row of each (-1: none)."""
        rivals = np.empty(self.n, np.int64)
        good: Bools = correct_links(
            self.x,
            self.z,
            self.nominal,
            self.own,
            np.asarray(weights, float),
            rivals,
        )
        return good, rivals


@dataclass(frozen=True)
class Search:
    """What the search found.

    Attributes
    ----------
    weights
        They sum to one.
    correct
        The expected number of correct links that they give.
    lines
        Line searches that were made.
    """

    weights: Floats
    correct: float
    lines: int


class _Climber:
    """Line searches; remembers the wrong records that were nearest to each original."""

    def __init__(
        self,
        pairs: Pairs,
        rng: np.random.Generator,
    ) -> None:
        self.pairs, self.rng = pairs, rng
        self.hard: list[list[int]] = [[] for _ in range(pairs.n)]

    def climb(
        self,
        w: Floats,
        budget: int,
    ) -> tuple[Floats, float, int]:
        """Line searches from w until a whole round of directions brings nothing."""
        lines = 0
        score = self._counted(w)
        while lines < budget:
            before = score
            for u in self._directions(w):
                low, high = reach(w, u)
                if high - low <= NO_ROOM:
                    continue
                t, count = best_on_line(
                    self.pairs,
                    w,
                    u,
                    low,
                    high,
                    self._hard_rows() if self.pairs.gains is None else None,
                )
                lines += 1
                if count > score - BETTER:
                    moved = np.maximum(w + t * u, 0.0)
                    moved /= moved.sum()
                    reached = self._counted(moved)
                    # moving along a plateau is what lets the next line see further
                    if reached >= score - BETTER:
                        w, score = moved, reached
            if score <= before + BETTER:
                break
        return w, score, lines

    def _directions(self, w: Floats) -> list[Floats]:
        """Towards each attribute, towards random points, and exchanges of two attributes."""
        d = self.pairs.d
        rng = self.rng
        unit = np.eye(d)
        directions: list[Floats] = [unit[k] - w for k in range(d)]
        directions += [rng.dirichlet(np.full(d, 0.5)) - w for _ in range(d)]
        gains = rng.integers(d, size=d)
        loses = rng.integers(d, size=d)
        for i, j in zip(gains, loses, strict=True):
            if i != j:
                directions.append(unit[i] - unit[j])
        return [directions[i] for i in rng.permutation(len(directions))]

    def _hard_rows(self) -> tuple[Ints, Ints]:
        """The remembered records of all originals, end to end."""
        degree = np.array([len(rows) for rows in self.hard], np.int64)
        rows = [j for rows in self.hard for j in rows]
        return np.array(rows, np.int64), pointers(degree)

    def _counted(self, w: Floats) -> float:
        """Links at these weights; the nearest wrong record of each original is remembered."""
        if self.pairs.gains is not None:
            # all rows are compared with at once: none has to come first
            return self.pairs.correct(w)
        good, rivals = self.pairs.linked_and_rivals(w)
        for i, j in enumerate(rivals.tolist()):
            if j >= 0 and j not in self.hard[i]:
                self.hard[i] = [*self.hard[i][1 - RIVALS :], j]
        return float(self.pairs.value[good].sum())


def search_weights(
    pairs: Pairs,
    *,
    starts: int = 6,
    lines: int = 600,
    seed: int = FIXED,
    first: list[Floats] | None = None,
) -> Search:
    """Best weights over several starts: equal weights, each attribute's precision, random points.

    The random numbers only choose where to look, so a seed gives the same weights.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    starts : int
        Points to start from.
    lines : int
        Line searches in all.
    seed : int
        Of the random points and directions.
    first : list of arrays, optional
        More starting points.
    """
    rng = np.random.default_rng(seed)
    d = pairs.d
    points = [np.full(d, 1.0 / d), _precisions(pairs), *(first or [])]
    points = [np.maximum(p, 0.0) / np.maximum(p, 0.0).sum() for p in points]
    # it remembers hard rivals from one start to the next
    climber = _Climber(pairs, rng)
    best = points[0]
    score = pairs.correct(points[0])
    used = 0
    for number in range(max(starts, len(points))):
        if number < len(points):
            w = points[number]
        elif number % 2:
            # around the best so far, on a log scale: good weights span orders of magnitude
            near = best * np.exp(rng.normal(0.0, 1.0, d))
            w = near + 1e-4 * rng.dirichlet(np.ones(d))
        else:
            w = np.exp(rng.normal(0.0, 2.0, d))
        # what is left is shared evenly; three lines per attribute are the least that helps
        budget = max(3 * d, (lines - used) // max(1, starts - number))
        w, count, spent = climber.climb(w / w.sum(), budget)
        used += spent
        if count > score + BETTER:
            best, score = w, count
        if used >= lines or score >= pairs.value.sum() - BETTER:
            break
    return Search(best, score, used)


def _precisions(pairs: Pairs) -> Floats:
    """1 / mean squared change of each attribute, in proportion."""
    own = pairs.z[pairs.own]
    change = np.where(pairs.nominal, pairs.x != own, (pairs.x - own) ** 2)
    # an attribute that did not change would get all the weight
    least = 1e-12 * max(1.0, float(change.mean())) + 1e-300
    precision = 1.0 / np.maximum(change.mean(0), least)
    return np.asarray(precision / precision.sum())
