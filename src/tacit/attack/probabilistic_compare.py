"""Comparisons of two values, as levels of agreement, and the counts of their patterns over all pairs.

Numbers: |a - b| within each of some tolerances (in units of the original's sd; 0 = exact). Categories: equal or
not, or for text the Jaro-Winkler similarity within some limits. Patterns of all pairs are counted by a kernel over
the distinct rows; no pair is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.attack.base import distinct
from tacit.attack.distances import common_codes
from tacit.errors import InputError
from tacit.microdata import FloatArray, Kind, Microdata

MOST_PATTERNS = 20_000_000


@dataclass(frozen=True)
class Compared:
    """Both files as numbers with what the kernel needs to compare them; `sizes` = levels of each column."""

    x: FloatArray
    z: FloatArray
    sizes: list[int]
    kernel: tuple[Any, ...]
    base: np.ndarray

    @property
    def patterns(self) -> int:
        return int(np.prod([s + 1 for s in self.sizes]))

    def levels(self, codes: np.ndarray) -> np.ndarray:
        """Levels (-1 = missing) of pattern codes."""
        return np.stack([codes // b % (s + 1) - 1 for b, s in zip(self.base, self.sizes, strict=True)], 1)

    def counts(self) -> tuple[np.ndarray, FloatArray]:
        """(levels, counts) of the patterns that occur, over all pairs."""
        from tacit.kernels.agreement import pattern_counts

        ours, theirs = distinct(self.x), distinct(self.z)
        counts = pattern_counts(
            ours.rows, theirs.rows, ours.count.astype(float), theirs.count.astype(float), *self.kernel, self.base,
            self.patterns,
        )  # fmt: skip
        seen = np.flatnonzero(counts)
        return self.levels(seen), counts[seen]

    def codes(self, x: FloatArray, z: FloatArray) -> np.ndarray:
        """Pattern code of each pair of rows of x with rows of z."""
        from tacit.kernels.agreement import patterns_of

        return np.asarray(patterns_of(x, z, *self.kernel, self.base))


def compare(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    tolerances: tuple[float, ...],
    similarities: tuple[float, ...],
) -> Compared:
    """Prepare the comparison of the columns. Tolerances are for continuous columns, similarities for text."""
    xs, zs, kinds, limits, limit_at, table_at, widths, sizes = [], [], [], [], [0], [], [], []
    tables: list[int] = []
    for name in columns:
        if original.schema[name].kind is Kind.continuous:
            a, b = original.column(name), masked.column(name)
            sd = float(np.nanstd(a)) or 1.0
            wide = sorted({t * sd for t in tolerances}, reverse=True)
            kinds.append(0)
            limits += [t * (1 + 1e-12) for t in wide]
            table_at.append(len(tables))
            widths.append(0)
            sizes.append(len(wide) + 1)
        else:
            a, b, size = common_codes(original, masked, name)
            table = _table(original, masked, name, size, similarities)
            kinds.append(1)
            table_at.append(len(tables))
            widths.append(size)
            tables += table.ravel().tolist()
            sizes.append(int(table.max(initial=1)) + 1)
        limit_at.append(len(limits))
        xs.append(a)
        zs.append(b)
    base = np.concatenate([[1], np.cumprod([s + 1 for s in sizes])[:-1]]).astype(np.int64)
    compared = Compared(
        np.ascontiguousarray(np.stack(xs, 1)),
        np.ascontiguousarray(np.stack(zs, 1)),
        sizes,
        (
            np.array(kinds, np.int64),
            np.array(limits or [0.0], float),
            np.array(limit_at, np.int64),
            np.array(tables or [0], np.int64),
            np.array(table_at, np.int64),
            np.array(widths, np.int64),
        ),
        base,
    )
    if compared.patterns > MOST_PATTERNS:
        raise InputError(
            f"{len(columns)} columns with {max(sizes)} levels give {compared.patterns} agreement patterns; "
            "compare fewer columns (columns=[...]) or use fewer tolerances"
        )
    return compared


def _table(original: Microdata, masked: Microdata, name: str, size: int, similarities: tuple[float, ...]) -> np.ndarray:
    """Level of each pair of categories: 1 + number of similarity limits when equal, fewer when only alike."""
    labels: list[Any] = list(original.categories(name))
    labels += [v for v in masked.categories(name) if v not in set(labels)]
    text = all(isinstance(v, str) for v in labels) and original.schema[name].kind is Kind.nominal
    if not (text and similarities):
        return np.eye(size, dtype=np.int64)
    table = np.zeros((size, size), dtype=np.int64)
    for i, a in enumerate(labels):
        for j in range(i + 1):
            alike = 1.0 if i == j else jaro_winkler(a, labels[j])
            level = sum(alike >= s for s in similarities) + (i == j)
            table[i, j] = table[j, i] = level
    return table


def jaro_winkler(a: str, b: str) -> float:
    """Jaro's similarity with Winkler's bonus of 0.1 for each of up to four equal first letters.

    >>> round(jaro_winkler("MARTHA", "MARHTA"), 4)
    0.9611
    """
    if a == b:
        return 1.0
    reach = max(len(a), len(b)) // 2 - 1
    used = [False] * len(b)
    left = []
    for i, letter in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if not used[j] and b[j] == letter:
                used[j] = True
                left.append(letter)
                break
    if not left:
        return 0.0
    right = [letter for j, letter in enumerate(b) if used[j]]
    half = sum(p != q for p, q in zip(left, right, strict=True)) / 2
    c = len(left)
    jaro = (c / len(a) + c / len(b) + (c - half) / c) / 3
    prefix = 0
    for p, q in zip(a[:4], b[:4], strict=False):
        if p != q:
            break
        prefix += 1
    return jaro + 0.1 * prefix * (1 - jaro)
