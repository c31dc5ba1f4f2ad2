"""Functions of the known columns that released ones are sums of."""

from __future__ import annotations

import numpy as np

from tacit.attack.features.agreement import Learned
from tacit.attack.features.two_files import TwoFiles
from tacit.base.typing import Floats

LEVELS = 20
"""Most labels of a known column that get a coefficient each, whatever the number of pairs."""
PAIRS_EACH = 8
"""Known pairs for each coefficient of a label, above that."""
WIDTH = 0.5
"""Most coefficients, as a share of the known pairs."""
KNOTS = 7
"""Places at which a function of a number may bend: so many quantiles."""
MOST = 250
"""Bent functions at the most."""


def known_numbers(files: TwoFiles) -> list[Floats]:
    """Known numbers in units of their spread, and their logarithms where they are positive; 0 for
    a gap, and a column that says so."""
    out: list[Floats] = []
    for values in files.known.values():
        there = ~np.isnan(values)
        if not there.any():
            continue
        forms = [values]
        if values[there].min() > 0:
            forms.append(np.log(values))
        for form in forms:
            # of numbers near the end of doubles the spread is infinite
            with np.errstate(over="ignore", invalid="ignore"):
                mean, spread = form[there].mean(), form[there].std()
            if spread > 0:
                out.append(np.where(there, (form - mean) / spread, 0.0))
        if not there.all():
            out.append(there.astype(np.float64))
    return out


def bends(numbers: list[Floats]) -> list[Floats]:
    """The numbers, and max(0, x - q) for quantiles q of each."""
    out = list(numbers)
    for values in numbers:
        knots = np.unique(np.quantile(values, np.arange(1, KNOTS + 1) / (KNOTS + 1)))
        out += [np.maximum(0.0, values - knot) for knot in knots]
    return out[:MOST]


def basis(files: TwoFiles, numbers: list[Floats], pairs: Learned) -> Floats:
    """A constant, the numbers, and one column for each label; as many as the pairs bear."""
    most = max(2, int(WIDTH * len(pairs.rows)))
    levels = max(LEVELS, len(pairs.rows) // PAIRS_EACH)
    labels = [
        (label == code).astype(np.float64)
        for name, label in files.known_labels.items()
        if label.max() <= (levels if name in files.known else LEVELS)
        for code in range(1, int(label.max()) + 1)
    ]
    columns = [np.ones(files.n), *numbers, *labels][:most]
    return np.column_stack(columns)
