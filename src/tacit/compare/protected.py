"""What protecting until a bound holds gives: the release, its risk, and how it was confirmed."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacit.compare.bound import Bound
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan, Table


@dataclass(frozen=True)
class Protected:
    """A release that meets the bound, the plan that made it, and every setting that was tried."""

    masked: Microdata = field(repr=False)
    plan: Plan
    parameter: str
    value: float
    risk: float
    """Of this release, drawn after the search; see ``redrawn`` for how many were drawn."""
    upper: float
    """The upper end of the strongest attack's interval, which meets the bound."""
    attacker: str
    bound: Bound
    tried: tuple[tuple[float, float], ...]
    """(setting, upper end) in the order tried by the search."""
    searched: float
    """The risk that the search saw at the setting that it found."""
    redrawn: tuple[tuple[float, float], ...] = ()
    """(setting, upper end) of every release that was drawn anew; the last is this one. Empty: the
    method draws no numbers."""
    met: bool = True
    """Everything that the bound asks for holds."""
    reason: str = ""
    """Why it does not."""
    outcomes: tuple[Table, ...] = ()
    """What the steps said of their work, for the manifest."""

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON."""
        return {
            "plan": self.plan.without_seeds().to_dict(),
            "parameter": self.parameter,
            "value": self.value,
            "risk": self.risk,
            "upper": self.upper,
            "attacker": self.attacker,
            "bound": str(self.bound),
            "tried": [list(pair) for pair in self.tried],
            "searched": self.searched,
            "redrawn": [list(pair) for pair in self.redrawn],
        }

    def __str__(self) -> str:
        """What holds, how sure that is, and how it was confirmed."""
        who = f" ({self.attacker})" if self.attacker else ""
        most = f", at most {self.upper:.4g}" if self.upper > self.risk else ""
        tries = f"after {len(self.tried)} settings"
        line = f"{self.bound} holds: {self.risk:.4g}{who}{most}, {tries}"
        if not self.redrawn:
            return f"{line}."
        times = "once" if len(self.redrawn) == 1 else f"{len(self.redrawn)} times"
        return f"{line}; drawn afresh {times}, the search saw {self.searched:.4g}."
