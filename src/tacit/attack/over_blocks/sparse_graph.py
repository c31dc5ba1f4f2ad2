"""A graph of pairs with their costs, to which pairs are added; nobody has to hold the records.

Pairs come in parts, which may lie on the disk, and are put into the rows of the graph one part
after the other: beside the graph itself only one part is held, and some rows while they are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from tacit.attack.solver.csr import pointers
from tacit.base.typing import Floats, Ints

Pairs = tuple[Ints, Ints, Floats]
"""Rows, columns and costs of some pairs; one may occur twice."""
SOME = 1 << 22
"""Costs of which the median is taken."""
ROWS = 1 << 16
"""Rows of the graph that are sorted at a time."""


CLEAR = 1e-9
"""A cost that is less by this share is less whatever rounding did."""


class Part(Protocol):
    """Some pairs, read whenever they are asked for."""

    def read(self) -> Pairs:
        """The pairs."""
        ...


@dataclass(frozen=True)
class HeldPairs:
    """Pairs in memory."""

    pairs: Pairs

    def read(self) -> Pairs:
        """The pairs."""
        return self.pairs


@dataclass(frozen=True)
class PairsOnDisk:
    """Pairs in a file of ``least_values``."""

    path: Path

    def read(self) -> Pairs:
        """The pairs."""
        with np.load(self.path) as found:
            return found["rows"], found["cols"], found["costs"]


@dataclass(frozen=True)
class FoundFromColumns:
    """Pairs that columns found, without those that their rows have found themselves.

    ``farthest``: the cost of the last that each row found; whoever is clearly nearer is among them.
    """

    path: Path
    farthest: Floats

    def read(self) -> Pairs:
        """The pairs."""
        cols, rows, costs = PairsOnDisk(self.path).read()
        new = costs >= self.farthest[rows] * (1 - CLEAR)
        return rows[new], cols[new], costs[new]


@dataclass(frozen=True)
class SparseGraph:
    """Row i may go to ``cols[e]`` at ``cost[e]``, e in ``indptr[i] .. indptr[i + 1] - 1``.

    The columns of a row rise and none comes twice.
    """

    indptr: Ints
    cols: Ints
    cost: Floats
    width: int

    @classmethod
    def of(cls, parts: Sequence[Part], height: int, width: int) -> SparseGraph:
        """The graph of these pairs, with so many rows and columns.

        Of a pair that comes twice the cost is that of the first part.
        """
        degree = np.zeros(height, np.int64)
        for part in parts:
            _count(degree, part.read()[0])
        indptr = pointers(degree)
        cols = np.empty(indptr[-1], np.int64)
        cost = np.empty(indptr[-1])
        # where the next pair of each row goes
        place = degree
        place[:] = indptr[:-1]
        for part in parts:
            rows, some, costs = part.read()
            order = np.argsort(rows, kind="stable")
            ranked = rows[order]
            # how many of the same row stand before each
            first = np.searchsorted(ranked, ranked)
            at = place[ranked] + np.arange(len(ranked)) - first
            cols[at], cost[at] = some[order], costs[order]
            _count(place, rows)
        return cls(_once(indptr, cols, cost, width), cols, cost, width)

    def with_pairs(self, parts: Sequence[Part]) -> SparseGraph:
        """The graph with these pairs, too."""
        height = len(self.indptr) - 1
        mine = [SomeRows(self, first) for first in range(0, height, ROWS)]
        return SparseGraph.of([*mine, *parts], height, self.width)

    @property
    def typical(self) -> float:
        """The unit of eps: the median cost, or the mean where most costs are zero.

        Of many arcs it is taken from some of them, evenly spaced.
        """
        some = self.cost[:: 1 + len(self.cost) // SOME]
        median = float(np.median(some))
        return median if median > 0 else float(np.abs(some).mean())


@dataclass(frozen=True)
class SomeRows:
    """The pairs of ``ROWS`` rows of a graph."""

    graph: SparseGraph
    first: int

    def read(self) -> Pairs:
        """The pairs."""
        indptr = self.graph.indptr[self.first : self.first + ROWS + 1]
        rows = np.arange(self.first, self.first + len(indptr) - 1)
        here = slice(indptr[0], indptr[-1])
        owner = np.repeat(rows, np.diff(indptr))
        return owner, self.graph.cols[here], self.graph.cost[here]


def _count(total: Ints, rows: Ints) -> None:
    """Add how often each row occurs, in place; the rows of a part are near each other."""
    if len(rows):
        low = int(rows.min())
        found = np.bincount(rows - low)
        total[low : low + len(found)] += found


def _once(indptr: Ints, cols: Ints, cost: Floats, width: int) -> Ints:
    """Sort each row and leave each of its columns once, in place; where the rows begin then."""
    height = len(indptr) - 1
    degree = np.empty(height, np.int64)
    kept = 0
    for first in range(0, height, ROWS):
        last = min(first + ROWS, height)
        here = slice(indptr[first], indptr[last])
        owner = np.repeat(np.arange(last - first), np.diff(indptr[first : last + 1]))
        # one number for each pair: sorted, equal ones stand together
        key = owner * width + cols[here]
        order = np.argsort(key, kind="stable")
        key = key[order]
        is_first = np.ones(len(key), bool)
        is_first[1:] = key[1:] != key[:-1]
        owner, some = np.divmod(key[is_first], width)
        costs = cost[here][order[is_first]]
        # what is kept moves up over what came twice before it
        there = slice(kept, kept + len(some))
        cols[there], cost[there] = some, costs
        degree[first:last] = np.bincount(owner, minlength=last - first)
        kept = there.stop
    # the rest of the memory is given back
    cols.resize(kept, refcheck=False)
    cost.resize(kept, refcheck=False)
    return pointers(degree)
