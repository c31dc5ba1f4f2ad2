"""Frequencies of key combinations when some values are missing, and the search for few suppressions.

Two readings of a missing value, always named:

- `any`: it matches anything. f(r) = number of records that agree with r wherever both are present.
- `value`: it is a value of its own. f(r) = number of records with the same keys and the same gaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from tacit.kernels.suppression import cover, gather

Codes = npt.NDArray[np.int64]
Reading = Literal["any", "value"]


def compress(codes: Codes) -> tuple[Codes, Codes, Codes]:
    """Distinct rows (in value order), the class of each record and the number of records of each class."""
    labels = np.zeros(codes.shape[0], dtype=np.int64)
    for column in codes.T:
        _, inverse = np.unique(column, return_inverse=True)
        labels = labels * (int(inverse.max(initial=0)) + 1) + inverse
        _, labels = np.unique(labels, return_inverse=True)  # renumbered, so the product stays small
    first = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    first[labels[::-1]] = np.arange(codes.shape[0])[::-1]
    return codes[first], labels.astype(np.int64), np.bincount(labels, minlength=first.size).astype(np.int64)


def frequencies(codes: Codes, missing: Reading = "any") -> Codes:
    """f(r) of every record; -1 codes a missing value."""
    distinct, label, count = compress(codes)
    if missing == "value":
        return count[label]
    gaps, pattern, _ = compress((distinct < 0).astype(np.int64))
    found = np.zeros(len(distinct), dtype=np.int64)
    rows = [np.flatnonzero(pattern == p) for p in range(len(gaps))]
    for p, q in ((p, q) for p in range(len(gaps)) for q in range(len(gaps))):
        seen = np.flatnonzero((gaps[p] == 0) & (gaps[q] == 0))
        both = np.concatenate([rows[p], rows[q]])
        _, shared, _ = compress(distinct[both][:, seen])
        mine, theirs = shared[: rows[p].size], shared[rows[p].size :]
        found[rows[p]] += np.bincount(theirs, weights=count[rows[q]], minlength=both.size).astype(np.int64)[mine]
    return found[label]


def _buckets(
    distinct: Codes, subset: tuple[int, ...], wanted: npt.NDArray[np.bool_]
) -> Iterator[npt.NDArray[np.intp]]:
    """The classes that agree on all keys outside `subset`, when one of them is wanted; present values only."""
    usable = (distinct[:, list(subset)] >= 0).any(axis=1)
    rest = [j for j in range(distinct.shape[1]) if j not in subset]
    rows = np.flatnonzero(usable)
    _, label, size = compress(distinct[rows][:, rest]) if rest else (None, np.zeros(rows.size, np.int64), None)
    keep = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
    keep[label[wanted[rows]]] = True
    inside = keep[label]
    rows, label = rows[inside], label[inside]
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    yield from np.split(rows[order], cuts) if rows.size else ()


def suppress(
    codes: Codes, k: int, importance: npt.NDArray[np.float64], missing: Reading, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """True where a cell is to be suppressed, so that every f(r) >= k under the reading given.

    First one cell a record, then two, and so on, until nothing is left to do. Which of several equal records
    of a class is suppressed is drawn at random (they differ only in columns that are not keys).
    """
    distinct, label, count = compress(codes)
    width = codes.shape[1]
    first = frequencies(distinct.repeat(1, axis=0), "value")  # shape only; counts come from `count`
    need = np.zeros_like(first)
    current = frequencies(codes, missing)
    of_class = np.zeros(len(distinct), dtype=np.int64)
    of_class[label] = current
    need = k - of_class
    left = count.copy()
    small = need > 0
    plan: list[tuple[Codes, Codes, list[tuple[int, ...]]]] = []
    for size in range(1, width + 1):
        wanted = (need > 0) & (left > 0) if missing == "any" else small
        if not wanted.any():
            break
        subsets: list[tuple[int, ...]] = []
        parts: list[npt.NDArray[np.intp]] = []
        for subset in combinations(range(width), size):
            for rows in _buckets(distinct, subset, wanted):
                subsets.append(subset)
                parts.append(rows)
        if not parts:
            continue
        start = np.concatenate([[0], np.cumsum([p.size for p in parts])]).astype(np.int64)
        member = np.concatenate(parts).astype(np.int64)
        cost = np.array([importance[list(s)].sum() for s in subsets])
        order = np.argsort(cost, kind="stable")
        if missing == "any":
            total = np.array([count[p].sum() for p in parts], dtype=np.int64)
            top = max(2.0, float(np.bincount(member).max())) / cost.min()
            levels = np.unique([top * 0.8**i for i in range(60)] + [g / c for c in set(cost) for g in (1, 2, 3)])
            levels = np.concatenate([levels[levels >= 1 / cost.max() - 1e-12][::-1]])
            who, where = cover(start, member, cost, total, left, need, k, levels)
            many = np.ones(who.size, dtype=np.int64)
        else:
            levels = np.unique(np.concatenate([cost * (1 + i / k) for i in range(0, 4 * k)] + [[np.inf]]))
            who, where, many = gather(start, member, cost, left, small, k, levels)
        del order
        plan.append((np.repeat(who, many), np.repeat(where, many), subsets))
    return _cells(plan, label, codes, rng)


def _cells(
    plan: list[tuple[Codes, Codes, list[tuple[int, ...]]]],
    label: Codes,
    codes: Codes,
    rng: np.random.Generator,
) -> npt.NDArray[np.bool_]:
    out = np.zeros(codes.shape, dtype=np.bool_)
    shuffled = rng.permutation(label.size)
    rows = shuffled[np.argsort(label[shuffled], kind="stable")]
    cursor = np.concatenate([[0], np.cumsum(np.bincount(label))])[:-1]
    for who, where, subsets in plan:
        for u, b in zip(who, where, strict=True):
            row = rows[cursor[u]]
            cursor[u] += 1
            out[row, list(subsets[b])] = True
    return out & (codes >= 0)
