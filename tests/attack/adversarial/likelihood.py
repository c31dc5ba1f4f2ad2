"""Exact likelihood and a dense assignment.

The law of each column is that of the last method which touched it, given what the steps before it
made, if these draw no random numbers; it is written here from the definition of the method. Where
no law is written down (two random steps on one column) it is learned from shadows. Where members of
a household stay together, households are assigned first and their members then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

import tacit as tc
from attack.adversarial import shadow
from attack.adversarial.counting import IMPOSSIBLE, assigned
from attack.adversarial.releases import HOUSEHOLD, Trial, run

P = tc.protect
CERTAIN = (P.Microaggregation, P.Recoding, P.TopBottomCoding, P.Pseudonyms)
"""Methods that draw no random numbers: they are run again."""
SAME = 1e-9
"""Relative: a value that is computed again differs by rounding."""


def attack(trial: Trial) -> np.ndarray:
    """The masked record named for each original."""
    cost = costs(trial)
    if HOUSEHOLD in trial.x:
        return by_household(cost, trial.x[HOUSEHOLD], trial.z[HOUSEHOLD])
    return assigned(cost)


def costs(trial: Trial) -> np.ndarray:
    """Minus the log likelihood of all pairs."""
    total = np.zeros((trial.original.n, trial.masked.n))
    learned = []
    for name in trial.columns:
        law = _law(trial, name)
        if law is None:
            learned.append(name)
        else:
            total += np.minimum(law, IMPOSSIBLE)
    return total + shadow.costs(trial, learned) if learned else total


def _law(trial: Trial, name: str) -> np.ndarray | None:
    """The costs of one column; None if two random steps touch it, or no law is written down."""
    chain = [s for s in trial.steps if name in s.touches(trial.original)]
    last = next((s for s in reversed(chain) if not isinstance(s, CERTAIN)), None)
    before = trial.x[name]
    z = trial.z[name]
    if last is None:
        steps = [s for s in trial.steps if isinstance(s, CERTAIN)]
        if len(steps) < len([s for s in trial.steps if not isinstance(s, P.Sampling)]):
            # classes and groups depend on the other columns, which another step drew anew
            return None if chain else _equal(before, z)
        masked, _ = run(steps, trial.original)
        return _equal(masked.table.to_pandas()[name], z)
    place = trial.steps.index(last)
    if last is not chain[-1] or any(
        not isinstance(step, CERTAIN) for step in trial.steps[:place]
    ):
        return None
    if place:
        masked, _ = run(trial.steps[:place], trial.original)
        before = masked.table.to_pandas()[name]
    for kind, law in LAWS.items():
        if isinstance(last, kind):
            return law(last, before, z)
    return None


def _equal(x: pd.Series, z: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(x) and pd.api.types.is_numeric_dtype(z):
        a, b = x.to_numpy(float)[:, None], z.to_numpy(float)
        same = np.abs(a - b) <= SAME * np.maximum(np.abs(a), np.abs(b))
        same |= np.isnan(a) & np.isnan(b)
    else:
        same = _text(x)[:, None] == _text(z)
    return np.where(same, 0.0, IMPOSSIBLE)


def _text(values: pd.Series) -> np.ndarray:
    return values.astype(object).where(values.notna(), "").map(str).to_numpy()


def _numbers(x: pd.Series, z: pd.Series, cost: Callable[..., np.ndarray]) -> np.ndarray:
    """A law of numbers whose gaps stay in place."""
    a, b = x.to_numpy(float)[:, None], z.to_numpy(float)[None]
    gap = np.isnan(a) | np.isnan(b)
    both = np.isnan(a) & np.isnan(b)
    with np.errstate(invalid="ignore"):
        return np.where(gap, np.where(both, 0.0, IMPOSSIBLE), cost(a, b))


def _noise(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray:
    sd = step.percent / 100 * x.std()
    return _numbers(x, z, lambda a, b: 0.5 * ((a - b) / sd) ** 2)


def _laplace(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray:
    share = step.epsilon / len(step.columns)
    if x.name in step.bounds:
        low, high = step.bounds[x.name]
        return _numbers(x, z, lambda a, b: np.abs(a - b) * share / (high - low))
    others = len(step.categories[x.name]) - 1
    stays = np.exp(share) / (np.exp(share) + others)
    same = _text(x)[:, None] == _text(z)
    return -np.log(np.where(same, stays, (1 - stays) / others))


def _rounding(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray:
    base = step.base[x.name]

    def cost(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        # up with the probability of the fraction: 1 - distance in steps
        return -np.log(np.maximum(1 - np.abs(a - b) / base, 1e-300))

    return np.minimum(_numbers(x, z, cost), IMPOSSIBLE)


def _swapping(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray:
    """All ranks within the window are as likely; the partners of the last ones are fewer."""
    n = int(x.notna().sum())
    window = max(1, int(step.p * n / 100)) + 1
    low, high = x.rank(method="min"), x.rank(method="max")
    least, most = z.rank(method="min"), z.rank(method="max")
    near = np.maximum(
        low.to_numpy()[:, None] - most.to_numpy(),
        least.to_numpy()[None] - high.to_numpy()[:, None],
    )
    here = x.isna().to_numpy()[:, None] == z.isna().to_numpy()
    with np.errstate(invalid="ignore"):
        ok = here & ~(near > window)
    return np.where(ok, 0.0, IMPOSSIBLE)


def _pram(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray | None:
    """The published matrix."""
    if not hasattr(step, "categories_"):
        return None
    known = [str(c) for c in step.categories_[x.name]]
    matrix = np.asarray(step.matrices_[x.name])
    place = {c: k for k, c in enumerate(known)}
    if not set(_text(x)) <= set(place) or not set(_text(z)) <= set(place):
        return None
    a = [place[c] for c in _text(x)]
    b = [place[c] for c in _text(z)]
    return -np.log(np.maximum(matrix[np.ix_(a, b)], 1e-300))


def _suppression(step: Any, x: pd.Series, z: pd.Series) -> np.ndarray:
    """A value is as it was, or missing; how often is counted in the release."""
    gone = max((z.isna().mean() - x.isna().mean()), 1e-3)
    same = _text(x)[:, None] == _text(z)
    cost = np.where(same, -np.log1p(-min(gone, 0.999)), IMPOSSIBLE)
    return np.where(z.isna().to_numpy()[None] & ~same, -np.log(gone), cost)


LAWS: dict[type, Callable[..., np.ndarray | None]] = {
    P.Noise: _noise,
    P.Laplace: _laplace,
    P.Rounding: _rounding,
    P.RankSwapping: _swapping,
    P.PRAM: _pram,
    P.LocalSuppression: _suppression,
}
"""Methods whose law of one column is written down here."""


def by_household(cost: np.ndarray, ours: pd.Series, theirs: pd.Series) -> np.ndarray:
    """Households are one-to-one as well: the cost of two of them is that of their members."""
    own = [np.flatnonzero(ours.to_numpy() == h) for h in ours.unique()]
    other = [np.flatnonzero(theirs.to_numpy() == h) for h in theirs.unique()]
    price = np.empty((len(own), len(other)))
    for a, us in enumerate(own):
        for b, them in enumerate(other):
            if len(us) < len(them):
                price[a, b] = IMPOSSIBLE * len(them)
                continue
            block = cost[np.ix_(us, them)]
            i, j = linear_sum_assignment(block)
            price[a, b] = block[i, j].sum()
    if len(ours) == len(theirs):
        # everybody was released: sizes are kept
        lengths = [len(x) for x in own], [len(x) for x in other]
        price[np.array(lengths[0])[:, None] != lengths[1]] = IMPOSSIBLE * 10
    named = np.full(len(cost), -1)
    for a, b in zip(*linear_sum_assignment(price), strict=True):
        i, j = linear_sum_assignment(cost[np.ix_(own[a], other[b])])
        named[own[a][i]] = other[b][j]
    return named
