"""Looking at nodes: counting their records, and keeping the best.

What the search over a whole lattice (``search``) and the one over a lattice that is too large to
be held (``wide_search``) share.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tacit.protect.lattice.class_cells import Cells, rolled
from tacit.protect.lattice.level_codes import Levels, shape_of
from tacit.protect.lattice.problem import Found, Problem
from tacit.protect.lattice.search_state import load, save
from tacit.protect.lattice.settle import Settled, settle, suppressed_least
from tacit.protect.lattice.watching import current

KEPT = 256
"""Counted nodes whose cells are kept to be rolled up from."""
ROUNDING = 1e-12
"""Losses that differ by less are the same."""


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

    def ends(
        self,
        most_checks: int | None,
        bound: Callable[[], float],
        left: Callable[[], str],
    ) -> bool:
        """Whether the search ends here, before its best node is proven.

        Parameters
        ----------
        most_checks : int or None
            Nodes that are counted at most.
        bound : callable
            What any node loses at least.
        left : callable
            How much is left to do, in words.
        """
        if most_checks is not None and self.checked >= most_checks:
            return True
        watch = current()
        if watch is None:
            return False
        over = watch.over()
        if over:
            watch.ended.append(self.checked)
            watch.say(f"ended early; {self._line(bound(), left())}")
        if watch.state is not None and (over or watch.due()):
            self.save(watch.state)
        watch.tell(lambda: self._line(bound(), left()))
        return over

    def _line(
        self,
        bound: float,
        left: str,
    ) -> str:
        best = (
            "none found yet" if self.best is None else f"the best loses {self.loss:.6g}"
        )
        return (
            f"search: {self.checked:,} nodes counted, {left}; {best}, no node less than "
            f"{min(bound, self.loss):.6g}"
        )

    def begin(self) -> None:
        """Go on from the state of an earlier run, where somebody keeps one."""
        watch = current()
        if watch is not None and watch.state is not None:
            held = load(watch.state, self.problem, type(self).__name__)
            if held is not None:
                self.restore(held)

    def save(
        self,
        path: Path,
    ) -> None:
        """Write the state of the search."""
        save(path, self.problem, {"sort": type(self).__name__, **self.held()})

    def held(self) -> dict[str, Any]:
        """The state as plain types."""
        return {
            "best": self.best,
            "loss": self.loss,
            "suppressed": self.suppressed,
            "checked": self.checked,
            "reason": self.reason,
        }

    def restore(
        self,
        held: dict[str, Any],
    ) -> None:
        """Take a state over."""
        self.best = None if held["best"] is None else tuple(held["best"])
        self.loss = held["loss"]
        self.suppressed = held["suppressed"]
        self.checked = held["checked"]
        self.reason = held["reason"]

    def found(
        self,
        nodes: int,
        bound: float,
        *,
        proven: bool,
    ) -> Found:
        """What was found, and what any node loses at least."""
        watch = current()
        if watch is not None and proven:
            watch.ended.append(None)
            # there is nothing left to go on with
            if watch.state is not None:
                watch.state.unlink(missing_ok=True)
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
