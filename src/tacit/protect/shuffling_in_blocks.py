"""Shuffling of a file of more than one block: the same bits in memory and from the disk.

Ranks are those of the whole file. Their cross products are added block by block, in file order, and
each block of 8,192 records draws its new scores from a generator of its own (``by_address``).
From the disk, columns are sorted there (``out_of_core.sorting``): once for their ranks, once by the
new scores; nothing is held but a piece of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from tacit.base.typing import Floats
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.number_files import NumberFiles, write_numbers
from tacit.data.out_of_core.pieces import mapped, spans, whole_blocks
from tacit.data.out_of_core.placing import placed
from tacit.data.out_of_core.sorting import Paired, SortedNumbers, sorted_numbers
from tacit.protect import by_address
from tacit.protect.by_rank import decoded


def products(ranks: Floats, n: int) -> Floats:
    """Cross products of ranks (from 1, of n records) about their mean, of one block."""
    # the mean of all ranks is known without a sum
    centred = np.ascontiguousarray(ranks) - (n + 1) / 2
    return np.asarray(centred.T @ centred)


def correlation_of(total: Floats) -> Floats:
    """Normal correlations 2 sin(pi r / 6) of rank correlations, from their cross products."""
    size = np.sqrt(np.diag(total))
    # a constant column has no ranks to correlate: 0 with all others
    size = np.where(size > 0, size, 1.0)
    correlation = 2 * np.sin(np.pi / 6 * total / np.outer(size, size))
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


@dataclass(frozen=True)
class NewScores:
    """Scores of the masked columns of a block, drawn given the scores of the other columns."""

    weights: Floats
    left_over: Floats
    draws: by_address.Draws

    def __call__(self, block: int, given: Floats) -> Floats:
        """(records, masked columns) of one block, by its number."""
        rng = self.draws.at(block)
        shape = len(given), len(self.left_over)
        noise = rng.standard_normal(shape) @ self.left_over
        return np.asarray(np.ascontiguousarray(given) @ self.weights + noise)


def correlation_in_blocks(both: Floats) -> Floats:
    """The normal correlations of columns of scores in memory."""
    ranks = np.column_stack([rankdata(column) for column in both.T])
    total = np.zeros((both.shape[1], both.shape[1]))
    for first, stop in spans(len(both), by_address.BLOCK):
        total = total + products(ranks[first:stop], len(both))
    return correlation_of(total)


def drawn_in_blocks(scores: NewScores, given: Floats) -> Floats:
    """The new scores of all records in memory."""
    blocks = spans(len(given), by_address.BLOCK)
    return np.concatenate(
        [scores(number, given[slice(*span)]) for number, span in enumerate(blocks)]
    )


@dataclass(frozen=True)
class Ranked:
    """A column on the disk: its values in order, its ranks from 0, and the ranks of its scores."""

    ordered: SortedNumbers
    ranks: NumberFiles
    of_scores: NumberFiles

    @classmethod
    def of(cls, data: OnDisk, name: str, folder: SpillFolder) -> Ranked:
        """Sort the column; where values are missing, their scores are ranked among the others."""
        ordered = sorted_numbers(ColumnNumbers.of(data, name), folder)
        ranks = ordered.ranks(folder)
        if ordered.present == data.n:
            return cls(ordered, ranks, ranks)
        again = sorted_numbers(Scores(ranks, ordered.present), folder)
        of_scores = again.ranks(folder)
        again.remove()
        return cls(ordered, ranks, of_scores)

    @property
    def scores(self) -> Scores:
        """Normal scores in row order."""
        return Scores(self.ranks, self.ordered.present)

    def remove(self) -> None:
        """The column is masked."""
        self.ordered.remove()
        self.ranks.remove()
        self.of_scores.remove()


@dataclass(frozen=True)
class Scores:
    """Normal scores of ranks from 0: ``ndtri((rank + 1/2) / present)``; 0 where missing."""

    ranks: NumberFiles
    present: int

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.ranks.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of rows."""
        ranks = self.ranks.read(first, stop)
        found = ndtri((ranks + 0.5) / max(self.present, 1))
        return np.where(np.isnan(ranks), 0.0, found)


@dataclass(frozen=True)
class _Products:
    """Item: a span of rows. The cross products of each of its blocks."""

    ranks: tuple[NumberFiles, ...]

    def __call__(self, item: tuple[int, int]) -> list[Floats]:
        columns = [one.read(*item) for one in self.ranks]
        # ranks of files are counted from 0
        ranks, n = np.column_stack(columns) + 1.0, self.ranks[0].n
        blocks = spans(len(ranks), by_address.BLOCK)
        return [products(ranks[first:stop], n) for first, stop in blocks]


@dataclass(frozen=True)
class _Drawn:
    """Item: (first, stop, files). New scores of a span, a file for each masked column."""

    scores: NewScores
    given: tuple[Scores, ...]
    masked: tuple[NumberFiles, ...]

    def __call__(self, item: tuple[int, int, tuple[Path, ...]]) -> int:
        first, stop, files = item
        given = np.empty((stop - first, len(self.given)))
        for j, one in enumerate(self.given):
            given[:, j] = one.read(first, stop)
        number = first // by_address.BLOCK
        blocks = spans(stop - first, by_address.BLOCK)
        drawn = np.concatenate(
            [self.scores(number + i, given[slice(*s)]) for i, s in enumerate(blocks)]
        )
        for j, (ranks, path) in enumerate(zip(self.masked, files, strict=True)):
            # what is missing stays where it is
            gaps = np.isnan(ranks.read(first, stop))
            write_numbers(path, np.where(gaps, np.nan, drawn[:, j]))
        return stop - first


def correlation_from_disk(columns: Sequence[Ranked], n: int) -> Floats:
    """The normal correlations of columns on the disk."""
    work = _Products(tuple(one.of_scores for one in columns))
    found = mapped(work, whole_blocks(n, by_address.BLOCK))
    total = np.zeros((len(columns), len(columns)))
    for several in found:
        for one in several:
            total = total + one
    return correlation_of(total)


def shuffled_from_disk(
    data: OnDisk,
    names: Sequence[str],
    masked: Sequence[Ranked],
    given: Sequence[Ranked],
    scores: NewScores,
) -> OnDisk:
    """The file with the values of each masked column in the order of the new scores."""
    folder = data.disk.folder
    work = _Drawn(
        scores, tuple(one.scores for one in given), tuple(one.ranks for one in masked)
    )
    items = [
        (*span, tuple(folder.next_file() for _ in names))
        for span in whole_blocks(data.n, by_address.BLOCK)
    ]
    lengths = tuple(mapped(work, items))
    for j, (name, column) in enumerate(zip(names, masked, strict=True)):
        drawn = NumberFiles(tuple(files[j] for _, _, files in items), lengths)
        order = sorted_numbers(drawn, folder)
        pairs = Paired(order.rows, column.ordered.values)
        numbers = placed(pairs, spans(order.present), data.n, folder)
        order.remove()
        drawn.remove()
        data = decoded(data, name, numbers)
    return data
