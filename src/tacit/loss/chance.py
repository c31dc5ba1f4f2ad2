"""Probabilistic information loss as a measure (formulas and source: ``probabilistic``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.loss.probabilistic import PARTS, probabilistic
from tacit.loss.words import NO_NUMBERS
from tacit.measure import Measure
from tacit.pair import Pair


def pil(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Probabilistic information loss PIL: mean of five losses Pr(|N(0,1)| <= |t - T| / s), of quantiles (5 % .. 95 %),
    means, variances, covariances and correlations: T in the original, t in the masked file, s the standard error of t
    in an honest sample of the same size.

    Range [0, 1]. 0: every statistic is what it was. Higher: further. About 0.5: the masked file strays as far as
    another sample would. Near 1: no sample would. With many records s is small and the loss is near 1 for any bias:
    that is its meaning. Source: Mateo-Sanz, Domingo-Ferrer and Sebe 2005.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        return Measure.absent("PIL", NO_NUMBERS)
    parts = probabilistic(*pair.numbers(names))
    losses = {part: float(parts[part].mean()) for part in PARTS if parts[part].size}
    by_column = (parts["quantiles"].mean(axis=0) + parts["means"] + parts["variances"]) / 3
    return Measure(
        "PIL",
        float(np.mean(list(losses.values()))),
        (0.0, 1.0),
        "quantiles, means, variances, covariances and correlations are as they were",
        "statistics moved further than the chance of sampling explains",
        {**losses, "columns": names},
        None,
        dict(zip(names, by_column.tolist(), strict=True)),
    )
