"""Evidence linked by assignment: the one-to-one linkage of least total cost.

Four ways, by what the evidence is and how large the file: all pairs written down, the
certified solver on vectors, the same over blocks on the disk, or candidates only.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.base import Distinct, Matching
from tacit.attack.class_links import members_share
from tacit.attack.informed.evidence_graph import CANDIDATES, sparse_links
from tacit.attack.informed.listed_pairs import PairCosts
from tacit.attack.informed.transport import transport, transport_possible
from tacit.attack.solver.assign import assign
from tacit.attack.solver.csr import pointers_of
from tacit.attack.solver.near_optimal import EXACT
from tacit.attack.solver.rounds import CANDIDATES as NEAREST
from tacit.attack.solver.scan import FEW
from tacit.base.errors import TacitWarning
from tacit.base.scipy_parts import linear_sum_assignment
from tacit.base.typing import Floats, Ints

if TYPE_CHECKING:
    from tacit.attack.informed.evidence import Evidence

# Largest number of records for which all pairs of an assignment are written down, and most pairs
# of classes of identical records for which they are, however many records there are
DENSE = 6_000
CLASS_PAIRS = 4_000_000
# Records of files on the disk above which vectors are linked there
HELD = 50_000


def assignment(evidence: Evidence, spill: Path | None = None) -> Matching:
    """The one-to-one link of least total cost; classes of identical records share their links.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    spill : path, optional
        Where files on the disk have their columns: vectors of a large file are linked there, which
        holds a fourth as much.
    """
    large = max(len(evidence.u), len(evidence.v)) > HELD
    if spill is not None and large and evidence.pure and evidence.u.shape[1] > 1:
        return _over_blocks(evidence, spill)
    ours, theirs = evidence.classes()
    records = max(int(ours.count.sum()), int(theirs.count.sum()))
    # on vectors the solver is ten to fifty times as fast as all pairs at 3,000 records; on few
    # records all pairs need no compiled code
    if evidence.pure and records > FEW:
        return _certified(evidence, ours, theirs)
    if records <= DENSE or len(ours.count) * len(theirs.count) <= CLASS_PAIRS:
        return _all_pairs(evidence, ours, theirs)
    return _among_candidates(evidence, ours, theirs)


def _all_pairs(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> Matching:
    """A few thousand records, or few classes of them: every pair of classes is written down."""
    costs = evidence.block(ours.rows, theirs.rows)
    links = min(int(ours.count.sum()), int(theirs.count.sum()))
    possible = np.isfinite(costs)
    copies = ours.count, theirs.count
    few = max(int(ours.count.sum()), int(theirs.count.sum())) <= FEW
    if not possible.all():
        wall = _wall(costs, links)
        if few:
            walled = np.where(possible, costs, wall)
            owner, target, records = _by_records(walled, *copies)
        else:
            owner, target, records = transport_possible(costs, *copies, possible, wall)
    elif few:
        owner, target, records = _by_records(costs, *copies)
    else:
        owner, target, records = transport(costs, *copies)
    real = possible[owner, target]
    # walls are no costs: they are left out of the total
    owner, target, records = owner[real], target[real], records[real]
    indptr = pointers_of(owner, len(ours.count))
    link_cost = costs[owner, target]
    least = np.full(len(ours.count), np.inf)
    linked = np.diff(indptr) > 0
    if linked.any():
        least[linked] = np.minimum.reduceat(link_cost, indptr[:-1][linked])
    share = records / ours.count[owner]
    matching = _matching(
        ours,
        theirs,
        indptr,
        target,
        share,
        least,
    )
    total = float((link_cost * records).sum())
    matching.cost = matching.bound = total
    matching.certified = bool(real.all())
    return matching


def _by_records(
    costs: Floats,
    supply: Ints,
    demand: Ints,
) -> tuple[Ints, Ints, Ints]:
    """What ``transport`` gives, with a row and a column for every record: nothing is compiled."""
    rows = np.repeat(np.arange(len(supply)), supply)
    slots = np.repeat(np.arange(len(demand)), demand)
    i, j = linear_sum_assignment(costs[np.ix_(rows, slots)])
    pair, records = np.unique(rows[i] * len(demand) + slots[j], return_counts=True)
    owner, target = np.divmod(pair, len(demand))
    return owner, target, records


def _wall(costs: Floats, links: int) -> float:
    """More than any set of possible pairs costs: impossible ones are taken only in need."""
    finite = costs[np.isfinite(costs)]
    if not finite.size:
        return 1.0
    widest = finite.max() - min(0.0, finite.min()) + 1.0
    return float(widest * (links + 1))


def _certified(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> Matching:
    """Vectors only: the solver never writes all pairs down; up to ``EXACT`` records it proves."""
    solution = assign(evidence.u, evidence.v, metric="squared", exact=EXACT)
    linked = np.flatnonzero(solution.match >= 0)
    m = len(theirs.rows)
    key = ours.inverse[linked] * m + theirs.inverse[solution.match[linked]]
    pair, count = np.unique(key, return_counts=True)
    owner, target = np.divmod(pair, m)
    gaps = ours.rows[owner] - theirs.rows[target]
    cost = 0.5 * (gaps**2).sum(1)
    matching = _of_links(
        ours,
        theirs,
        owner,
        target,
        count,
        cost,
    )
    # the solver minimised |u - v|^2, twice the cost
    matching.cost = 0.5 * solution.cost
    matching.bound = 0.5 * solution.bound
    matching.certified = solution.certified
    matching.tolerance = solution.tolerance
    matching.log = solution.log
    return matching


def _over_blocks(evidence: Evidence, spill: Path) -> Matching:
    """What ``_certified`` gives, from vectors in blocks on the disk."""
    from tacit.attack.over_blocks.assigned_records import Stop, assigned_vectors

    stop = Stop(NEAREST, gap=0.0, time_limit=None, exact=EXACT, progress=None)
    matching = assigned_vectors(evidence.handed_over(), stop, spill).matching
    # a score is a cost here, half of the squared distance
    matching.score = 0.5 * matching.score**2
    matching.duals = None
    assert matching.cost is not None
    assert matching.bound is not None
    matching.cost *= 0.5
    matching.bound *= 0.5
    return matching


def _among_candidates(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> Matching:
    """With parts that are no distances: assignment inside candidates that hints propose."""
    warnings.warn(
        f"more than {DENSE} records: this attack weighed the {CANDIDATES} nearest "
        "candidates of each record only; its links are not certified, and a full search "
        "could find more",
        TacitWarning,
        stacklevel=2,
    )
    owner, target, count, complete = sparse_links(evidence, ours, theirs)
    cost = PairCosts(evidence)(ours.first[owner], theirs.first[target])
    matching = _of_links(
        ours,
        theirs,
        owner,
        target,
        count,
        cost,
    )
    matching.cost = float((cost * count).sum())
    matching.certified = False
    matching.log = [{"candidates": CANDIDATES, "complete": complete}]
    return matching


def _of_links(
    ours: Distinct,
    theirs: Distinct,
    owner: Ints,
    target: Ints,
    count: Ints | Floats,
    cost: Floats,
) -> Matching:
    """``count[e]`` records of class ``owner[e]`` are linked to class ``target[e]``."""
    # the score of a class is that of its cheapest link
    least = np.full(len(ours.rows), np.inf)
    np.minimum.at(least, owner, cost)
    indptr = pointers_of(owner, len(ours.rows))
    share = count / ours.count[owner]
    return _matching(ours, theirs, indptr, target, share, least)


def _matching(
    ours: Distinct,
    theirs: Distinct,
    indptr: Ints,
    target: Ints,
    share: Floats,
    least: Floats,
) -> Matching:
    """Margins are not worked out: each would need an assignment of its own."""
    unknown = np.full(len(least), np.nan)
    return members_share(
        ours,
        theirs,
        indptr,
        target,
        share,
        score=least,
        margin=unknown,
    )
