"""Evidence that is no distance, on large files: candidates by nearness, their exact costs, and a sparse assignment.

Each part proposes candidates by a hint, vectors whose nearness goes with a low cost (ranks over the window, values
over the rounding base). Costs are exact on the candidates; other pairs are left out, so the result is not certified.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct
from tacit.errors import InputError
from tacit.microdata import FloatArray

CANDIDATES = 24
PAIRS = 64


def hints(evidence: object, ours: Distinct, theirs: Distinct) -> tuple[FloatArray, FloatArray]:
    """Vectors of the distinct records in which near pairs are likely ones."""
    left, right = [evidence.u[ours.first]], [evidence.v[theirs.first]]  # type: ignore[attr-defined]
    for part in evidence.parts:  # type: ignore[attr-defined]
        if part.hint is None:
            raise InputError(
                "this attack compares all pairs and takes up to 6000 records; link a sample, or use rule='nearest'"
            )
        left.append(part.hint[0][ours.first])
        right.append(part.hint[1][theirs.first])
    return np.ascontiguousarray(np.hstack(left)), np.ascontiguousarray(np.hstack(right))


def pair_costs(evidence: object, a: FloatArray, b: FloatArray) -> FloatArray:
    """Costs of row s of a with row s of b."""
    q = evidence.u.shape[1]  # type: ignore[attr-defined]
    total = 0.5 * ((a[:, :q] - b[:, :q]) ** 2).sum(1)
    at = q
    for part in evidence.parts:  # type: ignore[attr-defined]
        width = part.a.shape[1]
        for s in range(0, len(a), PAIRS):
            block = part.cost(a[s : s + PAIRS, at : at + width], b[s : s + PAIRS, at : at + width])
            total[s : s + PAIRS] += np.diag(block)
        at += width
    return np.asarray(total)


def candidate_pairs(
    evidence: object, ours: Distinct, theirs: Distinct, k: int
) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """(distinct original, distinct masked, cost) of the k nearest by hint, both ways; in order, impossible ones out."""
    from tacit.attack.neighbours import neighbours

    a, b = hints(evidence, ours, theirs)
    n, m = len(a), len(b)
    forth = neighbours(a, b, min(k, m))[1]
    back = neighbours(b, a, min(k, n))[1]
    key = np.concatenate(
        [
            np.repeat(np.arange(n), forth.shape[1]) * m + forth.ravel(),
            back.ravel() * m + np.repeat(np.arange(m), back.shape[1]),
        ]
    )
    rows, columns = np.divmod(np.unique(key), m)
    cost = pair_costs(evidence, ours.rows[rows], theirs.rows[columns])
    possible = np.isfinite(cost)
    return rows[possible], columns[possible], cost[possible]


def sparse_links(evidence: object, ours: Distinct, theirs: Distinct) -> tuple[np.ndarray, np.ndarray, FloatArray, bool]:
    """(owner, target, number of links) of an assignment inside the candidates, and whether all could be linked."""
    from tacit.attack.solve import assign
    from tacit.attack.solve_graph import assign_graph

    if int(ours.count.sum()) > int(theirs.count.sum()):
        raise InputError("the masked file is shorter than the original: link a sample, or use rule='nearest'")
    a, b = hints(evidence, ours, theirs)
    rows, columns, cost = candidate_pairs(evidence, ours, theirs, CANDIDATES)
    # a complete linkage must exist: the one that is best by the hints joins, behind a wall of cost
    units = np.repeat(np.arange(len(ours.rows)), ours.count)
    slots = np.repeat(np.arange(len(theirs.rows)), theirs.count)
    spare = slots[assign(a[units], b[slots], metric="squared", gap=0.01).match]
    wall = (float(cost.max(initial=0.0)) - min(0.0, float(cost.min(initial=0.0))) + 1.0) * 1e3
    start = np.searchsorted(rows, np.arange(len(ours.rows) + 1))
    degree = np.diff(start)[units]
    begin = np.concatenate([[0], np.cumsum(degree)])[:-1]
    edge = np.repeat(start[:-1][units], degree) + np.arange(degree.sum()) - np.repeat(begin, degree)
    row = np.concatenate([np.repeat(np.arange(len(units)), degree), np.arange(len(units))])
    column = np.concatenate([columns[edge], spare])
    price = np.concatenate([cost[edge], np.full(len(units), wall)])
    order = np.lexsort((price, column, row))
    row, column, price = row[order], column[order], price[order]
    first = np.concatenate([[True], (np.diff(row) != 0) | (np.diff(column) != 0)])
    row, column, price = row[first], column[first], price[first]
    indptr = np.searchsorted(row, np.arange(len(units) + 1))
    match = assign_graph(indptr, column, price, len(theirs.rows), capacities=theirs.count).match
    key = row * len(theirs.rows) + column
    chosen = np.searchsorted(key, np.arange(len(units)) * len(theirs.rows) + match)
    kept = price[chosen] < wall
    pair, count = np.unique(units[kept] * len(theirs.rows) + match[kept], return_counts=True)
    owner, target = np.divmod(pair, len(theirs.rows))
    return owner, target, count.astype(float), bool(kept.all())
