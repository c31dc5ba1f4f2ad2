"""Shadow simulation: run the plan with fresh seeds, and learn where each record's values go.

For each original and column: how often the value is missing or one of the common values, and else a
normal curve with the record's own mean and a spread shrunk towards that of all.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from attack.adversarial.counting import assigned
from attack.adversarial.releases import Trial

FEW = 60
"""Columns with at most this many distinct values in all shadows are read as labels."""


def attack(trial: Trial) -> np.ndarray:
    """The masked record named for each original."""
    return assigned(costs(trial, trial.columns))


def costs(trial: Trial, columns: list[str]) -> np.ndarray:
    """Minus the log likelihood of all pairs, learned from shadows."""
    drawn: dict[str, list[tuple[np.ndarray, pd.Series]]] = {c: [] for c in columns}
    for frame, owner in trial.shadows:
        for name in columns:
            drawn[name].append((owner, frame[name]))
    total = np.zeros((trial.original.n, trial.masked.n))
    for name in columns:
        who = np.concatenate([owner for owner, _ in drawn[name]])
        values = pd.concat([value for _, value in drawn[name]], ignore_index=True)
        total += _column(who, values, trial.z[name], trial.original.n)
    return total


def _column(
    who: np.ndarray, values: pd.Series, released: pd.Series, n: int
) -> np.ndarray:
    as_labels = values.nunique() <= FEW or not pd.api.types.is_numeric_dtype(values)
    if as_labels:
        return _labels(who, _text(values), _text(released), n)
    number = values.notna().to_numpy()
    state = _labels(
        who,
        pd.Series(np.where(number, "number", "")),
        pd.Series(np.where(released.notna(), "number", "")),
        n,
    )
    t, z = values.to_numpy(float), released.to_numpy(float)
    there = ~np.isnan(z)
    best = np.zeros((n, there.sum()))
    scales = [lambda v: v]
    if (t[number] > 0).all() and (z[there] > 0).all():
        scales.append(np.log)
    # the scale on which shadows are likelier, counted in the same unit by the slope of the scale
    fits = [_normal(who[number], s(t[number]), n) for s in scales]
    slope = [0.0, -np.log(np.abs(t[number])).mean()][: len(scales)]
    pick = int(np.argmax([f[2] + s for f, s in zip(fits, slope, strict=True)]))
    mean, spread, _ = fits[pick]
    e = (scales[pick](z[there])[None] - mean[:, None]) / spread[:, None]
    best = 0.5 * e**2 + np.log(spread)[:, None]
    state[:, there] += best
    return state


def _normal(who: np.ndarray, t: np.ndarray, n: int) -> tuple:
    """Each record's mean and spread, and the mean log density of the shadows."""
    count = np.maximum(np.bincount(who, minlength=n), 1)
    mean = np.bincount(who, t, n) / count
    squares = np.bincount(who, (t - mean[who]) ** 2, n)
    pooled = max(squares.sum() / max(len(t) - n, 1), 1e-18 * (t.var() or 1.0))
    # as if the spread of all had been seen in five more draws
    spread = np.sqrt((squares + 5 * pooled) / (count + 4))
    mean = np.where(np.bincount(who, minlength=n) > 0, mean, t.mean())
    e = (t - mean[who]) / spread[who]
    return mean, spread, float((-0.5 * e**2 - np.log(spread[who])).mean())


def _labels(who: np.ndarray, seen: pd.Series, out: pd.Series, n: int) -> np.ndarray:
    """-log frequency of each released label among the shadows of each original."""
    words = {w: k for k, w in enumerate(dict.fromkeys([*seen, *out]))}
    state = seen.map(words).to_numpy()
    count = np.zeros((n, len(words)))
    np.add.at(count, (who, state), 1.0)
    every = count.sum(0) + 0.5
    law = (count + every / every.sum()) / (count.sum(1, keepdims=True) + 1.0)
    return -np.log(law)[:, out.map(words).to_numpy()]


def _text(values: pd.Series) -> pd.Series:
    return values.astype(object).where(values.notna(), "").map(str)
