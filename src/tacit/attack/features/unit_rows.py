"""Rows of a person or household together: their mean, how far a row is from it, how many they are.

Noise that is drawn row by row shrinks in a mean; a shift that is drawn once for a person leaves the
distances between that person's rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.attack.features.agreement import Near, Same
from tacit.attack.features.feature import Feature
from tacit.attack.features.steady import steady
from tacit.attack.features.two_files import TwoFiles
from tacit.base.typing import Floats
from tacit.data.units import Units

OF_UNITS = "of the rows of a "


def unit_rows(files: TwoFiles) -> Iterator[Feature]:
    """For persons and for households, where both files say whose rows these are."""
    for word, (ours, theirs) in files.units.items():
        sizes = [
            units.sizes[units.labels].astype(np.float64) for units in (ours, theirs)
        ]
        rows = f"(rows of the {word})"
        yield Feature("number " + OF_UNITS + word, (rows,), word, Same.of(*sizes))
        for name in files.shared:
            x, z = files.known[name], files.shown[name]
            known, shown = _mean(x, ours), _mean(z, theirs)
            yield Feature(f"mean {OF_UNITS}{word}", (name,), name, Near(known, shown))
            apart = Near(x - known, z - shown)
            yield Feature(
                f"distance from the mean {OF_UNITS}{word}", (name,), name, apart
            )


def _mean(values: Floats, units: Units) -> Floats:
    """Of the rows of each unit that have a value, on each of its rows."""
    there = ~np.isnan(values)
    labels = units.labels[there]
    total = np.bincount(labels, weights=values[there], minlength=units.number)
    count = np.bincount(labels, minlength=units.number)
    mean = np.full(units.number, np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return steady(mean[units.labels])
