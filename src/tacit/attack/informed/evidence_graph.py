"""Evidence that is no distance, on large files: candidates by nearness, and their exact costs.

Each part proposes candidates by a hint, vectors whose nearness goes with a low cost (ranks
over the window, values over the rounding base). Costs are exact on the candidates; other pairs
are left out, so an assignment inside them is not certified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.base import Distinct
from tacit.attack.informed.listed_pairs import PairCosts
from tacit.attack.solver.assign import assign
from tacit.attack.solver.assign_graph import assign_graph
from tacit.attack.solver.csr import owners, pointers_of, take_rows
from tacit.attack.solver.near_optimal import EXACT
from tacit.attack.solver.neighbours import neighbours
from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.kernels.arrays import rising

if TYPE_CHECKING:
    from tacit.attack.informed.evidence import Evidence

# Nearest records by hint that are weighed, each way
CANDIDATES = 24
# Records up to which all costs are looked at where no hint says which pairs are near: 36 million
# costs, seconds.
BY_COST = 6_000
# Records of a block of costs: 6,000 times 500 numbers are 24 MB.
BLOCK = 500


def hints(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> tuple[Floats, Floats]:
    """Vectors of the distinct records in which near pairs are likely ones."""
    left = [evidence.u[ours.first]]
    right = [evidence.v[theirs.first]]
    for part in evidence.parts:
        if part.hint is None:
            raise InputError(
                "this attack compares all pairs and takes up to 6000 records; link a "
                "sample, or use rule='nearest'"
            )
        left.append(part.hint[0][ours.first])
        right.append(part.hint[1][theirs.first])
    return np.ascontiguousarray(np.hstack(left)), np.ascontiguousarray(np.hstack(right))


def candidate_pairs(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
    k: int,
) -> tuple[Ints, Ints, Floats]:
    """(distinct original, distinct masked, cost) of the k likeliest, both ways.

    They are sorted, and impossible ones are left out. Likeliest are the nearest by hint; where a
    part has none, the cheapest of all pairs, up to BY_COST records.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    ours, theirs : Distinct
        Its classes.
    k : int
        Candidates of each record.
    """
    n = len(ours.rows)
    m = len(theirs.rows)
    has_hints = all(part.hint is not None for part in evidence.parts)
    if has_hints or max(n, m) > BY_COST:
        a, b = hints(evidence, ours, theirs)
        forth = neighbours(a, b, min(k, m))[1]
        back = neighbours(b, a, min(k, n))[1]
    else:
        forth, back = _cheapest(evidence, ours, theirs, k)
    forth_key = np.repeat(np.arange(n), forth.shape[1]) * m + forth.ravel()
    back_key = back.ravel() * m + np.repeat(np.arange(m), back.shape[1])
    # near one way is enough to be a candidate
    pair = rising(np.concatenate([forth_key, back_key]))
    rows, columns = np.divmod(pair, m)
    cost = PairCosts(evidence)(ours.first[rows], theirs.first[columns])
    possible = np.isfinite(cost)
    return rows[possible], columns[possible], cost[possible]


def _cheapest(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
    k: int,
) -> tuple[Ints, Ints]:
    """The k cheapest masked records of each original, and the reverse, from all costs in blocks."""
    n = len(ours.rows)
    m = len(theirs.rows)
    forth = [
        np.argpartition(
            evidence.block(ours.rows[start : start + BLOCK], theirs.rows),
            min(k, m) - 1,
            axis=1,
        )[:, :k]
        for start in range(0, n, BLOCK)
    ]
    back = [
        np.argpartition(
            evidence.block(ours.rows, theirs.rows[start : start + BLOCK]),
            min(k, n) - 1,
            axis=0,
        )[:k].T
        for start in range(0, m, BLOCK)
    ]
    return np.vstack(forth), np.vstack(back)


def sparse_links(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> tuple[Ints, Ints, Floats, bool]:
    """An assignment inside the candidates.

    Returns
    -------
    owner, target, count : arrays
        How many records of which class are linked to which masked class.
    complete : bool
        All records could be linked inside the candidates.
    """
    if int(ours.count.sum()) > int(theirs.count.sum()):
        raise InputError(
            "the masked file is shorter than the original: link a sample, or use "
            "rule='nearest'"
        )
    a, b = hints(evidence, ours, theirs)
    listed = candidate_pairs(
        evidence,
        ours,
        theirs,
        CANDIDATES,
    )
    units = np.repeat(np.arange(len(ours.rows)), ours.count)
    slots = np.repeat(np.arange(len(theirs.rows)), theirs.count)
    # A complete linkage must exist: the one that is best by the hints joins, behind a wall
    # of cost. It only has to be there, so 1 % from the optimum is near enough.
    near = assign(a[units], b[slots], metric="squared", gap=0.01, exact=EXACT)
    return links_among(listed, ours, theirs, slots[near.match])


def links_among(
    listed: tuple[Ints, Ints, Floats], ours: Distinct, theirs: Distinct, spare: Ints
) -> tuple[Ints, Ints, Floats, bool]:
    """An assignment inside listed pairs of classes.

    Parameters
    ----------
    listed : (original class, masked class, cost)
        The pairs that come into question.
    ours, theirs : Distinct
        The classes.
    spare : array of int
        A masked class for each original record that together make a complete linkage: taken where
        there is no other, and then not called a link.

    Returns
    -------
    owner, target, count, complete
        As ``sparse_links``.
    """
    rows, columns, cost = listed
    n, m = len(ours.rows), len(theirs.rows)
    units = np.repeat(np.arange(n), ours.count)
    lowest = min(0.0, float(cost.min(initial=0.0)))
    wall = (float(cost.max(initial=0.0)) - lowest + 1.0) * 1e3
    unit_ptr, edge = take_rows(pointers_of(rows, n), units)
    each = np.arange(len(units))
    row = np.concatenate([owners(unit_ptr), each])
    column = np.concatenate([columns[edge], spare])
    price = np.concatenate([cost[edge], np.full(len(units), wall)])
    # where the spare link is a candidate too, the lower price stays
    order = np.lexsort((price, column, row))
    row = row[order]
    column = column[order]
    price = price[order]
    is_first = np.concatenate([[True], (np.diff(row) != 0) | (np.diff(column) != 0)])
    row = row[is_first]
    column = column[is_first]
    price = price[is_first]
    indptr = pointers_of(row, len(units))
    match = assign_graph(indptr, column, price, m, capacities=theirs.count).match
    # where the chosen arc of each record stands
    chosen = np.searchsorted(row * m + column, each * m + match)
    is_real = price[chosen] < wall
    key = units[is_real] * m + match[is_real]
    pair, count = np.unique(key, return_counts=True)
    owner, target = np.divmod(pair, m)
    return owner, target, count.astype(float), bool(is_real.all())
