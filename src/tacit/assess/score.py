"""One number for a release: score = 0.5 IL + 0.5 DR, both in percent, as published.

    IL = 100 (IL1 + IL2 + IL3 + IL4 + IL5) / 5
    DR = 100 (0.5 (DLD + PLD) / 2 + 0.5 ID)

IL as in ``tacit.loss`` (IL); DLD and PLD: average share of correct links by nearest record and
by probabilistic linkage; ID: interval disclosure. Lower is better. A part that was not computed
is never taken as zero: without PLD, DLD stands for both and the score says so; without IL, DLD
or ID there is no score. Domingo-Ferrer and Torra (2001).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tacit.base.measure import Measure, jsonable

FORMULA = "0.5 IL + 0.5 DR, DR = 0.5 (DLD + PLD) / 2 + 0.5 ID, in percent"


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

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON."""
        parts = {
            "value": self.value,
            "IL": self.il,
            "DR": self.dr,
            "DLD": self.dld,
            "PLD": self.pld,
            "ID": self.interval,
            "formula": FORMULA,
            "complete": self.complete,
            "notes": list(self.notes),
        }
        return dict(jsonable(parts))

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "no score: " + "; ".join(self.notes)
        figures = f"{self.value:.2f} (IL {self.il:.2f}, DR {self.dr:.2f})"
        return "; ".join([figures, *self.notes])


def score(risk: Mapping[str, object], loss: Mapping[str, object]) -> Score:
    """The score of a release.

    Parameters
    ----------
    risk : mapping
        Risk measures, of which ``dld``, ``pld`` and ``interval`` are used.
    loss : mapping
        Loss measures, of which ``IL`` is used.

    Notes
    -----
    Anything else in the mappings is ignored, and so are parts that failed (objects that are not
    measures).

    Examples
    --------
    >>> m = lambda v: Measure("m", v, (0, 1), "", "")
    >>> str(score({"dld": m(0.2), "pld": m(0.1), "interval": m(0.4)}, {"IL": m(0.1)}))
    '18.75 (IL 10.00, DR 27.50)'
    """
    # every part that is missing leaves a note
    notes: list[str] = []
    il = _percent(loss, "IL", notes)
    dld = _percent(risk, "dld", notes)
    pld = _percent(risk, "pld", notes)
    inside = _percent(risk, "interval", notes)
    linked = (dld + pld) / 2
    # the published formula has no form without PLD; the note says that ours differs
    if math.isnan(pld) and not math.isnan(dld):
        linked = dld
        notes.append("DLD stands for PLD in DR")
    # a part that is NaN makes the sum NaN: no score
    dr = 0.5 * linked + 0.5 * inside
    value = 0.5 * il + 0.5 * dr
    return Score(value, il, dr, dld, pld, inside, tuple(notes))


def _percent(
    measures: Mapping[str, object],
    name: str,
    notes: list[str],
) -> float:
    """A measure in percent; NaN, and a note with the reason, where there is none."""
    measure = measures.get(name)
    if measure is None:
        reason = "was not asked for"
    elif not isinstance(measure, Measure):
        reason = str(getattr(measure, "reason", "did not run"))
    elif math.isnan(measure.value):
        reason = str(measure.details.get("not computed", "has no value"))
    else:
        return 100 * measure.value
    notes.append(f"{name} was not computed: {reason}")
    return float("nan")
