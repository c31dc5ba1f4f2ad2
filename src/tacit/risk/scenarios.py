"""Three intruders of medical data practice: prosecutor, journalist, marketer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.risk.frequencies import NO_KEYS, Frequencies, frequencies
from tacit.risk.judged import Judged

# A risk of 0.2 is that of a group of five, a smallest size in common use for health data.
_GROUP_OF_FIVE = 0.2
# The marketer's details count records above the threshold of the verdict.
_ONE_IN_TWENTY = 0.05


def _details(
    risk: Floats,
    threshold: float,
    intruder: str,
    counted: Frequencies,
) -> dict[str, object]:
    """Who the intruder is, and how many records are above the threshold for them."""
    return {
        "intruder": intruder,
        "keys": list(counted.keys),
        "threshold": threshold,
        "records above threshold": counted.units.marked(risk > threshold),
        "mean": counted.units.row_mean(risk),
    }


def _one_in_the_population(counted: Frequencies) -> Floats:
    """1 / F; weights under 1 cannot make a key rarer than it is in the file."""
    population = np.maximum(counted.population, counted.sample)
    return np.asarray(1.0 / population)


@facts.measure(
    "Prosecutor",
    threshold=0.34,
    why="no group smaller than three",
    view="an intruder who knows a person's keys, and that the person is in the file",
    passes="keys",
    presumes=True,
)
def prosecutor(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    threshold: Annotated[float, Ge(0)] = _GROUP_OF_FIVE,
) -> Measure:
    """The highest risk when the intruder knows that the target is in the file.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    threshold : float
        The details count the records whose risk is higher.

    Notes
    -----
    **Definition.** Maximum over records of 1 / f_i.
    **Range.** (0, 1]. Near 0: even the smallest group is large. Higher: the smallest group
    is smaller; 1: somebody is alone.

    References
    ----------
    El Emam and Dankar (2008).
    """
    judged = Judged.of(original, masked, keys)
    data, names = judged.data, judged.keys
    if not names:
        return Measure.absent("prosecutor", NO_KEYS)
    counted = frequencies(data, names, units=judged.units)
    risk = 1.0 / counted.sample
    intruder = "knows that the target is in the release and knows the keys exactly"
    return Measure(
        "prosecutor",
        float(risk.max(initial=0.0)),
        (0.0, 1.0),
        "every group is so large that its members cannot be told apart",
        "the smallest group is smaller; at 1 somebody is alone",
        _details(risk, threshold, intruder, counted) | judged.details,
        judged.of_records(risk),
    )


@facts.measure(
    "Journalist",
    threshold=0.2,
    why="no key with fewer than five bearers",
    view="an intruder who knows a person's keys, and not who is in the file",
    passes="keys",
    presumes=True,
)
def journalist(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    threshold: Annotated[float, Ge(0)] = _GROUP_OF_FIVE,
) -> Measure:
    """The highest risk when the intruder does not know who is in the file.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.
    threshold : float
        The details count the records whose risk is higher.

    Notes
    -----
    **Definition.** Maximum over records of 1 / F_i, F the population frequency by weights;
    without weights the file is taken as the population and 1/F = 1/f.
    **Range.** (0, 1]. Near 0: even the rarest key has many bearers. Higher: fewer.

    References
    ----------
    El Emam and Dankar (2008).
    """
    judged = Judged.of(original, masked, keys, weight=weight)
    data, names = judged.data, judged.keys
    if not names:
        return Measure.absent("journalist", NO_KEYS)
    counted = frequencies(data, names, weight, units=judged.units)
    risk = _one_in_the_population(counted)
    intruder = (
        "knows the keys of everybody in the population, not who is in the release"
    )
    return Measure(
        "journalist",
        float(risk.max(initial=0.0)),
        (0.0, 1.0),
        "every key has so many bearers in the population that none can be told apart",
        "the rarest key has fewer bearers in the population",
        _details(risk, threshold, intruder, counted) | judged.details,
        judged.of_records(risk),
    )


@facts.measure(
    "Marketer",
    threshold=0.05,
    why="at most one right link in twenty",
    view="an intruder who links everybody by the keys alone",
    passes="keys",
    presumes=True,
)
def marketer(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
) -> Measure:
    """Expected share of correct links when the intruder links the whole file.

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
    **Definition.** Mean over records of 1 / F_i (1 / f_i without weights, which is the
    number of keys over n); where a column has the role person, over persons, each by the record
    that is rarest.
    **Range.** (0, 1]. Near 0: linking the file is guessing. Higher: a larger share of the
    links is right.

    References
    ----------
    Dankar and El Emam (2010).
    """
    judged = Judged.of(original, masked, keys, weight=weight)
    data, names = judged.data, judged.keys
    if not names:
        return Measure.absent("marketer", NO_KEYS)
    counted = frequencies(data, names, weight, units=judged.units)
    risk = _one_in_the_population(counted)
    intruder = "links the whole release to the population"
    return Measure(
        "marketer",
        counted.units.mean(risk),
        (0.0, 1.0),
        "linking the file to the population is no better than guessing",
        "a larger share of all links is right",
        _details(risk, _ONE_IN_TWENTY, intruder, counted) | judged.details,
        judged.of_records(risk),
    )
