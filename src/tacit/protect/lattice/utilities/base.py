"""What every utility model says: the loss of a node, and bounds that end a search early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.base.typing import Floats, Ints
from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.lattice.settle import Settled


@dataclass(frozen=True)
class Setting:
    """What a utility model may look at."""

    columns: Sequence[KeyColumn]
    weights: Floats
    """Of the columns; they add up to 1."""
    records: int
    k: int
    target: Ints | None = None
    """By number ``extra`` of a cell: the class that a classifier should tell, -1 if unknown."""
    tables: tuple[tuple[int, ...], ...] = ()
    """Crosses of columns that should be kept, as their places."""


class Utility:
    """A loss: 0 is the file as it is, and higher is worse."""

    def __init__(
        self,
        setting: Setting,
    ) -> None:
        self.setting = setting

    def start(
        self,
        bottom: Cells,
    ) -> None:
        """Look at the records as they are, before the search."""

    def floor(self) -> Floats | None:
        """For each node of the lattice, what it and every node above it lose at least.

        None: nothing is known before records are counted.
        """
        return None

    def floor_at(
        self,
        levels: Levels,
    ) -> float | None:
        """The floor of one node."""
        return None

    def least(
        self,
        cells: Cells,
    ) -> float:
        """What this node and every node above it lose at least, whoever is suppressed there."""
        return 0.0

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """What the node loses, with the records suppressed that are."""
        raise NotImplementedError


def over_lattice(
    columns: Sequence[KeyColumn],
    by_level: Sequence[Floats],
) -> Floats:
    """The sum over columns of a number for each level, at every node."""
    total = by_level[0]
    for figures in by_level[1:]:
        total = total[..., None] + figures
    return total


def at_node(
    by_level: Sequence[Floats],
    levels: Levels,
) -> float:
    """The sum over columns at one node, added in the order in which ``over_lattice`` adds."""
    total = 0.0
    for figures, level in zip(by_level, levels, strict=True):
        total = total + float(figures[level])
    return total
