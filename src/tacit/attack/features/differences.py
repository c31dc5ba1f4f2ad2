"""Differences and ratios of two columns: a secret shift or factor of a record leaves them alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from tacit.attack.features.agreement import Near
from tacit.attack.features.feature import Feature
from tacit.attack.features.two_files import TwoFiles

MOST = 40
"""Columns of numbers of which all pairs are looked at."""


def differences(files: TwoFiles) -> Iterator[Feature]:
    """x_a - x_b beside z_a - z_b, and x_a / x_b beside z_a / z_b where all are positive."""
    for a, b in combinations(files.shared[:MOST], 2):
        ours, theirs = (
            (files.known[a], files.known[b]),
            (files.shown[a], files.shown[b]),
        )
        source = f"{a}, {b}"
        apart = Near(ours[0] - ours[1], theirs[0] - theirs[1])
        yield Feature("difference of two columns", (a, b), source, apart)
        if all(np.nanmin(v, initial=np.inf) > 0 for v in (*ours, *theirs)):
            with np.errstate(divide="ignore"):
                ratio = Near(
                    np.log(ours[0]) - np.log(ours[1]),
                    np.log(theirs[0]) - np.log(theirs[1]),
                )
            yield Feature("ratio of two columns", (a, b), source, ratio)
