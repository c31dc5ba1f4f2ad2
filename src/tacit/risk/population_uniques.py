"""How many released records are alone with their key in the whole population."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Ints
from tacit.risk.classes import classes, first_of_each
from tacit.risk.counting import count
from tacit.risk.frequencies import NO_KEYS, key_codes, weights_of
from tacit.risk.judged import Judged
from tacit.risk.person_counting import people_behind
from tacit.risk.superpopulation import by_pitman, by_weights, by_zayatz


@facts.measure(
    "Population uniques",
    threshold=0.001,
    why="at most one population unique in a thousand records",
    view="an intruder who knows the keys and nothing else",
    passes="keys",
    presumes=True,
)
def population_uniques(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    population: float | None = None,
) -> Measure:
    """Expected share of released records that are unique in the population.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.
    population : float, optional
        Size of the population, where there are no weights.

    Notes
    -----
    **Definition.** Sum over sample uniques of 1/F over n, since Pr(F = 1 | f = 1) = 1/F
    under a negative binomial posterior. The details add, for a population of N =
    ``population`` (or the sum of weights), the estimates of Zayatz (uniques of the sample
    that are uniques of the population) and of the Pitman model (times n/N to be
    comparable), and DIS = n_1 f / (n_1 f + 2 n_2 (1 - f)), the chance that a match with a
    sample unique is right. Without weights and N the file is taken as the population.
    **Range.** [0, 1]. 0: nobody is unique in the population. Higher: more are, and being
    unique they can be found.

    References
    ----------
    Zayatz (1991); Hoshino (2001) for the Pitman model; Skinner and Elliot (2002) for DIS.
    """
    judged = Judged.of(original, masked, keys, weight=weight)
    data, names = judged.data, judged.keys
    if not names:
        return Measure.absent("population_uniques", NO_KEYS)
    units = judged.units
    weights = weights_of(data, weight)
    if weights is None and population is not None:
        if population < units.number:
            raise ParameterError(
                f"population={population} is smaller than the file of {units.number} "
                f"{units.words}"
            )
        # every person stands for as many people
        weights = units.weighed(population / max(units.number, 1))
    coded = key_codes(data, names)
    grouped = classes(coded)
    f, F = count(coded, weights, grouped=grouped, units=units)
    total = people_behind(weights, units)
    fraction = min(1.0, units.number / total) if total else 1.0

    # persons of each key; a person with several keys is in several
    sizes, _ = count(coded, None, any_matches=False, grouped=grouped, units=units)
    sizes = sizes[first_of_each(*grouped)]
    alone = by_weights(f, F)
    # a person counts once, by the record that is rarest in the population
    expected = units.total(alone)
    details: dict[str, object] = {
        "sample uniques": int((sizes == 1).sum()),
        **judged.details,
        "expected by weights": expected,
        "sampling fraction": fraction,
    }
    # In a census the uniques are known, and the models have nothing to estimate.
    if fraction < 1:
        details["expected by Zayatz"] = by_zayatz(sizes, fraction)
        details["expected by Pitman"] = by_pitman(sizes, total) * fraction
    details["DIS"] = _chance_that_a_match_is_right(sizes, fraction)
    return Measure(
        "population_uniques",
        expected / units.number if units.number else 0.0,
        (0.0, 1.0),
        f"no released {units.word} is expected to be unique in the population",
        "a larger share is",
        details,
        judged.of_records(alone),
    )


def _chance_that_a_match_is_right(sizes: Ints, fraction: float) -> float:
    """DIS = n_1 f / (n_1 f + 2 n_2 (1 - f)) of Skinner and Elliot; 0 without uniques."""
    uniques = int((sizes == 1).sum())
    pairs = int((sizes == 2).sum())
    right = uniques * fraction
    matches = right + 2 * pairs * (1 - fraction)
    return right / matches if matches else 0.0
