"""How far the confidential values of a class may be from those of the file: t-closeness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.view import Shares, View

Distance = Literal["equal", "ordered", "hierarchical"]
# sums of shares
ROUNDING = 1e-9
# numbers that are looked at together: a few dozen megabytes
AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Closeness(Constraint):
    """The earth mover's distance of every class from the whole file is at most t.

    With p the shares in the class, q those in the file, P and Q cumulative, m values, H levels
    of the hierarchy of the column and p_N the share under its node N:

        equal         1/2 sum over v of |p_v - q_v|
        ordered       sum over v of |P_v - Q_v| / (m - 1)
        hierarchical  1/(2 H) sum over the nodes N below the root of |p_N - q_N|

    Li, Li and Venkatasubramanian (2007). Distances are convex in p: the union of classes that
    keep the bound keeps it.
    """

    column: str
    t: float
    distance: Distance
    up: tuple[Ints, ...] = field(default=(), compare=False, repr=False)
    """Of the hierarchy: the node above each node, level by level."""

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes that are further away."""
        cells = view.shares(self.column)
        apart = self.apart(cells, view.extras.whole[self.column])
        # a class in which no value is known gives none away
        known = cells.size > 0
        return np.asarray((apart > self.t + ROUNDING) & known)

    def apart(
        self,
        cells: Shares,
        whole: Floats,
    ) -> Floats:
        """The distance of each class from the whole."""
        far = np.zeros(cells.number)
        share = cells.share
        m = len(whole)
        step = max(1, AT_ONCE // max(m, 1))
        for start in range(0, cells.number, step):
            end = min(start + step, cells.number)
            # cells come sorted by class (see View.shares)
            low, high = np.searchsorted(cells.label, [start, end])
            p = np.zeros((end - start, m))
            row = cells.label[low:high] - start
            value = cells.value[low:high]
            p[row, value] = share[low:high]
            far[start:end] = self._from(p - whole)
        return far

    def _from(
        self,
        gap: Floats,
    ) -> Floats:
        """The distance that belongs to differences of shares, one row for each class."""
        m = gap.shape[1]
        if self.distance == "ordered":
            # one value is at no distance from itself, and m - 1 is 0
            if m < 2:
                return np.zeros(len(gap))
            moved = np.abs(np.cumsum(gap, axis=1))
            return np.asarray(moved.sum(axis=1) / (m - 1))
        if self.distance == "equal" or not self.up:
            return np.asarray(np.abs(gap).sum(axis=1) / 2)
        total = np.zeros(len(gap))
        # differences that even out under a node need not be moved above it
        for up in self.up:
            total += np.abs(gap).sum(axis=1)
            nodes = int(up.max(initial=0)) + 1
            above = np.zeros((nodes, len(gap)))
            np.add.at(above, up, gap.T)
            gap = above.T
        return np.asarray(total / (2 * len(self.up)))

    def __str__(self) -> str:
        return f"{self.distance} t-closeness of '{self.column}' with t={self.t:g}"
