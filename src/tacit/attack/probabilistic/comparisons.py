"""Comparisons of two values, as levels of agreement, and the counts of their patterns.

Numbers: |a - b| within each of some tolerances (in units of the original's sd; 0 = exact).
Categories: equal or not, or for text the Jaro-Winkler similarity within some limits. Patterns
of all pairs are counted by a kernel over the distinct rows; no pair is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.attack.base import Distinct, distinct
from tacit.attack.common_codes import common_codes
from tacit.attack.probabilistic.jaro_winkler import jaro_winkler
from tacit.base.errors import InputError
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.column import Category
from tacit.data.microdata import Kind, Microdata
from tacit.kernels.agreement import ShortInts, pattern_counts, patterns_of

# Most patterns that are counted: 160 MB
MOST_PATTERNS = 20_000_000

# Pairs of distinct rows whose patterns are kept, since both counts and costs ask for them: 48 MB
KEPT = 12_000_000
# Rows whose patterns are counted at a time
BLOCK = 512

# How the kernel compares a column: by limits, or by a table
NUMBER, CATEGORY = 0, 1


@dataclass(frozen=True)
class Compared:
    """Both files as numbers, with what the kernel needs to compare them.

    Attributes
    ----------
    x, z
        Numbers or codes, one row per record.
    sizes
        Levels of each column.
    kernel
        What the kernel takes: kinds, limits and tables of all columns.
    base
        A pattern is coded as the sum over columns of (level + 1) * base.
    """

    x: Floats
    z: Floats
    sizes: list[int]
    kernel: tuple[Ints, Floats, Ints, Ints, Ints, Ints]
    base: Ints
    tallied: tuple[Distinct, Distinct] | None = None
    """The distinct rows, where ``x`` and ``z`` hold these in place of records."""

    @property
    def records(self) -> tuple[int, int]:
        """Records of both files."""
        if self.tallied is None:
            return len(self.x), len(self.z)
        ours, theirs = self.tallied
        return int(ours.count.sum()), int(theirs.count.sum())

    @property
    def patterns(self) -> int:
        """How many patterns there can be."""
        return int(np.prod([size + 1 for size in self.sizes]))

    def levels(self, codes: Ints) -> Ints:
        """Levels (-1 = missing) of pattern codes."""
        columns = [
            codes // base % (size + 1) - 1
            for base, size in zip(self.base, self.sizes, strict=True)
        ]
        return np.stack(columns, 1)

    @cached_property
    def distinct(self) -> tuple[Distinct, Distinct]:
        """The distinct rows of both files."""
        if self.tallied is not None:
            return self.tallied
        return distinct(self.x), distinct(self.z)

    @cached_property
    def kept(self) -> ShortInts | None:
        """Pattern codes of all pairs of distinct rows; None where they are too many."""
        ours, theirs = self.distinct
        if len(ours.rows) * len(theirs.rows) > KEPT:
            return None
        return patterns_of(ours.rows, theirs.rows, *self.kernel, self.base)

    def counts(self) -> tuple[Ints, Floats]:
        """(levels, counts) of the patterns that occur, over all pairs."""
        ours, theirs = self.distinct
        our_copies = ours.count.astype(float)
        their_copies = theirs.count.astype(float)
        if self.kept is None:
            counts = pattern_counts(
                ours.rows,
                theirs.rows,
                our_copies,
                their_copies,
                *self.kernel,
                self.base,
                self.patterns,
            )
        else:
            counts = np.zeros(self.patterns)
            # copies are whole numbers: their sums are exact, in blocks as well
            for first in range(0, len(ours.rows), BLOCK):
                some = slice(first, first + BLOCK)
                weight = np.outer(our_copies[some], their_copies)
                codes = self.kept[some].ravel()
                counts += np.bincount(codes, weight.ravel(), self.patterns)
        # most patterns never occur
        seen = np.flatnonzero(counts)
        return self.levels(seen), counts[seen]

    def codes(
        self,
        x: Floats,
        z: Floats,
    ) -> ShortInts:
        """Pattern code of each pair of rows of x with rows of z."""
        if self.kept is not None and self._are_distinct(x, z):
            return self.kept
        x, z = np.ascontiguousarray(x), np.ascontiguousarray(z)
        return patterns_of(x, z, *self.kernel, self.base)

    def _are_distinct(self, x: Floats, z: Floats) -> bool:
        """Are these the distinct rows themselves?"""
        ours, theirs = self.distinct
        return bool(
            np.array_equal(x, ours.rows, equal_nan=True)
            and np.array_equal(z, theirs.rows, equal_nan=True)
        )


@dataclass
class _Columns:
    """What the kernel takes, put together column by column.

    Limits and tables of all columns stand end to end; ``limit_at`` and ``table_at`` say
    where each column's begin.
    """

    x: list[Floats] = field(default_factory=list)
    z: list[Floats] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    limit_at: list[int] = field(default_factory=lambda: [0])
    tables: list[int] = field(default_factory=list)
    table_at: list[int] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)

    def add(
        self,
        x: Floats,
        z: Floats,
        kind: int,
        size: int,
        width: int = 0,
    ) -> None:
        """One more column; its table, if it has one, is added after this."""
        self.x.append(x)
        self.z.append(z)
        self.kinds.append(kind)
        self.sizes.append(size)
        self.widths.append(width)
        self.table_at.append(len(self.tables))

    def kernel(self) -> tuple[Ints, Floats, Ints, Ints, Ints, Ints]:
        """In the order in which the kernel takes them; empty arrays have no type in numba."""
        return (
            np.array(self.kinds, np.int64),
            np.array(self.limits or [0.0], float),
            np.array(self.limit_at, np.int64),
            np.array(self.tables or [0], np.int64),
            np.array(self.table_at, np.int64),
            np.array(self.widths, np.int64),
        )


def compare(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    tolerances: tuple[float, ...],
    similarities: tuple[float, ...],
    *,
    held: bool = True,
) -> Compared:
    """Prepare the comparison of the columns.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    tolerances : tuple of float
        Limits for continuous columns, in sd of the original.
    similarities : tuple of float
        Limits of the similarity of text.
    held : bool
        Records are linked afterwards; else files on the disk are compared by distinct rows.
    """
    build = _Columns()
    counted = None
    if not (held or original.in_memory or masked.in_memory):
        # measured: what reads files is not loaded where they are in memory
        from tacit.attack.probabilistic.tallied import sd_of, tallied

        counted = tallied(original, masked, columns)
    for j, name in enumerate(columns):
        if original.schema[name].scale is Kind.continuous:
            if counted is None:
                x, z = original.column(name), masked.column(name)
                # a column of gaps has no spread: nothing in it is compared
                sd = 1.0 if np.isnan(x).all() else float(np.nanstd(x)) or 1.0
            else:
                x, z = (side.rows[:, j] for side in counted)
                sd = sd_of(x, counted[0].count) or 1.0
            # the kernel counts how many limits hold, widest first
            widest_first = sorted({t * sd for t in tolerances}, reverse=True)
            build.add(x, z, NUMBER, size=len(widest_first) + 1)
            build.limits += [limit * (1 + TIE) for limit in widest_first]
        else:
            if counted is None:
                x, z, size = common_codes(original, masked, name)
            else:
                x, z = (side.rows[:, j] for side in counted)
                size = len(_labels(original, masked, name))
            table = _table(
                original,
                masked,
                name,
                size,
                similarities,
            )
            # level 0 is disagreement
            levels = int(table.max(initial=1)) + 1
            build.add(
                x,
                z,
                CATEGORY,
                size=levels,
                width=size,
            )
            build.tables += table.ravel().tolist()
        build.limit_at.append(len(build.limits))
    # digits of a number in mixed bases, one per column
    places = np.cumprod([size + 1 for size in build.sizes])[:-1]
    compared = Compared(
        np.ascontiguousarray(np.stack(build.x, 1)),
        np.ascontiguousarray(np.stack(build.z, 1)),
        build.sizes,
        build.kernel(),
        np.concatenate([[1], places]).astype(np.int64),
        counted,
    )
    if compared.patterns > MOST_PATTERNS:
        raise InputError(
            f"{len(columns)} columns with {max(build.sizes)} levels give "
            f"{compared.patterns} agreement patterns; compare fewer columns "
            "(columns=[...]) or use fewer tolerances"
        )
    return compared


def _table(
    original: Microdata,
    masked: Microdata,
    name: str,
    size: int,
    similarities: tuple[float, ...],
) -> Ints:
    """Level of each pair of categories.

    1 + number of similarity limits when equal, fewer when only alike.
    """
    labels = _labels(original, masked, name)
    is_nominal = original.schema[name].scale is Kind.nominal
    is_text = is_nominal and all(isinstance(label, str) for label in labels)
    if not (is_text and similarities):
        return np.eye(size, dtype=np.int64)
    table = np.zeros((size, size), dtype=np.int64)
    for i, label in enumerate(labels):
        for j in range(i + 1):
            if i == j:
                alike = 1.0
            else:
                alike = jaro_winkler(label, labels[j])
            level = sum(alike >= limit for limit in similarities) + (i == j)
            table[i, j] = table[j, i] = level
    return table


def _labels(original: Microdata, masked: Microdata, name: str) -> list[Category]:
    """The original's categories, and after them those that only the release has."""
    every = dict.fromkeys(original.categories(name))
    return list(every | dict.fromkeys(masked.categories(name)))
