"""Large files: who comes into question for each original, and what each of them costs.

Own records are looked for among those that are nearest in a feature that tells much, that share
the labels which tell most, and that are nearest in several numbers at once. Costs of these pairs
are exact; an own record that no feature brings near is not found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.attack.features.agreement import Near, NearLaw, Same, Table, TableLaw
from tacit.attack.features.learning import Told
from tacit.base.typing import Floats, Ints
from tacit.kernels.nearness import windows

WINDOW = 32
"""Nearest records in one feature, and in several, that come into question."""
SINGLE = 3
"""Features that bring candidates by themselves: those that tell most."""
SEVERAL = 6
"""Coordinates of the search in several numbers at once."""
SEARCHED = 100_000
"""Records up to which several numbers are searched at once."""
BUCKET = 64
"""Records with the same labels that come into question."""


def candidates(told: Sequence[Told], rows: Ints, m: int) -> tuple[Ints, Ints]:
    """(place in ``rows``, released record) pairs that come into question, some more than once."""
    pairs = [np.empty((0, 2), np.int64)]
    near = [one for one in told if isinstance(one.feature.agreement, Near)]
    for one in near[:SINGLE]:
        agreement = one.feature.agreement
        assert isinstance(agreement, Near)
        pairs.append(_window(agreement, rows))
    pairs.append(_bucket(told, rows, m))
    alone = max((one.law.bits for one in told), default=0.0)
    if len(near) > 1 and m <= SEARCHED and alone < np.log2(m / WINDOW):
        pairs.append(_in_several(near[:SEVERAL], rows))
    every = np.vstack(pairs)
    return every[:, 0], every[:, 1]


def _window(feature: Near, rows: Ints) -> Ints:
    """The nearest records in one number."""
    order = np.argsort(feature.shown, kind="stable")[: len(feature.ordered)]
    width = min(WINDOW, len(order))
    start = windows(feature.ordered, feature.said[rows], width)
    there = start >= 0
    place = start[there, None] + np.arange(width)
    owner = np.repeat(np.flatnonzero(there), width)
    return np.column_stack([owner, order[place].ravel()])


def _bucket(told: Sequence[Told], rows: Ints, m: int) -> Ints:
    """Records with the same labels, of as many columns as leave few in a bucket."""
    ours = np.zeros(len(rows), np.int64)
    theirs = np.zeros(m, np.int64)
    there = np.ones(len(rows), bool)
    bits = 0.0
    for one in told:
        known, released = _labels(one, rows)
        if known is None or released is None:
            continue
        there &= known >= 0
        both = np.concatenate([ours, theirs]) * (int(released.max()) + 2)
        both += np.concatenate([known, released]) + 1
        _, code = np.unique(both, return_inverse=True)
        ours, theirs = code[: len(rows)], code[len(rows) :]
        bits += one.law.bits
        if bits > np.log2(max(m, 2)) - np.log2(BUCKET):
            break
    if bits == 0.0:
        return np.empty((0, 2), np.int64)
    order = np.argsort(theirs, kind="stable")
    begin = np.searchsorted(theirs[order], ours)
    end = np.searchsorted(theirs[order], ours, "right")
    size = np.where(there, np.minimum(end - begin, BUCKET), 0)
    owner = np.repeat(np.arange(len(rows)), size)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    return np.column_stack([owner, order[begin[owner] + step]])


def _labels(one: Told, rows: Ints) -> tuple[Ints | None, Ints | None]:
    """The label that each original's own record most probably has, and those released."""
    agreement = one.feature.agreement
    if isinstance(agreement, Same):
        return agreement.known[rows], agreement.released
    if isinstance(agreement, Table) and isinstance(one.law, TableLaw):
        likely = one.law.gain.argmax(1)
        return likely[agreement.known[rows]], agreement.released
    return None, None


def _in_several(near: Sequence[Told], rows: Ints) -> Ints:
    """The nearest records in several numbers, by rank and in units of what each tells."""
    from scipy.spatial import cKDTree

    ours: list[Floats] = []
    theirs: list[Floats] = []
    for one in near:
        feature = one.feature.agreement
        assert isinstance(feature, Near)
        assert isinstance(one.law, NearLaw)
        unit = 2.0**one.law.bits * np.sqrt(one.weight)
        for values, out in ((feature.said[rows], ours), (feature.shown, theirs)):
            rank = np.searchsorted(feature.ordered, values) / len(feature.ordered)
            out.append(np.where(np.isnan(values), 0.5, rank) * unit)
    tree = cKDTree(np.column_stack(theirs))
    width = min(WINDOW, tree.n)
    found = tree.query(np.column_stack(ours), k=width)[1].reshape(len(rows), -1)
    owner = np.repeat(np.arange(len(rows)), width)
    return np.column_stack([owner, found.ravel()])


def cheapest(
    rows: Ints, others: Ints, cost: Floats, signature: Ints
) -> tuple[Ints, Ints, Floats]:
    """The released classes of least cost for each original that has a candidate; ties share.

    Returns originals, classes and costs, a line for each class that is named.
    """
    least = np.full(int(rows.max(initial=-1)) + 1, np.inf)
    np.minimum.at(least, rows, cost)
    tied = cost <= least[rows] + 1e-9 * (1.0 + np.abs(least[rows]))
    key = rows[tied] * (int(signature.max(initial=0)) + 1) + signature[others[tied]]
    _, first = np.unique(key, return_index=True)
    kept = np.flatnonzero(tied)[first]
    return rows[kept], signature[others[kept]], cost[kept]
