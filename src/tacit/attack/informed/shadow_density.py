"""How the numbers of a column scatter about what is expected for their original: learned
from shadows.

A number t (on the raw, the logarithmic or the normal-score scale) of original i is taken as
m_i + s_i e. Mean and spread are the original's own, shrunk towards those of originals like
it; the shape of e is common to all. Shrinkage is chosen by the likelihood of each shadow
draw with that draw left out, the scale by what a number then tells about whose it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.base import seeds
from tacit.base.scipy_parts import ndtri
from tacit.base.typing import Floats, Ints

Scale = Literal["raw", "log", "score"]
REACH = 10.0
"""The shape is a table up to this many spreads; beyond it the tail has a formula."""
CELLS = 2_000
"""Cells of the table."""
TAIL = 0.01
"""Weight of a Cauchy tail: shadows are few, and the release may lie where none of them did."""
FLOOR = 1e-9
"""Least spread, in units of the column's: values that are computed again differ by rounding."""
SHARES = (1.0, 5.0, 20.0, 100.0)
"""How many draws the pooled spread may count like."""
ASKED = 1_000
"""Draws, and originals, on which scales are compared, taken at random (by a fixed seed)."""
KNOTS = 400
"""Quantiles that define the normal-score scale."""
EXACT = 1e-6
"""Spreads below this, in units of the column's, are those of a column that is computed and
not drawn."""


@dataclass(frozen=True)
class Transform:
    """A scale on which the numbers may scatter more evenly."""

    scale: Scale
    at: Floats
    to: Floats

    def __call__(self, values: Floats) -> Floats:
        """The values on this scale."""
        if self.scale == "raw":
            return values
        if self.scale == "log":
            return np.log(np.maximum(np.abs(values), 1e-300))
        inside = np.interp(values, self.at, self.to)
        # beyond the last shadow value the scale goes on with the slope of its last piece
        for end, inner, side in ((0, 1, -1.0), (-1, -2, 1.0)):
            slope = (self.to[end] - self.to[inner]) / (self.at[end] - self.at[inner])
            out = (values - self.at[end]) * side > 0
            inside = np.where(
                out, self.to[end] + slope * (values - self.at[end]), inside
            )
        return np.asarray(inside)


def transforms(values: Floats, signed: bool) -> list[Transform]:
    """The scales that suit these numbers."""
    none = np.empty(0)
    found = [Transform("raw", none, none)]
    if signed or (values > 0).all():
        found.append(Transform("log", none, none))
    share = np.linspace(0.5 / KNOTS, 1 - 0.5 / KNOTS, KNOTS)
    at, first = np.unique(np.quantile(values, share), return_index=True)
    if len(at) > KNOTS // 4:
        found.append(Transform("score", at, ndtri(share[first])))
    return found


@dataclass(frozen=True)
class Shape:
    """The density of e, and its normal scores, as tables over [-REACH, REACH]."""

    log_density: Floats
    score: Floats

    @classmethod
    def of(cls, e: Floats) -> Shape:
        """From standardised residuals: a smoothed histogram and a Cauchy tail."""
        edges = np.linspace(-REACH, REACH, CELLS + 1)
        middle = (edges[1:] + edges[:-1]) / 2
        width = 2 * REACH / CELLS
        count = np.histogram(np.clip(e, edges[0], edges[-1]), edges)[0].astype(float)
        # normal reference width, with the interquartile range because the tails may be heavy
        box = np.subtract(*np.quantile(e, [0.75, 0.25])) / 1.349
        h = max(1.06 * min(max(box, 0.05), 1.0) * len(e) ** -0.2, 2 * width)
        half = int(np.ceil(4 * h / width))
        kernel = np.exp(-0.5 * (np.arange(-half, half + 1) * width / h) ** 2)
        smooth = np.convolve(count, kernel / kernel.sum(), "same")
        smooth /= smooth.sum() * width
        density = (1 - TAIL) * smooth + TAIL / (np.pi * (1 + middle**2))
        below = np.cumsum(density) * width
        inside = np.clip(below / max(below[-1], 1e-300), 1e-7, 1 - 1e-7)
        return cls(np.log(density), ndtri(inside))

    def look(self, e: Floats) -> tuple[Floats, Floats]:
        """Log density and normal score."""
        cell = (np.clip(e, -REACH, REACH) + REACH) * (CELLS / (2 * REACH))
        cell = np.minimum(cell.astype(np.int32), CELLS - 1)
        far = np.log(TAIL / np.pi) - np.log1p(e * e)
        log_density = np.where(np.abs(e) < REACH, self.log_density[cell], far)
        return log_density, self.score[cell]


@dataclass(frozen=True)
class Density:
    """What is known of a column's numbers: m_i, s_i and the shape; `told` is what a draw
    tells, in nats."""

    transform: Transform
    mean: Floats
    spread: Floats
    shape: Shape
    told: float
    residual: Floats
    exact: bool


def density_of(
    values: Floats,
    who: Ints,
    many: int,
    signed: bool,
    prior: Floats,
) -> Density:
    """The best density over scales and shrinkage; `prior` is the original's own value (NaN:
    none)."""
    found = [
        _fit(values, who, many, transform, prior)
        for transform in transforms(values, signed)
    ]
    return max(found, key=lambda each: each.told)


