"""Fellegi and Sunter's model fitted by EM on counts of agreement patterns.

A pair is a match with probability p; given that, each column k agrees at level l with probability m_kl (match) or
u_kl (no match), independently over columns. EM (Dempster, Laird and Rubin 1977; Jaro 1989) on the counts c_g of the
patterns g:  E: q_g = p m(g) / (p m(g) + (1 - p) u(g));  M: p = sum c q / sum c, m_kl = sum over patterns with
level l of c q / sum c q, u_kl the same with 1 - q. A missing comparison says nothing and drops out of its column.
The weight of a pattern is log m(g) / u(g); thresholds follow from the error rates that are tolerated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.microdata import FloatArray

LevelArray = npt.NDArray[np.int64]
SMALLEST = 1e-12
"""Probabilities stay above this, so that one pattern that never occurred does not decide a link."""


@dataclass(frozen=True)
class Model:
    """prior = share of pairs that match; m[k][l], u[k][l] = P(column k agrees at level l | match, no match)."""

    prior: float
    m: list[FloatArray]
    u: list[FloatArray]
    log_likelihood: float
    rounds: int
    settled: bool

    def weights(self, levels: LevelArray) -> FloatArray:
        """log m/u of each pattern (rows of levels, -1 = missing)."""
        total = np.zeros(len(levels))
        for k, (m, u) in enumerate(zip(self.m, self.u, strict=True)):
            seen = levels[:, k] >= 0
            total[seen] += np.log(m / u)[levels[seen, k]]
        return total

    def posterior(self, levels: LevelArray) -> FloatArray:
        """Probability that a pair with each pattern is a match."""
        odds = self.weights(levels) + np.log(self.prior) - np.log1p(-self.prior)
        return np.asarray(1.0 / (1.0 + np.exp(-odds)), float)


def _log_probability(levels: LevelArray, tables: list[FloatArray]) -> FloatArray:
    total = np.zeros(len(levels))
    for k, table in enumerate(tables):
        seen = levels[:, k] >= 0
        total[seen] += np.log(table[levels[seen, k]])
    return total


def _renew(levels: LevelArray, mass: FloatArray, sizes: list[int]) -> list[FloatArray]:
    out = []
    for k, size in enumerate(sizes):
        seen = levels[:, k] >= 0
        table = np.bincount(levels[seen, k], mass[seen], size)
        out.append(np.maximum(table / max(table.sum(), SMALLEST), SMALLEST))
    return out


def fit(
    levels: LevelArray,
    counts: FloatArray,
    sizes: list[int],
    *,
    prior: float,
    hold_prior: bool = False,
    rounds: int = 1000,
    tolerance: float = 1e-8,
    m: list[FloatArray] | None = None,
    u: list[FloatArray] | None = None,
) -> Model:
    """EM from a start where matches agree (m: 0.9 on the highest level) and u is the share over all pairs.

    `prior` is the first guess of the share of matches: 1 / records for two files of the same people.
    `hold_prior` keeps it: with a bijection it is known. `settled` is False when the rounds ran out.
    """
    if m is None:
        m = [np.append(np.full(s - 1, 0.1 / max(1, s - 1)), 0.9) if s > 1 else np.ones(1) for s in sizes]
    if u is None:
        u = _renew(levels, counts, sizes)
    total = counts.sum()
    last = -np.inf
    done, settled = 0, False
    while done < rounds:
        match = np.log(prior) + _log_probability(levels, m)
        other = np.log1p(-prior) + _log_probability(levels, u)
        both = np.logaddexp(match, other)
        likelihood = float(counts @ both)
        q = np.exp(match - both)
        if not hold_prior:
            prior = float(np.clip(counts @ q / total, SMALLEST, 1 - SMALLEST))
        m, u = _renew(levels, counts * q, sizes), _renew(levels, counts * (1 - q), sizes)
        done += 1
        if abs(likelihood - last) <= tolerance * abs(likelihood):
            settled = True
            break
        last = likelihood
    return Model(prior, m, u, likelihood, done, settled)


@dataclass(frozen=True)
class Thresholds:
    """Pairs with weight >= upper are links, below lower are none, between them go to a clerk.

    `false_links` and `false_non_links` are the rates that the model expects at these thresholds.
    """

    upper: float
    lower: float
    false_links: float
    false_non_links: float


def thresholds(model: Model, levels: LevelArray, false_positive: float, false_negative: float) -> Thresholds:
    """Smallest upper and largest lower weight whose expected error rates stay within what is tolerated.

    Rates are over all possible patterns given: P(weight >= upper | no match) and P(weight < lower | match).
    """
    weight = model.weights(levels)
    m, u = np.exp(_log_probability(levels, model.m)), np.exp(_log_probability(levels, model.u))
    m, u = m / m.sum(), u / u.sum()
    order = np.argsort(-weight, kind="stable")
    high = np.cumsum(u[order])
    fits = np.flatnonzero(high <= false_positive)
    upper = float(weight[order[fits[-1]]]) if len(fits) else np.inf
    low = np.cumsum(m[order[::-1]])
    fits = np.flatnonzero(low <= false_negative)
    lower = float(np.nextafter(weight[order[::-1][fits[-1]]], np.inf)) if len(fits) else -np.inf
    lower = min(lower, upper)
    return Thresholds(upper, lower, float(u[weight >= upper].sum()), float(m[weight < lower].sum()))
