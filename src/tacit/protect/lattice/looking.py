"""Looking at nodes: counting their records, and keeping the best.

What the search over a whole lattice (``search``) and the one over a lattice that is too large to
be held (``wide_search``) share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.protect.lattice.class_cells import Cells, rolled
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.level_codes import KeyColumn, Levels, shape_of
from tacit.protect.lattice.settle import Settled, settle, suppressed_least
from tacit.protect.lattice.utilities.base import Utility
from tacit.protect.lattice.view import Extras

KEPT = 256
"""Counted nodes whose cells are kept to be rolled up from."""
ROUNDING = 1e-12
"""Losses that differ by less are the same."""


@dataclass(frozen=True)
class Found:
    """What a search found."""

    levels: Levels | None
    """The best node; None: no node that was looked at keeps the constraints."""
    loss: float
    bound: float
    """No node loses less; equal to ``loss`` where the node is proven to be the best."""
    proven: bool
    """Every node was looked at, or closed for a reason that holds."""
    suppressed: int
    nodes: int
    checked: int
    reason: str
    """Why the last node that was looked at fails, where none was found."""


def nothing_found(
    found: Found,
    share: float,
) -> str:
    """Why there is no node, in one sentence; ``share`` of the people may be suppressed."""
    # a search that was stopped must not say that nothing exists
    looked = "no node of the lattice" if found.proven else "no node looked at"
    return (
        f"{looked} keeps every model within suppression_limit="
        f"{share:g} ({found.reason} fails); raise the limit, weaken the "
        "model, or add higher levels to the hierarchies"
    )


@dataclass(frozen=True)
class Problem:
    """What is searched."""

    columns: Sequence[KeyColumn]
    bottom: Cells
    extras: Extras
    constraints: Sequence[Constraint]
    utility: Utility
    limit: int
    """The largest number of people that may be suppressed."""
    levels: Sequence[int | None] = ()
    """Levels that are given, by column; None: any."""
    passed_over: frozenset[Levels] = frozenset()
    """Nodes that are not wanted, whatever they keep."""

    @property
    def lasting(self) -> list[Constraint]:
        """The constraints that stay kept further up."""
        several = self.extras.person is not None
        return [
            one
            for one in self.constraints
            if one.monotone(suppression=self.limit > 0, several_rows=several)
        ]


class Looking:
    """The nodes that were looked at, and the best of them."""

    def __init__(
        self,
        problem: Problem,
    ) -> None:
        self.problem = problem
        self.shape = shape_of(problem.columns)
        self._lasting = problem.lasting
        # some losses compare with the keys as they are in the file
        problem.utility.start(problem.bottom)
        self._stored: dict[Levels, Cells] = {problem.bottom.levels: problem.bottom}
        self.best: Levels | None = None
        self.loss = np.inf
        self.suppressed = 0
        self.checked = 0
        self.reason = ""

    def look(
        self,
        node: Levels,
        *,
        kept: bool = False,
    ) -> bool:
        """Count the records of a node; whether the constraints that last hold.

        Parameters
        ----------
        node : tuple of int
            The levels.
        kept : bool
            They are known to hold.
        """
        problem = self.problem
        self.checked += 1
        cells = self.cells(node)
        limit = problem.limit
        lasting = self._lasting
        # the lasting constraints first and alone: only they say anything of the nodes below
        if not kept and not suppressed_least(cells, problem.extras, lasting, limit):
            # finding a reason costs a second look; one is enough for the message
            self.reason = self.reason or self._why(cells)
            return False
        settled = settle(cells, problem.extras, problem.constraints, limit)
        # a node that is passed over is looked at all the same: what it closes stays closed
        if settled.met and node not in problem.passed_over:
            self._keep(node, settled)
        else:
            self.reason = settled.reason
        return True

    def found(
        self,
        nodes: int,
        bound: float,
        *,
        proven: bool,
    ) -> Found:
        """What was found, and what any node loses at least."""
        # no bound may be above a loss that was reached
        return Found(
            self.best,
            self.loss,
            min(self.loss if proven else bound, self.loss),
            proven,
            self.suppressed,
            nodes,
            self.checked,
            self.reason,
        )

    def _why(
        self,
        cells: Cells,
    ) -> str:
        problem = self.problem
        settled = settle(cells, problem.extras, problem.constraints, problem.limit)
        return settled.reason

    def _keep(
        self,
        node: Levels,
        settled: Settled,
    ) -> None:
        """A node that keeps every constraint."""
        loss = self.problem.utility.loss(settled)
        same = abs(loss - self.loss) <= ROUNDING
        # of equal ones the one that suppresses less, then the first
        if same and self.best is not None:
            better = (settled.suppressed, node) < (self.suppressed, self.best)
        else:
            better = loss < self.loss
        if better:
            self.best = node
            self.loss = loss
            self.suppressed = settled.suppressed

    def cells(
        self,
        node: Levels,
    ) -> Cells:
        """The cells of a node, rolled up from the smallest stored one below."""
        if node in self._stored:
            return self._stored[node]
        # the bottom is always stored, so that there is one below every node
        levels = np.array(list(self._stored))
        is_below = (levels <= np.array(node)).all(axis=1)
        stored = list(self._stored.values())
        under = [stored[at] for at in np.flatnonzero(is_below)]
        source = min(under, key=lambda cells: cells.size)
        cells, _ = rolled(source, self.problem.columns, node)
        self._store(node, cells)
        return cells

    def _store(
        self,
        node: Levels,
        cells: Cells,
    ) -> None:
        """Keep the cells of a node; of those kept the first go, but the file itself stays."""
        if len(self._stored) >= KEPT:
            # a dict keeps its order: place 0 is the bottom, from which all others can be made
            oldest = list(self._stored)[1]
            del self._stored[oldest]
        self._stored[node] = cells
