"""How far the keys that a reader would guess from a release are from those of the file."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Ints
from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.settle import Settled
from tacit.protect.lattice.utilities.base import Setting, Utility


class Divergence(Utility):
    """KL(p, q) in nats: p the shares of the keys, q the same under equal chances in each class.

    q of a record is |E| / n over the number of combinations of values that its class E holds, and
    for suppressed records their share over all combinations (Kifer and Gehrke 2006). A coarser
    partition is a projection of a finer one, so that the divergence grows on the way up.
    """

    def __init__(
        self,
        setting: Setting,
    ) -> None:
        super().__init__(setting)
        every = [max(int(column.leaves[0].sum()), 1) for column in setting.columns]
        self._all = float(np.log(every).sum())

    def least(
        self,
        cells: Cells,
    ) -> float:
        """With nobody suppressed."""
        return self._own_entropy(cells) - self._explained(cells, cells.rows, 0.0)

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """Of the classes that are left, and of the suppressed records as one class."""
        cells = settled.cells
        gone = float(cells.rows[~settled.alive].sum())
        rows = np.where(settled.alive, cells.rows, 0)
        return self._own_entropy(cells) - self._explained(cells, rows, gone)

    def _own_entropy(
        self,
        cells: Cells,
    ) -> float:
        """Sum over keys of p ln p: a number of the file, found at the first node that is asked."""
        if not hasattr(self, "_entropy"):
            raise AssertionError("the keys of the file were not counted")
        return self._entropy

    def start(
        self,
        bottom: Cells,
    ) -> None:
        """Count the keys of the file."""
        rows = np.bincount(bottom.label, weights=bottom.rows, minlength=bottom.number)
        share = rows[rows > 0] / max(self.setting.records, 1)
        self._entropy = float((share * np.log(share)).sum())

    def _explained(
        self,
        cells: Cells,
        rows: Ints,
        gone: float,
    ) -> float:
        """The mean of ln q over the records."""
        n = max(self.setting.records, 1)
        sizes = np.bincount(cells.label, weights=rows, minlength=cells.number)
        volume = np.zeros(cells.size)
        for j, column in enumerate(self.setting.columns):
            inside = np.maximum(column.leaves[cells.levels[j]], 1)
            volume += np.log(inside[cells.codes[j]])
        of_class = np.zeros(cells.number)
        # cells of a class have the same codes, so that any of them gives its volume
        of_class[cells.label] = volume
        full = sizes > 0
        log_q = np.log(sizes[full] / n) - of_class[full]
        total = float((sizes[full] * log_q).sum())
        # blank keys may be any combination of values
        if gone:
            total += gone * (float(np.log(gone / n)) - self._all)
        return total / n
