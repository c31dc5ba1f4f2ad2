"""What every partition shares: a splitter that names the block of a record, blocks of one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.typing import Floats, Ints
from tacit.scale.partition.ranges import Chunks, chunks_of


class Splitter(Protocol):
    """A fitted partition. It is small, can be pickled, and knows nothing of rows: only values."""

    @property
    def sizes(self) -> Ints:
        """Records of the fitted file in each block."""
        ...

    def assign(self, values: Floats) -> Ints:
        """The block of each record of ``values`` (rows, d)."""
        ...


class Partition(Protocol):
    """A way to cut a file."""

    @property
    def least(self) -> int:
        """Every block has at least so many records."""
        ...

    def fit(self, values: ArrayLike | Chunks) -> Splitter:
        """Cut a file; it is read in chunks, several times if need be."""
        ...


@dataclass(frozen=True)
class Blocks:
    """The blocks of one file in memory: ``order`` lists the rows block by block."""

    label: Ints
    splitter: Splitter

    @cached_property
    def order(self) -> Ints:
        """Rows sorted by block, within a block in rising order."""
        return np.argsort(self.label, kind="stable")

    @cached_property
    def start(self) -> Ints:
        """Where each block begins in ``order``, and the end."""
        sizes = np.bincount(self.label, minlength=len(self.splitter.sizes))
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def __len__(self) -> int:
        return len(self.splitter.sizes)

    def rows(self, block: int) -> Ints:
        """The rows of a block, in rising order."""
        return self.order[self.start[block] : self.start[block + 1]]

    def __iter__(self) -> Iterator[Ints]:
        return (self.rows(block) for block in range(len(self)))


def as_chunks(values: ArrayLike | Chunks) -> Chunks:
    """Chunks stay chunks; anything else becomes an array."""
    return values if callable(values) else chunks_of(values)


def split(
    values: ArrayLike,
    partition: Partition,
) -> Blocks:
    """Fit a partition to an array and list its blocks."""
    chunks = chunks_of(values)
    splitter = partition.fit(chunks)
    # in chunks again: codes of the whole array would take as much memory as the array
    label = np.concatenate([splitter.assign(chunk) for chunk in chunks()])
    return Blocks(label, splitter)
