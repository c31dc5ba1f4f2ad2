"""Pairs beyond the nearest, found while prices are still coarse.

Where few columns are compared and much noise was added, the nearest records of a record are taken
by others many times over: everybody in a thin region must go far, and a graph of the nearest has no
place for them. An auction on it does not settle (its bidders outbid each other for the same places
until their bids are used up), and shortest paths through it are long and for nothing, because the
least linkage of such a graph is far from that of all pairs.

So the auction asks first. If it leaves rows without a place, it begins again with a large eps, at
which prices need few bids, and after each phase every row looks among *all* columns for those that
the prices of the moment make better than what it knows. The graph is then made of the places to
which prices lead, before anything is solved exactly: column generation inside the scaling of eps
(Bertsekas 1988 for the scaling; pricing as in ``solver.rounds``).

50,000 records of two columns, noise of 8 %: the optimum is proven after 8 CPU seconds, before
after 19; with squared costs after 5, before 33; at noise of 16 % after 17, before 70, and 20,
before 90. It sets the speed only, never the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.solver.assign_graph import AT_ONCE, PHASES, typical
from tacit.attack.solver.neighbours import search
from tacit.base.typing import Floats
from tacit.kernels.assignment import auction as kernel
from tacit.kernels.assignment.graph import least

if TYPE_CHECKING:
    from tacit.attack.solver.rounds import Rounds

FIRST = 100.0
"""eps of the first phase, in units of the median cost."""
FINEST = 0.01
"""The same of the last phase: where ``rounds`` takes over."""
STEP = 10.0
"""Each phase has an eps this much smaller than the one before; this much larger is that of a new
beginning, where the first phase does not settle."""
BEGINNINGS = 4
"""After so many that did not settle the graph is left to ``rounds``."""
TRIAL_BIDS = 40
"""Bids for each row after which an auction on the nearest is taken not to settle."""
BIDS = 20
"""Bids for each row between two looks at all columns."""
LOOKS = 14
"""Most looks of a phase."""
PATIENCE = 6
"""Looks after which a phase that has not settled is not waited for."""
ADDED = 4
"""Columns that a row may learn of in one look; prices will move, so the best few are enough."""
LEFT_OVER = 0.001
"""Share of rows without a place at which an auction has as good as settled."""
FEW = 0.1
"""Share of rows that learn of a better column at which the next phase may begin."""


def widen(rounds: Rounds) -> None:
    """Add the pairs to which prices lead, if the graph of the nearest has too few.

    Parameters
    ----------
    rounds : Rounds
        With its first graph, of which nothing was solved yet; its solver's prices are then near
        the optimum.
    """
    # along one line the first linkage, in sorted order, is the best there is
    if len(rounds.cols) <= AT_ONCE or rounds.queries.shape[1] < 2:
        return
    unit = typical(rounds.arc_cost)
    if unit <= 0 or _settles(rounds, PHASES[0] * unit, TRIAL_BIDS):
        return
    for beginning in range(BEGINNINGS):
        rounds.solver.forget()
        eps = FIRST * STEP**beginning * unit
        if _phase(rounds, eps):
            break
    while eps > FINEST * unit and not rounds.stopper.stopped:
        eps /= STEP
        if not _phase(rounds, eps):
            return


def _phase(rounds: Rounds, eps: float) -> bool:
    """Bids and looks in turn; has everybody found a place, among all that there are?"""
    settled = False
    for look in range(LOOKS):
        settled = _settles(rounds, eps, BIDS)
        if rounds.stopper.stopped:
            return False
        learned = _look(rounds, eps)
        if settled and learned <= FEW * len(rounds.left):
            break
        if not settled and look >= PATIENCE:
            break
    return settled


def _settles(rounds: Rounds, eps: float, bids: int) -> bool:
    """One phase of the auction; has (nearly) everybody a place after so many bids each?"""
    state, v = rounds.solver.state, rounds.solver.v
    graph = rounds.indptr, rounds.cols, rounds.arc_cost
    most = bids * len(state.kind)

    def phase() -> None:
        if kernel.drop(*graph, v, state, eps):
            kernel.auction(*graph, rounds.far, v, state, eps, most, rounds.stopper.flag)

    rounds.stopper.run([phase])
    left = int((state.row_col < 0).sum())
    return left <= LEFT_OVER * len(state.kind)


def _look(rounds: Rounds, eps: float) -> int:
    """How many rows find a column that is better by eps than all they know; the graph gets it."""
    v = rounds.solver.v.copy()
    u: Floats = least(rounds.indptr, rounds.cols, rounds.arc_cost, v)
    _, index = search(
        rounds.queries,
        rounds.tree,
        ADDED,
        rounds.kind,
        rounds.stopper,
        rows=rounds.order,
        limits=(u - eps)[rounds.order],
        weights=v,
    )
    if rounds.stopper.stopped:
        return 0
    seen = index >= 0
    if seen.any():
        rounds.add(np.repeat(rounds.order, seen.sum(axis=1)), index[seen])
    return int(seen[:, 0].sum())
