"""Household risk: the chance that anyone in a record's household is re-identified."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.risk.frequencies import NO_KEYS
from tacit.risk.individual import judged_risk
from tacit.risk.judged import Judged


@facts.measure(
    "Household risk",
    threshold=0.05,
    why="at most one household member in twenty",
    view="an intruder who knows the keys of a household member and nothing else",
    passes="units",
    presumes=True,
)
def household(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
) -> Measure:
    """Mean household risk of the released records: 1 - product over members of (1 - r).

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.
    household : str, optional
        Column that says who lives together; the one with that role unless given.

    Notes
    -----
    **Definition.** Mean over records (persons, where a column has that role) of 1 - product over
    the household of (1 - r), r the risk of ``individual``.
    **Range.** [0, 1]. 0: no household has a member who is expected to be found. Higher:
    more households do.

    References
    ----------
    Franconi and Polettini (2004).
    """
    judged = Judged.of(original, masked, keys, weight=weight, lives=household)
    if not judged.keys:
        return Measure.absent("household", NO_KEYS)
    risk = judged_risk(judged, weight, household)
    together, units = risk.expected_household, risk.units
    if together is None:
        why = "the file has no household column (give one the role household)"
        return Measure.absent("household", why)
    return Measure(
        "household",
        # each member counts: a large household weighs more than a small one
        together / units.number if units.number else 0.0,
        (0.0, 1.0),
        "no household has a member who is expected to be re-identified",
        f"a larger share of the {units.words} lives in a household "
        "of which somebody is expected to be re-identified",
        risk.to_dict() | judged.details,
        risk.household,
    )
