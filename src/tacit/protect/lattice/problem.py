"""What is searched, and what a search found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.lattice.utilities.base import Utility
from tacit.protect.lattice.view import Extras


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
    if not found.reason:
        return (
            "the search was ended before it had counted a node; give it more time, or let it "
            "run to its end"
        )
    # a search that was stopped must not say that nothing exists
    looked = "no node of the lattice" if found.proven else "no node looked at"
    return (
        f"{looked} keeps every model within suppression_limit="
        f"{share:g} ({found.reason} fails); raise the limit, weaken the "
        "model, or add higher levels to the hierarchies"
    )
