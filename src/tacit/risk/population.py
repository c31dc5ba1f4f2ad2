"""How many released records are alone with their key in the whole population."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.measure import Measure
from tacit.risk.counting import count
from tacit.risk.frequency import NO_KEYS, categorical, key_codes, weights_of
from tacit.risk.keys import classes
from tacit.risk.superpopulation import by_pitman, by_weights, by_zayatz


def population_uniques(
    original: Any,
    masked: Any,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    population: float | None = None,
) -> Measure:
    """Expected share of released records that are unique in the population.

    With weights: sum over sample uniques of 1/F over n, since Pr(F = 1 | f = 1) = 1/F under a negative binomial
    posterior. The details add, for a population of N = ``population`` (or the sum of weights), the estimates of Zayatz
    1991 (uniques of the sample that are uniques of the population) and of the Pitman model (Hoshino 2001; times n/N
    to be comparable), and DIS = n_1 f / (n_1 f + 2 n_2 (1 - f)), the chance that a match with a sample unique is right
    (Skinner and Elliot 2002). Without weights and N the file is taken as the population.
    Range [0, 1]. 0: nobody is unique in the population. Higher: more are, and being unique they can be found.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("population_uniques", NO_KEYS)
    weights = weights_of(data, weight)
    coded = key_codes(data, names)
    labels, number = classes(coded)
    sizes = np.bincount(labels, minlength=number).astype(np.int64)
    if weights is None and population is not None:
        if population < data.n:
            raise ParameterError(f"population={population} is smaller than the file of {data.n} records")
        weights = np.full(data.n, population / max(data.n, 1))
    f, F = count(coded, weights)
    total = float(data.n if weights is None else weights.sum())
    fraction = min(1.0, data.n / total) if total else 1.0
    n1, n2 = int((sizes == 1).sum()), int((sizes == 2).sum())
    expected = by_weights(f, F)
    details: dict[str, Any] = {"sample uniques": n1, "expected by weights": expected, "sampling fraction": fraction}
    if fraction < 1:
        details["expected by Zayatz"] = by_zayatz(sizes, fraction)
        details["expected by Pitman"] = by_pitman(sizes, total) * fraction
    below = n1 * fraction + 2 * n2 * (1 - fraction)
    details["DIS"] = n1 * fraction / below if below else 0.0
    per_record = np.where(f == 1, 1 / np.maximum(F, 1.0), 0.0)
    return Measure(
        "population_uniques",
        expected / data.n if data.n else 0.0,
        (0.0, 1.0),
        "no released record is expected to be unique in the population",
        "a larger share is",
        details,
        per_record,
    )
