"""Released columns told by trees of known columns, whatever the function is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from tacit.attack.features.agreement import Learned
from tacit.attack.features.steady import steady
from tacit.attack.features.two_files import TwoFiles
from tacit.base.typing import Floats

TREES = 24
"""Trees that vote; each known pair is told by those that did not see it, about a third."""
FEWEST = 30
"""Known pairs below which no tree is grown."""
TOLD, LEFT = "told by known columns", "told by known columns beside a sum"


def grown(
    files: TwoFiles, pairs: Learned, said: Floats, shown: Floats
) -> Iterator[tuple[str, Floats]]:
    """Predictions of a released column for everybody; for known pairs by trees without them.

    Forests of Breiman (2001): on ranks, as skewed columns are told as well as others then, and on
    what a sum of known columns (``said``) leaves.
    """
    inputs = [*files.known.values(), *_labels(files)]
    there = ~np.isnan(shown[pairs.own])
    rows, own = pairs.rows[there], pairs.own[there]
    if len(rows) < FEWEST or not inputs:
        return
    # measured: importing the forest takes as long as a small attack
    from sklearn.ensemble import RandomForestRegressor

    x = np.column_stack(
        [np.nan_to_num(v, nan=np.nanmin(v, initial=0.0) - 1.0) for v in inputs]
    )
    left = shown[own] - said[rows]
    usual = np.median(np.abs(left)) or 1.0
    y = np.column_stack([_ranks(shown)[own], np.clip(left / usual, -5.0, 5.0) / 10])
    forest = RandomForestRegressor(
        TREES, min_samples_leaf=1, max_features=0.6, oob_score=True, random_state=0
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        forest.fit(x[rows], y)
    everybody = np.asarray(forest.predict(x)).reshape(files.n, -1)
    without = np.asarray(forest.oob_prediction_)
    # who is in every tree has no prediction by others; a rank is never 0
    everybody[rows] = np.where(without[:, :1] == 0.0, np.nan, without)
    yield TOLD, steady(_values(everybody[:, 0], shown))
    yield LEFT, steady(said + everybody[:, 1] * 10 * usual)


def _labels(files: TwoFiles) -> list[Floats]:
    return [
        label.astype(np.float64)
        for name, label in files.known_labels.items()
        if name not in files.known
    ]


def _ranks(values: Floats) -> Floats:
    """Ranks in [0, 1]."""
    ordered = np.sort(values[~np.isnan(values)])
    low = np.searchsorted(ordered, values)
    high = np.searchsorted(ordered, values, "right")
    return np.asarray((low + high) / 2 / max(len(ordered), 1))


def _values(ranks: Floats, values: Floats) -> Floats:
    """The value at each rank."""
    ordered = np.sort(values[~np.isnan(values)])
    place = ranks * len(ordered) - 0.5
    return np.interp(place, np.arange(len(ordered)), ordered)
