"""Frequencies of key combinations when some values are missing, and the search for few suppressions.

Two readings of a missing value, always named:

- ``any``: it matches anything. f(r) = number of records that agree with r wherever both are present.
- ``value``: it is a value of its own. f(r) = number of records with the same keys and the same gaps.

f under ``value`` is never larger than under ``any``, so k-anonymity under ``value`` gives both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.suppression import cover, gather

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reading = Literal["any", "value"]
FORCED_SHARE = 0.05
"""In a column where more records than this have a value that occurs fewer than k times, such values go at once."""

MANY_COLUMNS = 12
"""Above this, sets of columns are tried by their number and not by their price: there are too many to sort."""


def compress(codes: Codes) -> tuple[Codes, Codes, Codes]:
    """Distinct rows (in value order), the class of each record and the number of records of each class."""
    label = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        inverse = _ranks(column)
        label = _ranks(label * (int(inverse.max(initial=0)) + 1) + inverse)  # renumbered: the product stays small
    size = int(label.max(initial=-1)) + 1
    first = np.zeros(size, dtype=np.int64)
    first[label[::-1]] = np.arange(len(codes))[::-1]
    return codes[first], label, np.bincount(label, minlength=size).astype(np.int64)


def _ranks(column: Codes) -> Codes:
    """0, 1, ... in value order; by counting when the values are few, which is much faster than sorting."""
    if not column.size:
        return column
    low, high = int(column.min()), int(column.max())
    if high - low < 4 * column.size + 1000:
        seen = np.zeros(high - low + 1, dtype=np.bool_)
        seen[column - low] = True
        return np.asarray((np.cumsum(seen) - 1)[column - low])
    return np.asarray(np.unique(column, return_inverse=True)[1].ravel(), dtype=np.int64)


def frequencies(codes: Codes, missing: Reading = "any") -> Codes:
    """f(r) of every record; -1 codes a missing value."""
    distinct, label, count = compress(codes)
    return np.asarray(class_frequencies(distinct, count, missing)[label])


def class_frequencies(distinct: Codes, count: Codes, missing: Reading) -> Codes:
    """f of every class of equal records, given how many records each has."""
    if missing == "value":
        return count
    gaps, pattern, _ = compress((distinct < 0).astype(np.int64))
    rows = [np.flatnonzero(pattern == p) for p in range(len(gaps))]
    found = np.zeros(len(distinct), dtype=np.int64)
    for p in range(len(gaps)):
        for q in range(len(gaps)):
            seen = np.flatnonzero((gaps[p] == 0) & (gaps[q] == 0))
            both = np.concatenate([rows[p], rows[q]])
            _, shared, _ = compress(distinct[both][:, seen])
            mine, theirs = shared[: rows[p].size], shared[rows[p].size :]
            total = np.bincount(theirs, weights=count[rows[q]], minlength=int(shared.max()) + 1)
            found[rows[p]] += total.astype(np.int64)[mine]
    return found


@dataclass(frozen=True)
class Buckets:
    """Classes that agree on all keys outside a set S: ``member[start[b]:start[b + 1]]``, S is ``subsets[which[b]]``."""

    start: Codes
    member: Codes
    which: Codes
    subsets: list[tuple[int, ...]]


def buckets(distinct: Codes, subsets: list[tuple[int, ...]], wanted: Flags, missing: Reading) -> Buckets:
    """All buckets of these sets S that hold a wanted class.

    Under ``any``, a class with no value in S has nothing to give there; under ``value`` it has the suppressed form.
    """
    members: list[Codes] = []
    sizes: list[Codes] = []
    which: list[Codes] = []
    for s, subset in enumerate(subsets):
        rows = np.arange(len(distinct))
        if missing == "any":
            rows = np.flatnonzero((distinct[:, subset] >= 0).any(axis=1))
        rest = [j for j in range(distinct.shape[1]) if j not in subset]
        _, label, _ = compress(distinct[rows][:, rest])
        keep = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
        keep[label[wanted[rows]]] = True
        rows, label = rows[keep[label]], label[keep[label]]
        order = np.argsort(label, kind="stable")
        count = np.bincount(label)
        members.append(rows[order])
        sizes.append(count[count > 0])
        which.append(np.full(int((count > 0).sum()), s))
    start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    return Buckets(start, np.concatenate(members).astype(np.int64), np.concatenate(which).astype(np.int64), subsets)


def suppress(
    codes: Codes, k: int, importance: NDArray[np.float64], missing: Reading, rng: np.random.Generator
) -> Flags:
    """True where a cell is to be suppressed, so that every f(r) >= k under the reading given (n >= k).

    The cheapest sets of cells first (one cell, then two, ...), until nothing is left to do; see the kernels for how
    cells are chosen. Which of several equal records of a class is suppressed is drawn at random (they differ only in
    columns that are not keys).
    """
    below = frequencies(codes, missing) < k
    if not below.any():
        return np.zeros(codes.shape, dtype=np.bool_)
    out = _hopeless(codes, k, missing) & below[:, None]
    for _ in range(codes.shape[1] + 1):
        # under 'value' a record may be left that only a class made in this round can take in: go round again
        out = out | _round(np.where(out, -1, codes), k, importance, missing, rng)
        below = frequencies(np.where(out, -1, codes), missing) < k
        if not below.any():
            return np.asarray(out & (codes >= 0))
    out[below if missing == "any" else slice(None)] = True  # what is blank everywhere matches everything
    return np.asarray(out & (codes >= 0))


def _round(codes: Codes, k: int, importance: NDArray[np.float64], missing: Reading, rng: np.random.Generator) -> Flags:
    distinct, label, count = compress(codes)
    need = k - class_frequencies(distinct, count, missing)
    left, small = count.copy(), need > 0
    who: list[Codes] = []
    cells: list[Flags] = []
    for subsets in _stages(importance):
        wanted = (need > 0) & (left > 0) if missing == "any" else small
        if not wanted.any():
            break
        b = buckets(distinct, subsets, wanted, missing)
        table = np.zeros((len(subsets), codes.shape[1]), dtype=np.bool_)
        for s, subset in enumerate(subsets):
            table[s, list(subset)] = True
        price = table @ importance
        cost = price[b.which]
        size = np.diff(b.start)
        if missing == "any":
            total = np.add.reduceat(count[b.member], b.start[:-1]) if b.member.size else np.empty(0, dtype=np.int64)
            chosen, where = cover(b.start, b.member, cost, total, left, need, k, _levels(price, size))
        else:
            blank = ~((distinct[b.member] >= 0) & table[np.repeat(b.which, size)]).any(axis=1) & ~small[b.member]
            held = np.bincount(
                np.repeat(np.arange(size.size), size), weights=blank * left[b.member], minlength=size.size
            )
            steps = np.append(np.unique(np.concatenate([price * (1 + i / k) for i in range(4 * k)])), np.inf)
            chosen, where, many = gather(b.start, b.member, cost, held.astype(np.int64), left, small, k, steps)
            chosen, where = np.repeat(chosen, many), np.repeat(where, many)
        who.append(chosen)
        cells.append(table[b.which[where]])
    if not who:
        return np.zeros(codes.shape, dtype=np.bool_)
    return _spread(np.concatenate(who), np.concatenate(cells), label, rng)


def _stages(importance: NDArray[np.float64]) -> Iterator[list[tuple[int, ...]]]:
    """Sets of columns, cheapest first, sets of about the same price together."""
    width = importance.size
    if width > MANY_COLUMNS or (importance == importance[0]).all():
        for size in range(1, width + 1):
            yield list(combinations(range(width), size))
        return
    every = [s for size in range(1, width + 1) for s in combinations(range(width), size)]
    every.sort(key=lambda s: importance[list(s)].sum())
    stage: list[tuple[int, ...]] = []
    for s in every:
        if stage and importance[list(s)].sum() > 1.25 * importance[list(stage[0])].sum():
            yield stage
            stage = []
        stage.append(s)
    yield stage


def _hopeless(codes: Codes, k: int, missing: Reading) -> Flags:
    """Cells whose value occurs fewer than k times in its column.

    Under ``value`` such a cell can never stay. Under ``any`` it could (others may be suppressed in its favour), but
    in a column of many such values (a continuous one) looking for that is hopeless.
    """
    out = np.zeros(codes.shape, dtype=np.bool_)
    for j, column in enumerate(codes.T):
        place = _ranks(column)
        scarce = (np.bincount(place)[place] < k) & (column >= 0)
        if missing == "value" or scarce.mean() > FORCED_SHARE:
            out[:, j] = scarce
    return out


def _levels(price: NDArray[np.float64], size: Codes) -> NDArray[np.float64]:
    """Gains per unit of cost, highest first, down to the lowest that is still a gain."""
    lowest, top = 1 / float(price.max()), max(2.0, float(size.max(initial=2))) / float(price.min())
    levels = [g / c for c in np.unique(price) for g in (1.0, 2.0, 3.0)]
    while top > lowest:
        levels.append(top)
        top *= 0.8
    return np.unique([x for x in levels if x >= lowest * (1 - 1e-12)])[::-1].copy()


def _spread(who: Codes, cells: Flags, label: Codes, rng: np.random.Generator) -> Flags:
    """From classes to records: the i-th action of a class takes its i-th record in random order."""
    out = np.zeros((label.size, cells.shape[1]), dtype=np.bool_)
    shuffled = rng.permutation(label.size)
    rows = shuffled[np.argsort(label[shuffled], kind="stable")]
    start = np.cumsum(np.bincount(label)) - np.bincount(label)
    order = np.argsort(who, kind="stable")
    sizes = np.bincount(who, minlength=start.size)
    turn = np.arange(who.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    out[rows[start[who[order]] + turn]] = cells[order]
    return out
