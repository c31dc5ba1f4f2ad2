"""What happened to the relations between columns: correlations and eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.loss.moments import moments
from tacit.loss.words import NO_NUMBERS
from tacit.measure import Measure
from tacit.pair import Pair


def correlation(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Largest change of a correlation: max over i < j of |r_ij - r'_ij|.

    Range [0, 2]. 0: every correlation is what it was. Higher: some correlation moved further. Per column: mean change
    of its correlations; the details name the pair and give the mean.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if len(names) < 2:
        return Measure.absent("correlation", NO_NUMBERS if not names else "there is only one column of numbers")
    x, z = pair.numbers(names)
    gap = np.abs(moments(x).correlation - moments(z).correlation)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    d = len(names)
    return Measure(
        "correlation",
        float(gap.max()),
        (0.0, 2.0),
        "every correlation is what it was",
        "some correlation moved further",
        {"pair": [names[i], names[j]], "mean": float(gap.sum() / (d * (d - 1)))},
        None,
        dict(zip(names, (gap.sum(axis=0) / (d - 1)).tolist(), strict=True)),
    )


def eigenvalues(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Change of the principal axes' shares of variance: 1/2 sum over i of |e_i - e'_i| / d, e the eigenvalues of the
    correlation matrix in falling order (they add up to d).

    Range [0, 1]. 0: variance is spread over the principal axes as it was. Higher: differently. Never divides by an
    eigenvalue, so data of less than full rank are fine.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        return Measure.absent("eigenvalues", NO_NUMBERS)
    x, z = pair.numbers(names)
    before, after = (np.linalg.eigvalsh(moments(part).correlation)[::-1] for part in (x, z))
    return Measure(
        "eigenvalues",
        float(np.abs(before - after).sum() / (2 * len(names))),
        (0.0, 1.0),
        "variance is spread over the principal axes as it was",
        "variance is spread differently",
        {"before": before.tolist(), "after": after.tolist()},
    )
