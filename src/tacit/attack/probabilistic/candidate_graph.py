"""The graph on which link probabilities are computed, and the cost of being in no link."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct
from tacit.attack.informed.evidence import Evidence
from tacit.attack.informed.evidence_graph import candidate_pairs
from tacit.base.scipy_parts import linear_sum_assignment
from tacit.base.typing import Floats, Ints

# Nats behind the best candidate beyond which one cannot be seen in a probability: 1e-7
REACH = 16.0
# Records up to which the cheapest matching is found among all pairs written down
WRITTEN_DOWN = 6_000


def unmatched(
    at: Ints,
    cost: Floats,
    copies: Ints,
    there: int,
) -> Floats:
    """Cost of staying unmatched where the other file is shorter.

    Only as many records as it has can be matched. The same for all: one nat above the best
    cost of the last record that can be matched.

    Parameters
    ----------
    at, cost : arrays
        The record of each edge, and its cost.
    copies : array of int
        How many records each of them stands for.
    there : int
        Records of the other file.
    """
    size = len(copies)
    best = np.full(size, np.inf)
    np.minimum.at(best, at, cost)
    # the records that fit best take the places of the shorter file
    order = np.argsort(best, kind="stable")
    matched = int(np.searchsorted(np.cumsum(copies[order]), there))
    limit = best[order[min(matched, size - 1)]]
    return np.full(size, (limit if np.isfinite(limit) else 0.0) + 1.0)


def graph(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
    candidates: int,
    dense: int,
) -> tuple[Ints, Ints, Floats, bool]:
    """Edges between classes with their costs: all pairs of a small file, near ones of a large.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    ours, theirs : Distinct
        Its classes.
    candidates : int
        Edges kept for each record of a large file.
    dense : int
        Largest number of distinct records of a small file.

    Returns
    -------
    rows, columns, cost, whole
        ``whole``: no edge that matters was left out, and of files of equal length the cheapest
        matching is among them.
    """
    n = len(ours.rows)
    m = len(theirs.rows)
    if max(n, m) > dense and candidates < min(n, m):
        return *candidate_pairs(evidence, ours, theirs, candidates), False
    cost = evidence.block(ours.rows, theirs.rows)
    # an edge stays if it matters to its row or to its column
    near_row = cost <= cost.min(1, keepdims=True) + REACH
    near_column = cost <= cost.min(0, keepdims=True) + REACH
    kept = (near_row | near_column) & np.isfinite(cost)
    # without a matching inside the graph there would be nothing to weigh, and beliefs would drift
    if ours.count.sum() == theirs.count.sum() <= WRITTEN_DOWN:
        kept[cheapest_matching(cost, ours.count, theirs.count)] = True
    rows, columns = np.nonzero(kept)
    return rows, columns, cost[rows, columns], True


def cheapest_matching(
    cost: Floats, row_copies: Ints, column_copies: Ints
) -> tuple[Ints, Ints]:
    """The pairs of classes in the one-to-one linkage of least cost, impossible ones left out."""
    rows = np.repeat(np.arange(len(row_copies)), row_copies)
    columns = np.repeat(np.arange(len(column_copies)), column_copies)
    possible = np.isfinite(cost)
    top = float(np.abs(cost[possible]).max(initial=0.0))
    # more than any sum of others, so that an impossible pair is taken only in need
    walled = np.where(possible, cost, (2.0 * top + 1.0) * (len(rows) + 1))
    i, j = linear_sum_assignment(walled[np.ix_(rows, columns)])
    taken = possible[rows[i], columns[j]]
    return rows[i][taken], columns[j][taken]
