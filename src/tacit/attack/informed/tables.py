"""Costs that are looked up: one table per column, codes of the original by codes of the release."""

from __future__ import annotations

import numpy as np

from tacit.attack.informed.evidence import Evidence, Part
from tacit.base.typing import Floats, Ints

# Probabilities are at least this, so that no logarithm is infinite
SMALLEST = 1e-300


class Tables:
    """The cost of a pair of records: the sum over columns of a table's entry.

    Parameters
    ----------
    tables : list of arrays
        One per column: cost of (code of the original, code of the masked record).
    """

    def __init__(self, tables: list[Floats]) -> None:
        self.tables = tables

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        rows = p.astype(np.int64)
        columns = q.astype(np.int64)
        total = np.zeros((len(p), len(q)))
        for k, table in enumerate(self.tables):
            # rows first: whole rows are copied fast
            total += table[rows[:, k]][:, columns[:, k]]
        return total


def looked_up(
    ours: Ints,
    theirs: Ints,
    tables: list[Floats],
    hint: tuple[Floats, Floats] | None = None,
) -> Evidence:
    """Evidence of columns whose pairs of codes have a cost each.

    Parameters
    ----------
    ours, theirs : arrays of int
        Codes, records x columns.
    tables : list of arrays
        One per column.
    hint : pair of arrays, optional
        Vectors whose nearness proposes candidates on large files.
    """
    part = Part(ours.astype(float), theirs.astype(float), Tables(tables), hint)
    return Evidence.of_part(part)


def balanced(
    weight: Floats,
    rows: Floats,
    columns: Floats,
    rounds: int,
) -> Floats:
    """Rescale rows and columns of a positive matrix in turn until they have the given sums.

    This is Sinkhorn's algorithm: of all matrices with these sums it gives the one nearest to
    ``weight`` in relative entropy. Row sums hold exactly, column sums in the limit.

    Parameters
    ----------
    weight : array
        Positive weights.
    rows, columns : arrays
        The sums wanted; both have the same total.
    rounds : int
        How often both are rescaled.
    """
    # only two vectors of factors change: the matrix is written once
    right = np.ones(weight.shape[1])
    left = np.ones(weight.shape[0])
    for _ in range(rounds):
        left = rows / np.maximum(weight @ right, SMALLEST)
        right = columns / np.maximum(left @ weight, SMALLEST)
    left = rows / np.maximum(weight @ right, SMALLEST)
    return np.asarray(left[:, None] * weight * right)


def links_of(cost: Floats, rounds: int = 10) -> Floats:
    """Probabilities of links: exp(-cost), balanced so that each record has one link.

    Parameters
    ----------
    cost : array
        Minus log likelihoods of all pairs.
    rounds : int
        How often rows and columns are rescaled.
    """
    n, m = cost.shape
    weight = np.exp(cost.min(axis=1, keepdims=True) - cost)
    # files of different length: the shorter one's records are all linked
    most = float(min(n, m))
    return balanced(weight, np.full(n, most / n), np.full(m, most / m), rounds)


def counted(
    links: Floats,
    ours: Ints,
    theirs: Ints,
    shape: tuple[int, int],
) -> Floats:
    """Expected number of links of each pair of codes.

    Parameters
    ----------
    links : array
        Probabilities of links.
    ours, theirs : arrays of int
        The codes of one column.
    shape : pair of int
        How many codes both files have.
    """
    # sums over equal codes: sort once, then add runs
    by_theirs = _add_columns(links, theirs, shape[1])
    return _add_columns(by_theirs.T, ours, shape[0]).T


def _add_columns(
    matrix: Floats,
    code: Ints,
    size: int,
) -> Floats:
    """Sum of the columns of each code."""
    indicator = np.zeros((len(code), size))
    indicator[np.arange(len(code)), code] = 1.0
    return np.asarray(matrix @ indicator)
