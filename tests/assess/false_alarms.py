"""Releases that nobody can be found in: the whole verdict must call them safe."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import tacit as tc
from tacit.assess.verdict import Verdict

RECORDS = 300
COLUMNS = list("abcde")
BOUNDS = dict.fromkeys(COLUMNS, (-40.0, 40.0))
"""Public bounds, wider than any of the files."""
Release = tuple[pd.DataFrame, pd.DataFrame, object]
"""Original, release and plan (None: not told)."""


def people(rng: np.random.Generator) -> pd.DataFrame:
    """Correlated, some columns skewed."""
    values = rng.normal(size=(RECORDS, 5)) @ rng.normal(size=(5, 5))
    values[:, :2] = np.exp(values[:, :2] / values[:, :2].std(0))
    return pd.DataFrame(values, columns=COLUMNS)


def independent(rng: np.random.Generator) -> Release:
    """Another file of the same sort: the records of other people."""
    x = people(rng)
    seed = int(rng.integers(2**31))
    fresh = np.random.default_rng(seed)
    z = x.sample(RECORDS, replace=True, random_state=seed)
    z = z + fresh.normal(size=z.shape) * z.std(0).to_numpy()
    z = pd.DataFrame({c: fresh.permutation(z[c]) for c in z})
    return x, z, None


def drawn(rng: np.random.Generator) -> Release:
    """Two files of one population, drawn independently."""
    mix = rng.normal(size=(5, 5))
    x, z = (
        pd.DataFrame(rng.normal(size=(RECORDS, 5)) @ mix, columns=COLUMNS)
        for _ in range(2)
    )
    return x, z, None


def _protected(step: object, x: pd.DataFrame) -> Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x, step.fit_transform(x), step  # type: ignore[attr-defined]


def mdav(rng: np.random.Generator) -> Release:
    """Groups of a hundred."""
    return _protected(tc.protect.Microaggregation(k=100), people(rng))


def laplace(rng: np.random.Generator) -> Release:
    """Epsilon .1 for the whole record."""
    step = tc.protect.Laplace(epsilon=0.1, bounds=BOUNDS, **_seed(rng))
    return _protected(step, people(rng))


def dp_microaggregation(rng: np.random.Generator) -> Release:
    """Epsilon .1, rows in random order."""
    step = tc.protect.DPMicroaggregation(k=30, epsilon=0.1, bounds=BOUNDS, **_seed(rng))
    return _protected(step, people(rng))


def ipso(rng: np.random.Generator) -> Release:
    """All columns drawn anew from their moments alone."""
    step = tc.protect.IPSO(variant="A", quasi=COLUMNS, random_state=_draw(rng))
    return _protected(step, people(rng))


def cycles(rng: np.random.Generator) -> Release:
    """Every column in an order of its own: rank swapping in cycles over the whole file."""
    step = tc.protect.RankSwapping(p=100, exchange="cycles", random_state=_draw(rng))
    return _protected(step, people(rng))


def _draw(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _seed(rng: np.random.Generator) -> dict[str, object]:
    return {"random_state": _draw(rng), "test_seed": True}


SORTS: dict[str, Callable[[np.random.Generator], Release]] = {
    "drawn": drawn,
    "independent": independent,
    "mdav": mdav,
    "laplace": laplace,
    "dp_microaggregation": dp_microaggregation,
    "ipso": ipso,
    "cycles": cycles,
}


def judged(sort: str, seed: int, *, told: bool) -> Verdict:
    """The whole verdict on one release: all attacks, all measures, all that is in the file."""
    x, z, plan = SORTS[sort](np.random.default_rng([seed, list(SORTS).index(sort)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = tc.assess(
            x, z.reset_index(drop=True), plan=plan if told else None, truth="rows",
            losses=(),
        )  # fmt: skip
    return result.verdict
