"""Released columns told by trees of known columns, whatever the function is."""

from __future__ import annotations

import numpy as np

from tacit.attack.features.agreement import Learned
from tacit.attack.features.two_files import TwoFiles
from tacit.base.typing import Floats

TREES = 48
"""Trees that vote; each known pair is told by those that did not see it, about a third."""
FEWEST = 30
"""Known pairs below which no tree is grown."""


def grown(files: TwoFiles, pairs: Learned, names: list[str]) -> dict[str, Floats]:
    """Predictions of released columns for everybody; for known pairs by trees without them.

    Forests of Breiman (2001), on ranks: skewed columns are told as well as others.
    """
    inputs = [*files.known.values(), *_labels(files)]
    if not names or len(pairs.rows) < FEWEST or not inputs:
        return {}
    # measured: importing the forest takes as long as a small attack
    from sklearn.ensemble import RandomForestRegressor

    x = np.column_stack(
        [np.nan_to_num(v, nan=np.nanmin(v, initial=0.0) - 1.0) for v in inputs]
    )
    y = np.column_stack([_ranks(files.shown[name])[pairs.own] for name in names])
    forest = RandomForestRegressor(
        TREES, min_samples_leaf=1, max_features=0.6, oob_score=True, random_state=0
    )
    forest.fit(x[pairs.rows], y if y.shape[1] > 1 else y[:, 0])
    everybody = np.asarray(forest.predict(x)).reshape(files.n, -1)
    left_out = np.asarray(forest.oob_prediction_).reshape(len(pairs.rows), -1)
    everybody[pairs.rows] = left_out
    return {
        name: _values(everybody[:, place], files.shown[name])
        for place, name in enumerate(names)
    }


def _labels(files: TwoFiles) -> list[Floats]:
    return [
        label.astype(np.float64)
        for name, label in files.known_labels.items()
        if name not in files.known
    ]


def _ranks(values: Floats) -> Floats:
    """Ranks in [0, 1], the middle for gaps."""
    ordered = np.sort(values[~np.isnan(values)])
    low = np.searchsorted(ordered, values)
    high = np.searchsorted(ordered, values, "right")
    rank = (low + high) / 2 / max(len(ordered), 1)
    return np.where(np.isnan(values), 0.5, rank)


def _values(ranks: Floats, values: Floats) -> Floats:
    """The value at each rank."""
    ordered = np.sort(values[~np.isnan(values)])
    place = ranks * len(ordered) - 0.5
    return np.interp(place, np.arange(len(ordered)), ordered)
