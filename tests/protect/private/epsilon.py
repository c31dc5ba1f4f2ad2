"""Epsilon from below: what two neighbouring files and many releases of each prove.

For every event E, P(E | file) <= exp(epsilon) P(E | neighbour). The event is chosen on one half of
the runs and tried on the other, with exact (Clopper-Pearson) limits: what comes out is surely at
most the true epsilon, but for a chance of one in a million a side.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import beta

Floats = np.ndarray
Mechanism = Callable[[int, int], Floats]
"""(which of the two files, runs) -> what an intruder sees of each release (runs, features).

A mechanism that is fast may make more runs than it was asked for.
"""

CHANCE = 1e-6
THRESHOLDS = 60


def lower_bound(
    mechanism: Mechanism, runs: int, delta: float = 0.0, *, one_way: bool = False
) -> float:
    """The largest epsilon that the runs rule out everything below of, at this delta.

    For every event P(E | file) <= exp(epsilon) P(E | neighbour) + delta; ``one_way``: of the first
    file over its neighbour only, where nothing may be exceeded (delta 0).
    """
    a, b = mechanism(0, runs), mechanism(1, runs)
    runs = len(a)
    half = runs // 2
    j, t, below, swapped = _best_event(
        a[:half], b[:half], delta, (False,) if one_way else (False, True)
    )
    hit, other = (int(((s[half:, j] <= t) == below).sum()) for s in (a, b))
    if swapped:
        hit, other = other, hit
    proven = surely(np.array([hit]), np.array([other]), runs - half, delta)
    return max(float(proven[0]), 0.0)


def surely(hit: Floats, other: Floats, n: int, delta: float = 0.0) -> Floats:
    """The log ratio of probabilities that so many hits of n each surely have at least."""
    least = np.nan_to_num(beta.ppf(CHANCE, hit, n - hit + 1), nan=0.0)
    most = np.nan_to_num(beta.ppf(1 - CHANCE, other + 1, n - other), nan=1.0)
    return np.asarray(np.log(np.maximum(least - delta, 1e-12) / most))


def _best_event(
    a: Floats, b: Floats, delta: float, ways: tuple[bool, ...]
) -> tuple[int, float, bool, bool]:
    """The feature, threshold and side that would prove most on these runs."""
    n = len(a)
    events: list[tuple[int, float, bool, bool]] = []
    hits: list[tuple[int, int]] = []
    for j in range(a.shape[1]):
        both = np.concatenate([a[:, j], b[:, j]])
        for t in np.unique(np.quantile(both, np.linspace(0, 1, THRESHOLDS))):
            p, q = int((a[:, j] <= t).sum()), int((b[:, j] <= t).sum())
            for below, u, v in ((True, p, q), (False, n - p, n - q)):
                for swapped in ways:
                    events.append((j, float(t), below, swapped))
                    hits.append((v, u) if swapped else (u, v))
    counts = np.array(hits)
    return events[int(np.argmax(surely(counts[:, 0], counts[:, 1], n, delta)))]


def seen(frame: pd.DataFrame, values: list[object] | None = None) -> Floats:
    """What may be looked at in a release: values, types, what is distinct or equal, categories.

    ``values``: categories that the intruder looks for, at the first record and anywhere.
    """
    facts = [float(len(frame.columns)), float(len(frame.drop_duplicates()))]
    for name in frame.columns:
        column = frame[name]
        number = pd.api.types.is_numeric_dtype(column)
        facts += [float(number), float(pd.api.types.is_integer_dtype(column))]
        facts += [float(column.nunique())]
        dtype = getattr(column.dtype, "categories", None)
        facts += [-1.0 if dtype is None else float(len(dtype))]
        if number:
            x = column.to_numpy(float)
            facts += [x[0], x[-1], x.min(), x.max(), x.sum()]
            facts += [float((x == np.rint(x)).all())]
            # who shares a group
            facts += [float(x[0] == x[1]), float(x[-1] == x[-2])] if len(x) > 1 else []
        for value in values or ():
            same = (column.astype(object) == value).to_numpy()
            ends = [float(same[0]), float(same[-1])] if len(same) else [0.0, 0.0]
            facts += [*ends, float(same.sum())]
    return np.array(facts)


def many(release: Callable[[], Floats], runs: int) -> Floats:
    """What is seen of this many releases."""
    rows = [release() for _ in range(runs)]
    # a release without a column has fewer facts; the first says how many columns there are
    width = max(map(len, rows))
    return np.array([np.pad(row, (0, width - len(row))) for row in rows])


def aligned(mechanism: Mechanism, make: Callable[[], object]) -> Mechanism:
    """Both files with as many features: a release may have fewer columns than the other.

    ``makes`` of the mechanism is the class that is tried.
    """

    def run(which: int, runs: int) -> Floats:
        rows = mechanism(which, runs)
        return np.pad(rows, ((0, 0), (0, max(60 - rows.shape[1], 0))))

    run.makes = type(make())  # type: ignore[attr-defined]
    return run
