"""One number for a release: score = 0.5 IL + 0.5 DR, both in percent, as published.

    IL = 100 (IL1 + IL2 + IL3 + IL4 + IL5) / 5
    DR = 100 (0.5 (DLD + PLD) / 2 + 0.5 ID)

IL as in ``tacit.loss`` (IL); DLD and PLD: average share of correct links by nearest record and by probabilistic
linkage; ID: interval disclosure. Lower is better. A part that was not computed is never taken as zero: without PLD, DLD
stands
for both and the score says so; without IL, DLD or ID there is no score. Domingo-Ferrer and Torra 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.measure import Measure, jsonable


@dataclass(frozen=True)
class Score:
    """The score and its parts, in percent; NaN and a note where a part is missing."""

    value: float
    il: float
    dr: float
    dld: float
    pld: float
    interval: float
    notes: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Every part of the published formula was computed."""
        return not self.notes

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return dict(
            jsonable(
                {
                    "value": self.value,
                    "IL": self.il,
                    "DR": self.dr,
                    "DLD": self.dld,
                    "PLD": self.pld,
                    "ID": self.interval,
                    "formula": "0.5 IL + 0.5 DR, DR = 0.5 (DLD + PLD) / 2 + 0.5 ID, in percent",
                    "complete": self.complete,
                    "notes": list(self.notes),
                }
            )
        )

    def __str__(self) -> str:
        if self.value != self.value:
            return "no score: " + "; ".join(self.notes)
        return f"{self.value:.2f} (IL {self.il:.2f}, DR {self.dr:.2f})" + "".join(f"; {n}" for n in self.notes)


def score(risk: Mapping[str, Any], loss: Mapping[str, Any]) -> Score:
    """The score of a release from its risk measures (``dld``, ``pld``, ``interval``) and loss measures (``IL``).

    Anything else in the mappings is ignored, and so are parts that failed (objects that are not measures).

    >>> m = lambda v: Measure("m", v, (0, 1), "", "")
    >>> str(score({"dld": m(0.2), "pld": m(0.1), "interval": m(0.4)}, {"IL": m(0.1)}))
    '18.75 (IL 10.00, DR 27.50)'
    """
    notes: list[str] = []
    il, dld, pld, inside = (
        _percent(loss, "IL", notes),
        _percent(risk, "dld", notes),
        _percent(risk, "pld", notes),
        _percent(risk, "interval", notes),
    )
    both = (dld + pld) / 2
    if pld != pld and dld == dld:
        both = dld
        notes.append("DLD stands for PLD in DR")
    dr = 0.5 * both + 0.5 * inside
    return Score(0.5 * il + 0.5 * dr, il, dr, dld, pld, inside, tuple(notes))


def _percent(measures: Mapping[str, Any], name: str, notes: list[str]) -> float:
    found = measures.get(name)
    if isinstance(found, Measure) and found.value == found.value:
        return 100 * found.value
    reason = "was not asked for"
    if isinstance(found, Measure):
        reason = str(found.details.get("not computed", "has no value"))
    elif found is not None:
        reason = str(getattr(found, "reason", "did not run"))
    notes.append(f"{name} was not computed: {reason}")
    return float("nan")
