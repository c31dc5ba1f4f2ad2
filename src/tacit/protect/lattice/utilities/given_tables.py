"""Tables that users will make of a release: crosses of columns that should stay fine."""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.protect.lattice.class_cells import Cells, labelled
from tacit.protect.lattice.level_codes import Levels
from tacit.protect.lattice.settle import Settled
from tacit.protect.lattice.utilities.base import Utility


class Tables(Utility):
    """The mean over tables of the bits that a release hides of a record's place in the table.

    Of table T: the mean over records of log2(n_T(class) / n_T(values)), n_T the records in that
    place of the table, over the same with nothing shown. A suppressed record shows nothing.
    """

    def start(
        self,
        bottom: Cells,
    ) -> None:
        """Count the tables of the file."""
        self._bottom = bottom
        self._known: dict[tuple[tuple[int, ...], Levels], float] = {}

    @cached_property
    def _most(self) -> list[float]:
        """The bits of each table of which nothing is shown."""
        figures = []
        for table in self.setting.tables:
            counts = self._counts(self._bottom, table)
            n = self.setting.records
            hidden = np.log2(n / np.maximum(counts, 1))
            total = float((self._bottom.rows * hidden).sum())
            mean = total / max(n, 1)
            # a table of one place hides nothing
            figures.append(mean if mean > 0 else 1.0)
        return figures

    def floor(self) -> Floats:
        """The loss of each node if nobody is suppressed: tables have few columns."""
        shape = tuple(column.height + 1 for column in self.setting.columns)
        total = np.zeros(shape)
        for table, most in zip(self.setting.tables, self._most, strict=True):
            sides = [range(shape[j]) for j in table]
            figures = np.zeros([len(side) for side in sides])
            for node in product(*sides):
                figures[node] = self._hidden(table, node) / most
            # the other columns do not matter
            order = [list(table).index(j) for j in sorted(table)]
            spread = [shape[j] if j in table else 1 for j in range(len(shape))]
            total += figures.transpose(order).reshape(spread)
        return total / len(self.setting.tables)

    def floor_at(
        self,
        levels: Levels,
    ) -> float:
        """The loss of one node if nobody is suppressed."""
        total = 0.0
        for table, most in zip(self.setting.tables, self._most, strict=True):
            node = tuple(levels[j] for j in table)
            total += self._hidden(table, node) / most
        return total / len(self.setting.tables)

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """The floor, and what suppressed records hide more."""
        cells = settled.cells
        n = max(self.setting.records, 1)
        dead = ~settled.alive
        total = 0.0
        for table, most in zip(self.setting.tables, self._most, strict=True):
            node = tuple(cells.levels[j] for j in table)
            hidden = self._hidden(table, node)
            if dead.any():
                # places that only the population has; no record of the file counts them
                counts = np.maximum(self._counts(cells, table), 1)
                bits = np.log2(n / counts[dead])
                hidden += float((cells.rows[dead] * bits).sum()) / n
            total += hidden / most
        return total / len(self.setting.tables)

    def _hidden(
        self,
        table: tuple[int, ...],
        node: Levels,
    ) -> float:
        """The mean bits of a table at these levels of its columns."""
        # nodes that differ in other columns have this figure in common
        if (table, node) not in self._known:
            self._known[table, node] = self._counted(table, node)
        return self._known[table, node]

    def _counted(
        self,
        table: tuple[int, ...],
        node: Levels,
    ) -> float:
        bottom = self._bottom
        parts = []
        for j, level in zip(table, node, strict=True):
            column = self.setting.columns[j]
            codes = column.between(0, level)[bottom.codes[j]]
            parts.append((codes, column.sizes[level]))
        coarse = _shared(parts, bottom.rows)
        fine = self._counts(bottom, table)
        held = bottom.rows > 0
        bits = np.log2(coarse[held] / fine[held])
        total = float((bottom.rows[held] * bits).sum())
        return total / max(self.setting.records, 1)

    def _counts(
        self,
        cells: Cells,
        table: tuple[int, ...],
    ) -> Floats:
        """Records in the place of the table that each cell has."""
        columns = self.setting.columns
        parts = []
        for j in table:
            size = columns[j].sizes[cells.levels[j]]
            parts.append((cells.codes[j], size))
        return _shared(parts, cells.rows)


def _shared(
    parts: list[tuple[Ints, int]],
    rows: Ints,
) -> Floats:
    """For each cell, the records of all cells with the same codes."""
    label, first = labelled(parts, len(rows))
    counts = np.bincount(label, weights=rows, minlength=len(first))
    return np.asarray(counts[label])
