"""Whether a class still tells a target: the error of naming its most frequent value."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Ints
from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.settle import Settled
from tacit.protect.lattice.utilities.base import Utility


class Classification(Utility):
    """The share of records whose target is not the most frequent of their class, or suppressed.

    Iyengar (2002). Merging classes never makes fewer errors.
    """

    def least(
        self,
        cells: Cells,
    ) -> float:
        """With nobody suppressed."""
        errors = self._errors(cells, cells.rows)
        return errors / max(self.setting.records, 1)

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """Of the classes that are left; every suppressed record is an error."""
        cells = settled.cells
        gone = float(cells.rows[~settled.alive].sum())
        shown = np.where(settled.alive, cells.rows, 0)
        left = self._errors(cells, shown)
        return (left + gone) / max(self.setting.records, 1)

    def _errors(
        self,
        cells: Cells,
        rows: Ints,
    ) -> float:
        assert self.setting.target is not None
        assert cells.extra is not None
        # an unknown target is a value that nobody names
        target = self.setting.target[cells.extra]
        known = target >= 0
        most = int(target.max(initial=0)) + 1
        key = cells.label[known] * most + target[known]
        pairs, place = np.unique(key, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=rows[known], minlength=len(pairs))
        largest = np.zeros(cells.number)
        np.maximum.at(largest, pairs // most, counts)
        return float(rows.sum() - largest.sum())
