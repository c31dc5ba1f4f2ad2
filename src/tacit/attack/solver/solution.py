"""What every solver of this room gives back: value, matching, duals, status and log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from tacit.base.typing import Floats, Ints

LogEntry: TypeAlias = dict[str, object]
"""What one step of an attack did, by name; plain values, so that it can become JSON."""

RoundReport: TypeAlias = Callable[[LogEntry], None]
"""Called with the entry of the log after each round of the solver."""


@dataclass(frozen=True)
class Solution:
    """A one-to-one linkage of rows and columns, and what proves it.

    Attributes
    ----------
    match
        The column linked to each row; -1: none.
    cost, bound
        Total cost of the linkage, and a proven lower bound of the optimum.
    certified
        Cost and bound agree to rounding, so the linkage is optimal among all that the
        solver was allowed to choose from.
    duals
        (u, v) with u_i + v_j <= c_ij for every allowed pair, and equality on the links;
        None where the solver did not keep them.
    log
        One entry per round.
    margin
        What another column would cost each row at least, at these duals; None: not worked out.
    tolerance
        How far a rate of correct links may be from that of the proven optimum, where nothing was
        proven (``solver.near_optimal``).
    """

    match: Ints
    cost: float
    bound: float
    certified: bool
    duals: tuple[Floats, Floats] | None = None
    log: list[LogEntry] = field(default_factory=list)
    margin: Floats | None = None
    tolerance: float = 0.0

    @property
    def gap(self) -> float:
        """Proven relative distance to the optimum."""
        if self.cost > 0:
            return max(0.0, self.cost - self.bound) / self.cost
        return 0.0

    @property
    def u(self) -> Floats:
        """Dual of each row."""
        return self._known_duals()[0]

    @property
    def v(self) -> Floats:
        """Dual of each column."""
        return self._known_duals()[1]

    def _known_duals(self) -> tuple[Floats, Floats]:
        if self.duals is None:
            raise AttributeError("this solution was found without duals")
        return self.duals
