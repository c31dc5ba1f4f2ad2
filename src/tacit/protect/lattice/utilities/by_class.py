"""Losses by the sizes of classes: discernibility, average class size."""

from __future__ import annotations

import numpy as np

from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.settle import Settled
from tacit.protect.lattice.utilities.base import Utility


class Discernibility(Utility):
    """Sum over classes of |E|^2, and n for each suppressed record; over n^2.

    Bayardo and Agrawal (2005). Merging classes adds to it, and n is more than any class has.
    """

    def least(
        self,
        cells: Cells,
    ) -> float:
        """With nobody suppressed."""
        sizes = _sizes(cells, cells.rows)
        return float((sizes**2).sum()) / self._most

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """Of the classes that are left, and of the suppressed records."""
        cells = settled.cells
        sizes = _sizes(cells, np.where(settled.alive, cells.rows, 0))
        gone = float(cells.rows[~settled.alive].sum())
        hidden = self.setting.records * gone
        return float((sizes**2).sum() + hidden) / self._most

    @property
    def _most(self) -> float:
        return max(float(self.setting.records) ** 2, 1.0)


class ClassSize(Utility):
    """Records per class, over k: C_avg of LeFevre, DeWitt and Ramakrishnan (2006).

    The suppressed records are one class.
    """

    def least(
        self,
        cells: Cells,
    ) -> float:
        """No node above has more classes; the suppressed may add one."""
        classes = np.count_nonzero(_sizes(cells, cells.rows)) + 1
        return self.setting.records / classes / self.setting.k

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """Over the classes of the release."""
        cells = settled.cells
        sizes = _sizes(cells, np.where(settled.alive, cells.rows, 0))
        classes = int(np.count_nonzero(sizes))
        if (cells.rows[~settled.alive] > 0).any():
            classes += 1
        return self.setting.records / max(classes, 1) / self.setting.k


def _sizes(
    cells: Cells,
    rows: np.ndarray,
) -> np.ndarray:
    """Records of each class."""
    return np.bincount(cells.label, weights=rows, minlength=cells.number)
