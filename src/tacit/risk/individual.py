"""Individual risk: the probability that each record is re-identified, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.options import checked
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.units import Units
from tacit.risk.benedetti_franconi import individual_risk
from tacit.risk.classes import codes, first_of_each
from tacit.risk.frequencies import (
    NO_KEYS,
    Frequencies,
    Missing,
    frequencies,
    weights_of,
)
from tacit.risk.judged import Judged

if TYPE_CHECKING:
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.number_files import NumberFiles

Method = Literal["exact", "approximate"]


@dataclass(frozen=True)
class IndividualRisk:
    """Risk of every record.

    Attributes
    ----------
    record
        Probability that the record is re-identified.
    household
        Probability that anyone in the record's household is; None without households.
    sample, population
        Frequencies of the record's key.
    method
        How the risk was computed.
    units
        Whose records these are.
    in_households
        Sum over units of the risk of their household; None without households.
    """

    record: Floats
    household: Floats | None
    sample: Ints
    population: Floats
    method: str
    units: Units
    in_households: float | None = None

    @property
    def person(self) -> Floats:
        """risk of each person: that of the record that is found most easily"""
        return self.units.highest(self.record)

    @property
    def expected(self) -> float:
        """expected number of re-identified persons (records, where there are none)"""
        return self.units.total(self.record)

    @property
    def expected_household(self) -> float | None:
        """expected number of persons in a household of which anyone is re-identified"""
        if self.household is None:
            return self.in_households
        return self.units.total(self.household)

    @property
    def rate(self) -> float:
        """expected re-identifications per person or record (the global risk)"""
        return self.expected / self.units.number if self.units.number else 0.0

    def threshold(self, rate: float) -> float:
        """The largest risk that may stay if whoever is riskier is treated to meet the rate."""
        rising = np.sort(self.person)
        # Treated records add nothing, so the untreated ones alone must meet the rate.
        within = np.cumsum(rising) <= rate * len(rising)
        return float(rising[within][-1]) if within.any() else 0.0

    def to_dict(self) -> dict[str, object]:
        """Summary in plain types."""
        return {
            "expected": self.expected,
            "expected_household": self.expected_household,
            "rate": self.rate,
            "highest": float(self.record.max(initial=0.0)),
            "method": self.method,
        }

    def __repr__(self) -> str:
        expected = f"{self.expected:.4g} re-identifications expected"
        return f"IndividualRisk({expected} of {self.units.number} {self.units.words})"


@checked
def individual(
    data: object,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    *,
    method: Method = "exact",
    missing: Missing = "any",
    units: Units | None = None,
) -> IndividualRisk:
    """Risk of each record given its sample and population frequencies: r = E(1/F | f).

    Parameters
    ----------
    data : frame or Microdata
        The file to be judged.
    keys : list of str, optional
        Key columns; the quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; in Microdata the one whose role is weight.
    household : str, optional
        Column that says who lives together; in Microdata the one with that role.
    method : {'exact', 'approximate'}
        'approximate': p / (f - q) from f = 3 on, as mu-Argus and sdcMicro do.
    missing : {'any', 'category'}
        'any': a missing value agrees with every value; 'category': it is a value of its own.
    units : Units, optional
        Whose records these are; in Microdata the persons.

    Notes
    -----
    **Definition.** r = p * integral over 0 < x < 1 of x^(f-1) / (p + q x) dx, p = f / F,
    q = 1 - p; 1/f without weights. f and F count persons where a column has that role, and the
    risk of a person is that of his riskiest record. Household: 1 - product over its members of
    (1 - r).
    **Range.** (0, 1]; 0 would mean that nobody can be found; higher: easier to find.

    References
    ----------
    Benedetti and Franconi (1998); Franconi and Polettini (2004).

    Examples
    --------
    >>> table = {"key": [1, 1, 2], "w": [2.0, 2.0, 5.0]}
    >>> r = individual(table, keys=["key"], weight="w")
    >>> [round(float(x), 4) for x in r.record]
    [0.3069, 0.3069, 0.4024]
    """
    weighted = weight is not None or _has_weights(data)
    counted = frequencies(data, keys, weight, missing=missing, units=units)
    if weighted:
        record = _risk_by_class(counted, approximate=method == "approximate")
    else:
        record = 1.0 / counted.sample
    microdata = Microdata.of(data)
    if household is None and isinstance(data, Microdata):
        candidates = microdata.schema.names(role=Role.household)
        household = candidates[0] if candidates else None
    together = None
    if household is not None:
        homes = codes(microdata.numbers([household]))[:, 0]
        together = _together(record, np.asarray(homes), counted.units)
    return IndividualRisk(
        record,
        together,
        counted.sample,
        counted.population,
        method if weighted else "1/f",
        counted.units,
    )


def judged_risk(
    judged: Judged, weight: str | None = None, household: str | None = None
) -> IndividualRisk:
    """``individual`` of the records of a release, from its combinations where it is on the disk."""
    found = judged.on_disk
    # a table of combinations does not say who lives together
    home = household if found is None else None
    risk = individual(judged.data, judged.keys, weight, home, units=judged.units)
    if found is None:
        return risk
    return with_households(risk, found, judged.row, household)


def with_households(
    risk: IndividualRisk,
    file: OnDisk,
    row: NumberFiles | None,
    household: str | None = None,
) -> IndividualRisk:
    """The risk of combinations, with that of households of the file on the disk, if it has any.

    Parameters
    ----------
    risk : IndividualRisk
        Of each combination of keys.
    file : OnDisk
        The file.
    row : NumberFiles or None
        The combination of each of its records; None: nobody lives with others.
    household : str, optional
        Column that says who lives together; the one with that role unless given.
    """
    if household is None:
        household = next(iter(file.schema.names(role=Role.household)), None)
    if household is None or row is None:
        return risk
    # measured: what reads files is not loaded where they are in memory
    from tacit.risk.households_on_disk import in_households

    together = in_households(file, household, row, risk.record, risk.units)
    return replace(risk, in_households=together)


def _has_weights(data: object) -> bool:
    """Roles count in Microdata only; of a plain frame the weight must be named."""
    return isinstance(data, Microdata) and weights_of(data, None) is not None


def _risk_by_class(counted: Frequencies, *, approximate: bool) -> Floats:
    """E(1/F | f) once for each class: its records have the same frequencies."""
    one = first_of_each(counted.labels, counted.classes)
    f = counted.sample[one].astype(np.float64)
    F = counted.population[one]
    risk = individual_risk(f, F, approximate=approximate)
    return np.asarray(risk[counted.labels])


def _together(record: Floats, homes: Ints, units: Units) -> Floats:
    """Household risk of each record, every person being in it once."""
    if units.single:
        return household_risk(record, homes)
    one = first_of_each(units.labels, units.number)
    person = units.highest(record)
    return household_risk(person, homes[one])[units.labels]


def household_risk(record: Floats, household: Ints) -> Floats:
    """1 - product of (1 - r) over a household, for each record; -1: lives alone."""
    labels = household.copy()
    alone = labels < 0
    free = labels.max(initial=-1) + 1
    labels[alone] = free + np.arange(alone.sum())
    # Logarithms keep the digits of small risks; ln 0 = -inf where somebody is certain to
    # be found gives a household risk of 1, as it should.
    with np.errstate(divide="ignore"):
        log_safe = np.bincount(labels, weights=np.log1p(-record))
    found = -np.expm1(log_safe)
    return np.asarray(found[labels], np.float64)


@facts.measure(
    "Individual risk",
    threshold=0.01,
    why="at most one re-identification in a hundred records",
    view="an intruder who knows the keys and nothing else",
    passes="keys",
    presumes=True,
)
def reidentification(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
) -> Measure:
    """Mean individual risk of the released persons (or records): sum of E(1/F | f) / n.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.

    Notes
    -----
    **Definition.** ``rate`` of ``individual``: the mean over records, or over persons where a
    column has that role.
    **Range.** [0, 1]. 0: nobody is expected to be re-identified through the keys. Higher: a
    larger share is.

    References
    ----------
    Benedetti and Franconi (1998); Franconi and Polettini (2004).
    """
    judged = Judged.of(original, masked, keys, weight=weight)
    if not judged.keys:
        return Measure.absent("individual", NO_KEYS)
    risk = judged_risk(judged, weight)
    return Measure(
        "individual",
        risk.rate,
        (0.0, 1.0),
        "no re-identification is expected",
        f"a larger share of the {risk.units.words} is expected to be re-identified "
        "by an intruder who knows the keys exactly",
        risk.to_dict() | judged.details,
        judged.of_records(risk.record),
    )
