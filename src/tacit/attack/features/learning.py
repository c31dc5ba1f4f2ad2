"""Which features tell something, and how much each counts beside the others.

Features of one column say partly the same. So their gains g_f are weighted by a conditional logit
(McFadden 1974): the weights w >= 0 maximise the mean over known pairs of
log( exp(sum_f w_f g_f(own)) / sum_j exp(sum_f w_f g_f(j)) ), the sum being estimated from some
strangers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.attack.features.agreement import Law, Learned
from tacit.attack.features.catalogue import CLOSENESS
from tacit.attack.features.feature import Feature
from tacit.attack.features.unit_rows import OF_UNITS
from tacit.base.typing import Floats, Ints

SURE = 8.0
"""Nats that a feature must tell of all known pairs together: less is told by luck of one in
thousands."""
MOST = 24
"""Features that are weighed: those that tell most."""
OF_A_COLUMN = 2
"""Known columns by which a released category is told."""
WEIGHED, STRANGERS = 250, 60
"""Known pairs and strangers of each from which weights are learned."""
STEPS = 12
"""Newton steps at the most."""
CLEARLY = 0.05
"""Bits by which another reading of a column must tell more to be taken."""
HEAVIEST = 2.0
LIGHTEST = 0.02


Said: TypeAlias = tuple[Feature, Law]
"""A feature that tells something, with its law."""


@dataclass(frozen=True)
class Told:
    """A feature with its law and its weight."""

    feature: Feature
    law: Law
    weight: float


def learned(features: Iterable[Feature], pairs: Learned, released: Ints) -> list[Told]:
    """Features that tell something, weighed.

    Parameters
    ----------
    features : iterable of Feature
        The catalogue.
    pairs : Learned
        Known pairs.
    released : array of int
        The released records in an order that does not depend on the file's: strangers are drawn by
        it.
    """
    laws = _telling(features, pairs)
    if not laws:
        return []
    weights = _weights([law for _, law in laws], pairs, released)
    return [
        Told(feature, law, float(weight))
        for (feature, law), weight in zip(laws, weights, strict=True)
        if weight > LIGHTEST
    ]


def _telling(features: Iterable[Feature], pairs: Learned) -> list[Said]:
    """Of each column the closest reading, what equality adds, and categories that tell most."""
    # the closest reading of each column, its digits, its categories; and what two columns tell
    closest: dict[str, Said] = {}
    digits: dict[str, Said] = {}
    of_units: list[Said] = []
    categories: dict[str, list[Said]] = {}
    together: list[Said] = []
    # nats of all pairs, as bits of one
    least = SURE / np.log(2) / max(len(pairs.rows), 1)
    for feature in features:
        law = feature.agreement.learn(pairs)
        if law is None or law.bits < least:
            continue
        name, said = feature.columns[0], (feature, law)
        if len(feature.columns) > 1:
            together.append(said)
        elif feature.way in CLOSENESS:
            _keep(closest, name, said)
        elif OF_UNITS in feature.way:
            of_units.append(said)
        elif feature.way.startswith("category"):
            categories.setdefault(name, []).append(said)
        else:
            _keep(digits, name, said)
    kept = [*closest.values(), *digits.values(), *of_units]
    for some in categories.values():
        some.sort(key=lambda said: -said[1].bits)
        kept += some[:OF_A_COLUMN]
    alone: dict[str, float] = {}
    for feature, law in kept:
        name = feature.columns[0]
        alone[name] = max(alone.get(name, 0.0), law.bits)
    # two columns tell more together only where one shift or factor moved both
    kept += [
        (feature, law)
        for feature, law in together
        if law.bits > sum(alone.get(name, 0.0) for name in feature.columns)
    ]
    kept.sort(key=lambda said: -said[1].bits)
    return kept[:MOST]


def _keep(best: dict[str, Said], name: str, said: Said) -> None:
    """What tells clearly more than what was known of the column; the plainer one comes first."""
    if name not in best or said[1].bits > best[name][1].bits + CLEARLY:
        best[name] = said


def _weights(laws: list[Law], pairs: Learned, released: Ints) -> Floats:
    """Weights of the conditional logit, by Newton steps that stay in [0, HEAVIEST]."""
    rows, own = _some(pairs)
    strangers = _strangers(len(rows), released)
    each = strangers.shape[1]
    place = np.arange(len(rows))
    each_place = np.repeat(place, each)
    gains = np.stack(
        [
            law.of_pairs(rows, place, own)[:, None]
            - law.of_pairs(rows, each_place, strangers.ravel()).reshape(-1, each)
            for law in laws
        ],
        axis=2,
    )
    # each stranger that is looked at stands for as many that are not
    offset = np.log(max(len(released) - 1, 1) / each)
    count = len(laws)
    weights = np.full(count, 1.0 / max(1.0, np.sqrt(count)))
    # a weak pull towards one: what tells nothing else counts as its law says
    pull = 1.0
    value = _loss(gains, weights, offset, pull)
    for _ in range(STEPS):
        slope, curve = _derivatives(gains, weights, offset, pull)
        free = (weights > 0) & (weights < HEAVIEST) | (
            (weights <= 0) & (slope < 0) | (weights >= HEAVIEST) & (slope > 0)
        )
        if not free.any():
            break
        step = np.zeros(count)
        step[free] = np.linalg.solve(curve[np.ix_(free, free)], slope[free])
        length = 1.0
        while length > 1e-3:
            tried = np.clip(weights - length * step, 0.0, HEAVIEST)
            new = _loss(gains, tried, offset, pull)
            if new < value:
                break
            length /= 2
        else:
            break
        done = value - new < 1e-6 * abs(value)
        weights, value = tried, new
        if done:
            break
    return weights


def _loss(gains: Floats, weights: Floats, offset: float, pull: float) -> float:
    """sum_i log(1 + sum_j exp(offset - w . (g_own - g_j))) + pull/2 |w - 1|^2."""
    exponent = offset - gains @ weights
    top = np.maximum(exponent.max(1), 0.0)
    total = np.log(np.exp(-top) + np.exp(exponent - top[:, None]).sum(1)) + top
    return float(total.sum() + 0.5 * pull * ((weights - 1.0) ** 2).sum())


def _derivatives(
    gains: Floats, weights: Floats, offset: float, pull: float
) -> tuple[Floats, Floats]:
    """Slope and curvature of the loss."""
    exponent = offset - gains @ weights
    top = np.maximum(exponent.max(1), 0.0)
    raw = np.exp(exponent - top[:, None])
    share = raw / (np.exp(-top) + raw.sum(1))[:, None]
    mean = np.einsum("ij,ijf->if", share, gains)
    count = len(weights)
    slope = -mean.sum(0) + pull * (weights - 1.0)
    heavy = gains * np.sqrt(share)[:, :, None]
    flat = heavy.reshape(-1, count)
    curve = flat.T @ flat - mean.T @ mean + pull * np.eye(count)
    return slope, curve


def _some(pairs: Learned) -> tuple[Ints, Ints]:
    """Known pairs, evenly over their order."""
    place = np.linspace(0, len(pairs.rows) - 1, min(WEIGHED, len(pairs.rows)))
    at = np.unique(place.astype(np.int64))
    return pairs.rows[at], pairs.own[at]


def _strangers(rows: int, released: Ints) -> Ints:
    """Released records for each known pair: others for each, and the same in every run."""
    count = len(released)
    each = min(STRANGERS, count)
    drawn = np.random.default_rng(count).integers(0, count, (rows, each))
    return np.asarray(released[drawn])
