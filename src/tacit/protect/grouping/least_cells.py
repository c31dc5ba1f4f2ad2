"""What every k-anonymous release must cost at least: how far a search can be from the best.

The smallest number of blank cells is NP-hard to find, but a number below it can be proven. Both
proofs look at each record below k and at what it needs, and never count a cell twice.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.grouping.key_classes import Reading, class_frequencies, compress

WORK = 2e7
"""Cells that are compared at most; classes beyond it prove less, never more."""
FEWEST = 10
"""Classes that are looked at in the largest file."""
ROUNDS = 6
"""Times that the prices of the reading ``any`` are raised; later rounds add little."""
SAFE = 1 - 1e-9
"""What rounding could add to a proof is taken off."""


def least_cost(
    codes: Ints,
    k: int,
    importance: Floats,
    missing: Reading,
    records: Ints | None = None,
) -> float:
    """A cost below which no blanking of cells gives every record f(r) >= k; -1: missing.

    Parameters
    ----------
    codes, k, importance, missing
        As in ``anonymity.suppress``.
    records : array of int, optional
        How many records each row stands for; one unless given.

    Notes
    -----
    **value.** Records of one class end with the same cells. So r must lose every cell in which it
    differs from k - 1 others, and pays at least d(r), the price of its differences from the
    (k - 1)-th nearest. Each pays with its own cells: the sum of d(r) is a bound.

    **any.** r needs k - f(r) more records that match it, unless it loses a cell itself. A record q
    matches r anew if it loses all of D(r, q), the columns in which they differ. Give each r below k
    a worth y(r), so that for every record q and column j

        y(q) + sum over r with j in D(r, q) of price(j) y(r) / ((k - f(r)) price(D(r, q)))

    is at most price(j). Then no set of cells of q is worth more than its price, in any release
    every r has got its worth, and the sum of y(r) is a bound (weak duality of a covering problem).
    It cannot be above (k - 1) times the price of a record: that many empty records match all.
    """
    distinct, _, count = compress(codes, records)
    frequency = class_frequencies(distinct, count, missing)
    below = np.flatnonzero(frequency < k)
    if not below.size:
        return 0.0
    passes = 1 if missing == "value" else 2 * ROUNDS
    most = max(int(WORK / (distinct.size * passes)), FEWEST)
    # evenly spread over the classes, which lie in the order of their values
    places = np.linspace(0, below.size - 1, min(most, below.size)).astype(np.int64)
    looked_at = below[places]
    if missing == "value":
        found = _of_values(distinct, count, below, looked_at, k, importance)
    else:
        need = k - frequency[looked_at]
        found = _of_any(distinct, count, looked_at, need, importance)
        # somebody is below k, and only a blank cell helps
        found = max(found, float(importance.min()))
    cell = float(importance[0])
    if (importance == cell).all():
        # there is no half of a cell
        found = cell * math.ceil(found / cell - 1e-6)
    return found


def _of_values(
    distinct: Ints,
    count: Ints,
    below: Ints,
    looked_at: Ints,
    k: int,
    importance: Floats,
) -> float:
    """The sum of d(r); of a class that is not looked at, one cell of each record.

    Nothing of one with a gap, which others may join by losing cells of theirs.
    """
    shown = (distinct[below] >= 0).all(axis=1)
    price = np.zeros(len(distinct))
    price[below[shown]] = importance.min()
    for one in looked_at:
        own = distinct[one]
        differs = (distinct != own) & (own >= 0)
        distance = differs @ importance
        order = np.argsort(distance, kind="stable")
        # itself and its equals are the first
        records = np.cumsum(count[order])
        enough = min(int(np.searchsorted(records, k)), len(order) - 1)
        price[one] = distance[order[enough]]
    return float(price @ count) * SAFE


def _of_any(
    distinct: Ints,
    count: Ints,
    looked_at: Ints,
    need: Ints,
    importance: Floats,
) -> float:
    """The sum of y(r), raised together until some cell would be worth more than its price."""
    number = count[looked_at]
    worth = need.astype(np.float64)
    for _ in range(ROUNDS):
        load = _loads(distinct, looked_at, number * worth / need, worth, importance)
        for place, one in enumerate(looked_at):
            helped = _differs(distinct, one)
            most = max(float((load * helped).max()), float(load[one].max()))
            worth[place] /= most
    load = _loads(distinct, looked_at, number * worth / need, worth, importance)
    return float(number @ worth) / max(1.0, float(load.max())) * SAFE


def _loads(
    distinct: Ints,
    looked_at: Ints,
    each: Floats,
    own: Floats,
    importance: Floats,
) -> Floats:
    """What a cell of each class and column is worth, in prices of the cell; at most 1 allowed."""
    load = np.zeros(distinct.shape)
    for one, worth in zip(looked_at, each, strict=True):
        differs = _differs(distinct, one)
        price = differs @ importance
        load += differs * (worth / np.maximum(price, importance.min()))[:, None]
    load[looked_at] += own[:, None] / importance
    return load


def _differs(distinct: Ints, one: int) -> Bools:
    """Where a class and each other one have values that differ; a gap differs from nothing."""
    own = distinct[one]
    return np.asarray((distinct != own) & (distinct >= 0) & (own >= 0))