def _fit(
    values: Floats,
    who: Ints,
    many: int,
    transform: Transform,
    prior: Floats,
) -> Density:
    t = transform(values)
    size = float(t.std()) or 1.0
    drawn = np.bincount(who, minlength=many).astype(float)
    own = np.bincount(who, t, many) / np.maximum(drawn, 1.0)
    off = t - own[who]
    squares = np.bincount(who, off**2, many).astype(float)
    pool = np.maximum(_pooled(own, squares, drawn), (FLOOR * size) ** 2)
    guess, between = _guess(own, drawn, pool, transform(prior))
    # the same without the draw itself, by the usual formulas for leaving one out
    left = np.maximum(drawn[who] - 1.0, 0.0)
    mean_left = own[who] - off / np.maximum(left, 1.0)
    squares_left = squares[who] - off**2 * drawn[who] / np.maximum(left, 1.0)
    squares_left = np.maximum(np.where(left > 0, squares_left, 0.0), 0.0)
    trust = _trust(between, pool[who], left)
    centre = guess[who] + trust * (mean_left - guess[who])
    best: tuple[float, float, Floats, Floats, Shape] | None = None
    for share in SHARES:
        spread = _spread(squares_left, left, pool[who], share, trust)
        e = (t - centre) / spread
        shape = Shape.of(e)
        fit = float((shape.look(e)[0] - np.log(spread)).mean())
        if best is None or fit > best[0]:
            best = (fit, share, e, spread, shape)
    assert best is not None
    _, share, e, spread, shape = best
    trust_all = _trust(between, pool, drawn)
    mean_all = guess + trust_all * (own - guess)
    spread_all = _spread(squares, drawn, pool, share, trust_all)
    pick = _some(len(t))
    here = shape.look(e[pick])[0] - np.log(spread[pick])
    told = float((here - _anyone(t[pick], mean_all, spread_all, shape)).mean())
    return Density(
        transform,
        mean_all,
        spread_all,
        shape,
        told,
        e,
        bool(np.median(np.sqrt(pool)) < EXACT * size),
    )


def _some(many: int) -> Ints:
    """Up to ASKED places; not at even steps, which could meet the same originals again and
    again."""
    if many <= ASKED:
        return np.arange(many)
    return np.sort(seeds.generator(seeds.FIXED).choice(many, ASKED, replace=False))


def _anyone(
    t: Floats,
    mean: Floats,
    spread: Floats,
    shape: Shape,
) -> Floats:
    """Log density of values when it is not known whose they are: the mean over some originals."""
    pick = _some(len(mean))
    m, s = mean[pick], spread[pick]
    log_density = shape.look((t[:, None] - m) / s)[0] - np.log(s)
    top = log_density.max(1)
    return np.asarray(top + np.log(np.exp(log_density - top[:, None]).mean(1)))


def _trust(
    between: float,
    pool: Floats,
    drawn: Floats,
) -> Floats:
    """Weight of an original's own mean against the guess: between / (between + pool / drawn)."""
    return np.where(drawn > 0, between / (between + pool / np.maximum(drawn, 1.0)), 0.0)


def _spread(
    squares: Floats,
    drawn: Floats,
    pool: Floats,
    share: float,
    trust: Floats,
) -> Floats:
    """Own spread and the pooled one, and what is not known of the mean."""
    variance = (squares + share * pool) / (np.maximum(drawn - 1.0, 0.0) + share)
    return np.sqrt(variance * (1.0 + trust / np.maximum(drawn, 1.0)))


def _pooled(
    own: Floats,
    squares: Floats,
    drawn: Floats,
) -> Floats:
    """Variance as a function of the mean: that of the neighbours in the order of means."""
    many = len(own)
    order = np.argsort(own, kind="stable")
    half = max(10, many // 40)
    total = np.concatenate([[0.0], np.cumsum(squares[order])])
    free = np.concatenate([[0.0], np.cumsum(np.maximum(drawn[order] - 1.0, 0.0))])
    low = np.maximum(np.arange(many) - half, 0)
    high = np.minimum(np.arange(many) + half + 1, many)
    out = np.empty(many)
    near = (total[high] - total[low]) / np.maximum(free[high] - free[low], 1.0)
    out[order] = np.maximum(near, 0.0)
    return out


def _guess(
    own: Floats,
    drawn: Floats,
    pool: Floats,
    prior: Floats,
) -> tuple[Floats, float]:
    """The mean as a straight line of the original's value, and the variance of the true
    means about it."""
    seen = (drawn > 0) & np.isfinite(prior)
    middle = np.average(own, weights=drawn) if drawn.any() else 0.0
    guess = np.full(len(own), float(middle))
    if seen.sum() > 2:
        x, y, w = prior[seen], own[seen], drawn[seen]
        x0, y0 = np.average(x, weights=w), np.average(y, weights=w)
        across = float((w * (x - x0) ** 2).sum())
        slope = float((w * (x - x0) * (y - y0)).sum()) / across if across > 0 else 0.0
        known = np.isfinite(prior)
        guess[known] = y0 + slope * (prior[known] - x0)
    drawn_once = drawn > 0
    gap = (own - guess)[drawn_once] ** 2
    noise = (pool / np.maximum(drawn, 1.0))[drawn_once]
    return guess, max(float((gap - noise).mean()), 1e-12 * float(gap.mean()), 1e-300)
