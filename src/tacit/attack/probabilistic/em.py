"""Fellegi and Sunter's model fitted by EM on counts of agreement patterns.

A pair is a match with probability p; given that, each column k agrees at level l with
probability m_kl (match) or u_kl (no match), independently over columns. EM (Dempster, Laird and
Rubin 1977; Jaro 1989) on the counts c_g of the patterns g:

* E: q_g = p m(g) / (p m(g) + (1 - p) u(g));
* M: p = sum c q / sum c, m_kl = sum over patterns with level l of c q / sum c q, u_kl the same
  with 1 - q.

A missing comparison says nothing and drops out of its column. The weight of a pattern is
log m(g) / u(g); thresholds follow from the error rates that are tolerated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats, Ints

# Probabilities stay above this, so that one pattern that never occurred does not decide
# a link.
SMALLEST = 1e-12
# Where EM starts: the share of matches that agree at the highest level, and the rest
AGREE, DISAGREE = 0.9, 0.1


@dataclass(frozen=True)
class Model:
    """What EM found.

    Attributes
    ----------
    prior
        Share of pairs that match.
    m, u
        m[k][l], u[k][l] = P(column k agrees at level l | match, no match).
    log_likelihood
        Of the counts, before the last step.
    rounds
        Rounds that were needed.
    settled
        The likelihood rests; False: the rounds ran out.
    """

    prior: float
    m: list[Floats]
    u: list[Floats]
    log_likelihood: float
    rounds: int
    settled: bool

    def weights(self, levels: Ints) -> Floats:
        """log m/u of each pattern (rows of levels, -1 = missing)."""
        ratios = [np.log(m / u) for m, u in zip(self.m, self.u, strict=True)]
        return _sum_over_columns(levels, ratios)

    def posterior(self, levels: Ints) -> Floats:
        """Probability that a pair with each pattern is a match."""
        odds = self.weights(levels) + np.log(self.prior) - np.log1p(-self.prior)
        return np.asarray(1.0 / (1.0 + np.exp(-odds)), float)


def _sum_over_columns(levels: Ints, tables: list[Floats]) -> Floats:
    """sum_k tables[k][level of column k] of each pattern; missing levels add nothing."""
    total = np.zeros(len(levels))
    for k, table in enumerate(tables):
        seen = levels[:, k] >= 0
        total[seen] += table[levels[seen, k]]
    return total


def _log_probability(levels: Ints, tables: list[Floats]) -> Floats:
    """log of the product over columns of the probability of the level."""
    return _sum_over_columns(levels, [np.log(table) for table in tables])


def _shares(
    levels: Ints,
    mass: Floats,
    sizes: list[int],
) -> list[Floats]:
    """Share of the mass at each level, column by column: the M step."""
    tables = []
    for k, size in enumerate(sizes):
        seen = levels[:, k] >= 0
        table = np.bincount(levels[seen, k], mass[seen], size)
        share = table / max(table.sum(), SMALLEST)
        tables.append(np.maximum(share, SMALLEST))
    return tables


def _mostly_agree(size: int) -> Floats:
    """Matches agree at the highest level; the other levels share the rest."""
    if size == 1:
        return np.ones(1)
    others = np.full(size - 1, DISAGREE / (size - 1))
    return np.append(others, AGREE)


def fit(
    levels: Ints,
    counts: Floats,
    sizes: list[int],
    *,
    prior: float,
    hold_prior: bool = False,
    rounds: int = 1000,
    tolerance: float = 1e-8,
    m: list[Floats] | None = None,
    u: list[Floats] | None = None,
) -> Model:
    """EM from a start where matches agree and u is the share over all pairs.

    Parameters
    ----------
    levels, counts : arrays
        The patterns that occur (-1 = missing), and how often.
    sizes : list of int
        Levels of each column.
    prior : float
        First guess of the share of matches: 1 / records for two files of the same people.
    hold_prior : bool
        Keep it: with a bijection it is known.
    rounds : int
        Most rounds.
    tolerance : float
        Relative change of the likelihood below which it rests.
    m, u : lists of arrays, optional
        Another start.
    """
    if m is None:
        m = [_mostly_agree(size) for size in sizes]
    if u is None:
        u = _shares(levels, counts, sizes)
    last = -np.inf
    done, settled = 0, False
    while done < rounds:
        match = np.log(prior) + _log_probability(levels, m)
        # where all pairs are matches, no pair is another: minus infinity
        with np.errstate(divide="ignore"):
            other = np.log1p(-prior) + _log_probability(levels, u)
        # E step: the probability that a pair of this pattern is a match
        either = np.logaddexp(match, other)
        likelihood = float(counts @ either)
        q = np.exp(match - either)
        if not hold_prior:
            share = counts @ q / counts.sum()
            prior = float(np.clip(share, SMALLEST, 1 - SMALLEST))
        # M step: levels among matches and among the others
        m = _shares(levels, counts * q, sizes)
        u = _shares(levels, counts * (1 - q), sizes)
        done += 1
        if abs(likelihood - last) <= tolerance * abs(likelihood):
            settled = True
            break
        last = likelihood
    return Model(prior, m, u, likelihood, done, settled)


@dataclass(frozen=True)
class Thresholds:
    """Pairs with weight >= upper are links, below lower are none, between them go to a clerk.

    ``false_links`` and ``false_non_links`` are the rates that the model expects at these
    thresholds.
    """

    upper: float
    lower: float
    false_links: float
    false_non_links: float


def thresholds(
    model: Model,
    levels: Ints,
    false_positive: float,
    false_negative: float,
) -> Thresholds:
    """Smallest upper and largest lower weight whose expected error rates are tolerated.

    Parameters
    ----------
    model : Model
        Of ``fit``.
    levels : array
        The patterns over which rates are taken.
    false_positive, false_negative : float
        Tolerated P(weight >= upper | no match) and P(weight < lower | match).
    """
    weight = model.weights(levels)
    m = np.exp(_log_probability(levels, model.m))
    u = np.exp(_log_probability(levels, model.u))
    m = m / m.sum()
    u = u / u.sum()
    # errors add up from the heaviest pattern down, and from the lightest up
    heaviest = np.argsort(-weight, kind="stable")
    lightest = heaviest[::-1]
    fits = np.flatnonzero(np.cumsum(u[heaviest]) <= false_positive)
    if len(fits):
        upper = float(weight[heaviest[fits[-1]]])
    else:
        upper = np.inf
    fits = np.flatnonzero(np.cumsum(m[lightest]) <= false_negative)
    lower = -np.inf
    if len(fits):
        # just above the last weight that may be below the threshold
        lower = float(np.nextafter(weight[lightest[fits[-1]]], np.inf))
    lower = min(lower, upper)
    false_links = float(u[weight >= upper].sum())
    false_non_links = float(m[weight < lower].sum())
    return Thresholds(
        upper,
        lower,
        false_links,
        false_non_links,
    )
