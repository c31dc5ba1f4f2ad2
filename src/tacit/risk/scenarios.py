"""Three intruders of medical data practice: prosecutor, journalist, marketer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.measure import Measure
from tacit.risk.frequency import NO_KEYS, Frequencies, categorical, frequencies
from tacit.risk.keys import FloatArray


def _details(risk: FloatArray, threshold: float, who: str, counted: Frequencies) -> dict[str, Any]:
    return {
        "intruder": who,
        "keys": list(counted.keys),
        "threshold": threshold,
        "records above threshold": int((risk > threshold).sum()),
        "mean": float(risk.mean()) if len(risk) else 0.0,
    }


def prosecutor(original: Any, masked: Any, *, keys: Sequence[str] | None = None, threshold: float = 0.2) -> Measure:
    """The highest risk of any record when the intruder knows that the target is in the file: max of 1 / f_i.

    Range (0, 1]. Near 0: even the smallest group is large. Higher: the smallest group is smaller; 1: somebody is alone.
    Source: El Emam and Dankar 2008.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("prosecutor", NO_KEYS)
    counted = frequencies(data, names)
    risk = 1.0 / counted.sample
    return Measure(
        "prosecutor",
        float(risk.max(initial=0.0)),
        (0.0, 1.0),
        "every group is so large that its members cannot be told apart",
        "the smallest group is smaller; at 1 somebody is alone",
        _details(risk, threshold, "knows that the target is in the release and knows the keys exactly", counted),
        risk,
    )


def journalist(
    original: Any,
    masked: Any,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    threshold: float = 0.2,
) -> Measure:
    """The highest risk of any record when the intruder does not know who is in the file: max of 1 / F_i.

    F: population frequency by weights; without weights the file is taken as the population and 1/F = 1/f.
    Range (0, 1]. Near 0: even the rarest key has many bearers. Higher: fewer. Source: El Emam and Dankar 2008.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("journalist", NO_KEYS)
    counted = frequencies(data, names, weight)
    risk = 1.0 / np.maximum(counted.population, counted.sample)
    return Measure(
        "journalist",
        float(risk.max(initial=0.0)),
        (0.0, 1.0),
        "every key has so many bearers in the population that none can be told apart",
        "the rarest key has fewer bearers in the population",
        _details(risk, threshold, "knows the keys of everybody in the population, not who is in the release", counted),
        risk,
    )


def marketer(original: Any, masked: Any, *, keys: Sequence[str] | None = None, weight: str | None = None) -> Measure:
    """Expected share of correct links when the intruder links the whole file: mean of 1 / F_i (1 / f_i unweighted).

    Without weights this is (number of keys) / n. Range (0, 1]. Near 0: linking the file is guessing. Higher: a larger
    share of the links is right. Source: Dankar and El Emam 2010.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("marketer", NO_KEYS)
    counted = frequencies(data, names, weight)
    risk = 1.0 / np.maximum(counted.population, counted.sample)
    return Measure(
        "marketer",
        float(risk.mean()) if len(risk) else 0.0,
        (0.0, 1.0),
        "linking the file to the population is no better than guessing",
        "a larger share of all links is right",
        _details(risk, 0.05, "links the whole release to the population", counted),
        risk,
    )
