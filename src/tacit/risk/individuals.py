"""Individual and household risk, and the number of re-identifications to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tacit.measure import Measure
from tacit.microdata import Microdata, Role
from tacit.risk.frequency import NO_KEYS, Missing, categorical, frequencies, weights_of
from tacit.risk.keys import FloatArray, IntArray, codes, first_of_each
from tacit.risk.posterior import individual_risk


@dataclass(frozen=True)
class IndividualRisk:
    """``record[i]``: probability that record i is re-identified; ``household[i]``: that anyone in i's household is.

    ``expected`` is the sum of ``record``: the number of re-identifications to expect; ``expected_household`` the
    sum of ``household`` over records (each member counts).
    """

    record: FloatArray
    household: FloatArray | None
    sample: IntArray
    population: FloatArray
    method: str

    @property
    def expected(self) -> float:
        """Expected number of re-identified records."""
        return float(self.record.sum())

    @property
    def expected_household(self) -> float | None:
        """Expected number of records in a household of which anyone is re-identified."""
        return None if self.household is None else float(self.household.sum())

    @property
    def rate(self) -> float:
        """Expected re-identifications a record (the global risk)."""
        return self.expected / len(self.record) if len(self.record) else 0.0

    def threshold(self, rate: float) -> float:
        """The largest individual risk that may stay if riskier records are treated and the rate is to be met."""
        rising = np.sort(self.record)
        kept = np.cumsum(rising) <= rate * len(rising)
        return float(rising[kept][-1]) if kept.any() else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Summary in plain types."""
        return {
            "expected": self.expected,
            "expected_household": self.expected_household,
            "rate": self.rate,
            "highest": float(self.record.max(initial=0.0)),
            "method": self.method,
        }

    def __repr__(self) -> str:
        return f"IndividualRisk({self.expected:.4g} re-identifications expected of {len(self.record)} records)"


def individual(
    data: Any,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    *,
    method: Literal["exact", "approximate"] = "exact",
    missing: Missing = "any",
) -> IndividualRisk:
    """Risk of each record given its sample frequency f and estimated population frequency F: r = E(1/F | f).

    r = p * integral over 0 < x < 1 of x^(f-1) / (p + q x) dx, p = f / F, q = 1 - p; 1/f without weights.
    Household: 1 - product over its members of (1 - r). Range (0, 1]; 0 would mean that nobody can be found; higher:
    easier to find. ``method="approximate"``: p / (f - q) from f = 3 on, as mu-Argus and sdcMicro do.
    Source: Benedetti and Franconi 1998; Franconi and Polettini 2004.

    >>> r = individual({"key": [1, 1, 2], "w": [2.0, 2.0, 5.0]}, keys=["key"], weight="w")
    >>> [round(float(x), 4) for x in r.record]
    [0.3069, 0.3069, 0.4024]
    """
    guess = isinstance(data, Microdata)
    weighted = weight is not None or (guess and weights_of(data, None) is not None)
    counted = frequencies(data, keys, weight, missing=missing)
    if weighted:  # one value a class
        one = first_of_each(counted.labels, counted.classes)
        f, F = counted.sample[one].astype(np.float64), counted.population[one]
        record = individual_risk(f, F, approximate=method == "approximate")[counted.labels]
    else:
        record = 1.0 / counted.sample
    data = Microdata.of(data)
    if household is None and guess:
        named = data.schema.names(role=Role.household)
        household = named[0] if named else None
    together = None if household is None else household_risk(record, _households(data, household))
    return IndividualRisk(record, together, counted.sample, counted.population, method if weighted else "1/f")


def household_risk(record: FloatArray, household: IntArray) -> FloatArray:
    """1 - product of (1 - r) over the records of a household, for each record; -1: lives alone."""
    labels = household.copy()
    alone = labels < 0
    labels[alone] = labels.max(initial=-1) + 1 + np.arange(alone.sum())
    with np.errstate(divide="ignore"):
        safe = np.bincount(labels, weights=np.log1p(-record))
    return np.asarray(-np.expm1(safe)[labels], np.float64)


def _households(data: Microdata, name: str) -> IntArray:
    return np.asarray(codes(data.numbers([name]))[:, 0])


def reidentification(
    original: Any, masked: Any, *, keys: Sequence[str] | None = None, weight: str | None = None
) -> Measure:
    """Mean individual risk of the released records: sum of E(1/F | f) / n (see ``individual``).

    Range [0, 1]. 0: nobody is expected to be re-identified through the keys. Higher: a larger share is.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("individual", NO_KEYS)
    found = individual(data, names, weight)
    return Measure(
        "individual",
        found.rate,
        (0.0, 1.0),
        "no re-identification is expected",
        "a larger share of the records is expected to be re-identified by an intruder who knows the keys exactly",
        found.to_dict(),
        found.record,
    )


def household(
    original: Any,
    masked: Any,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
) -> Measure:
    """Mean household risk of the released records: mean of 1 - product over the household of (1 - r).

    Range [0, 1]. 0: no household has a member who is expected to be found. Higher: more households do.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("household", NO_KEYS)
    found = individual(data, names, weight, household)
    if found.household is None:
        return Measure.absent("household", "the file has no household column (give one the role household)")
    return Measure(
        "household",
        float(found.household.mean()) if len(found.household) else 0.0,
        (0.0, 1.0),
        "no household has a member who is expected to be re-identified",
        "a larger share of the records lives in a household of which somebody is expected to be re-identified",
        found.to_dict(),
        found.household,
    )
