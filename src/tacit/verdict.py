"""Is the release safe? A table of every risk beside its threshold; nothing is weighed in secret.

The defaults are common practice, not law; all can be set. A risk that could not be computed, or an attack that failed,
is a row of its own and keeps the verdict from being 'safe'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.errors import ParameterError
from tacit.measure import Measure, jsonable

THRESHOLDS: dict[str, float] = {
    "strongest": 0.05,
    "interval": 0.5,
    "k_anonymity": 0.0,
    "l_diversity": 0.0,
    "t_closeness": 0.3,
    "individual": 0.01,
    "household": 0.05,
    "suda": 0.01,
    "population_uniques": 0.001,
    "prosecutor": 0.34,
    "journalist": 0.2,
    "marketer": 0.05,
}
"""A release passes where the measure is at most this. ``attack``: the threshold of every attack's rate."""

ATTACK = 0.05

WHY: dict[str, str] = {
    "strongest": "at most one record in twenty linked correctly",
    "interval": "at most half of the values guessed closely",
    "k_anonymity": "no record in a group smaller than k",
    "l_diversity": "no group with fewer than l values",
    "t_closeness": "no group tells much more than the file",
    "individual": "at most one re-identification in a hundred records",
    "household": "at most one household member in twenty",
    "suda": "hardly any record unique on few keys",
    "population_uniques": "at most one population unique in a thousand records",
    "prosecutor": "no group smaller than three",
    "journalist": "no key with fewer than five bearers",
    "marketer": "at most one right link in twenty",
}

PASSES, FAILS, MISSING, INFORMATION = "passes", "fails", "not computed", "no threshold"


@dataclass(frozen=True)
class Row:
    """One risk: its value, its threshold, and how it stands."""

    name: str
    value: float
    threshold: float | None
    standing: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return {
            "name": self.name,
            "value": jsonable(self.value),
            "threshold": self.threshold,
            "standing": self.standing,
            "why": self.why,
        }


@dataclass(frozen=True)
class Verdict:
    """``safe``: True, False, or None when it cannot be said because an attack or risk did not run."""

    rows: tuple[Row, ...]

    @property
    def failing(self) -> list[Row]:
        """The risks above their thresholds."""
        return [row for row in self.rows if row.standing == FAILS]

    @property
    def safe(self) -> bool | None:
        """No risk above its threshold, and at least one attack or linkage among what was measured."""
        if self.failing:
            return False
        if any(row.standing == MISSING and row.threshold is not None for row in self.rows):
            return None
        return True if any(row.standing == PASSES for row in self.rows) else None

    @property
    def word(self) -> str:
        """'safe', 'not safe' or 'not assessed'."""
        return {True: "safe by these thresholds", False: "not safe", None: "not assessed"}[self.safe]

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return {"verdict": self.word, "safe": self.safe, "rows": [row.to_dict() for row in self.rows]}

    def __str__(self) -> str:
        rest = "; ".join(f"{row.name} {row.value:.4g} > {row.threshold:g}" for row in self.failing)
        return self.word + (f": {rest}" if rest else "")


def verdict(
    attacks: Mapping[str, Any], risk: Mapping[str, Any], thresholds: Mapping[str, float] | None = None
) -> Verdict:
    """Every attack's rate and every risk measure beside its threshold.

    ``thresholds``: changes to the defaults, by measure name; 'attack' for every attack's rate; None: no threshold.

    >>> m = Measure("k_anonymity", 0.2, (0, 1), "", "", {"categorical keys": True})
    >>> str(verdict({}, {"k_anonymity": m}))
    'not safe: k_anonymity 0.2 > 0'
    """
    limits: dict[str, float | None] = {**THRESHOLDS, "attack": ATTACK}
    for name, limit in (thresholds or {}).items():
        if name not in limits and name not in risk and name not in attacks:
            raise ParameterError(f"there is no risk '{name}' to set a threshold for; there are: {', '.join(limits)}")
        limits[name] = limit
    rows = []
    for name, link in attacks.items():
        bound = limits.get(name, limits["attack"])
        rate = getattr(link, "rate", None)
        if rate is None:
            rows.append(Row(name, float("nan"), bound, MISSING, str(getattr(link, "reason", "did not run"))))
        else:
            rows.append(_row(name, float(rate), bound, f"attacker: {link.knows}"))
    for name, measure in risk.items():
        bound = limits.get(name)
        if not isinstance(measure, Measure):
            rows.append(Row(name, float("nan"), bound, MISSING, str(getattr(measure, "reason", "did not run"))))
        elif measure.value != measure.value:
            # what does not apply to this file (no household, no confidential column) threatens nobody
            rows.append(Row(name, measure.value, None, MISSING, str(measure.details.get("not computed", "no value"))))
        elif name == "k_anonymity" and not measure.details.get("categorical keys", True):
            why = "for information: perturbed values form no groups; the attacks judge them"
            rows.append(Row(name, measure.value, None, INFORMATION, why))
        else:
            rows.append(_row(name, measure.value, bound, WHY.get(name, measure.higher)))
    return Verdict(tuple(rows))


def _row(name: str, value: float, limit: float | None, why: str) -> Row:
    if limit is None:
        return Row(name, value, None, INFORMATION, why)
    return Row(name, value, limit, PASSES if value <= limit else FAILS, why)
