"""Classes of identical records of a file in blocks, numbered over all blocks.

Equal records lie in the same block, so the classes of a block are classes of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.base import Distinct
from tacit.attack.over_blocks.kept_blocks import KeptBlocks
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.solver.csr import pointers
from tacit.attack.solver.frame import Frame
from tacit.base.typing import Ints
from tacit.data.out_of_core.pieces import mapped


@dataclass(frozen=True)
class GroupBlock:
    """Finds the classes of a block: an item is the number of the block."""

    file: LaidOut
    frame: Frame

    def __call__(self, block: int) -> Path:
        """Write the records of the block with their classes."""
        read = KeptBlocks(self.file, self.frame)[block]
        path = self.file.folder / f"{self.file.name}-classes-{block}.npz"
        np.savez(
            path,
            rows=read.rows,
            inverse=read.theirs.inverse,
            first=read.rows[read.theirs.first],
            count=read.theirs.count,
        )
        return path


@dataclass(frozen=True)
class Classes:
    """The classes of a file.

    Attributes
    ----------
    records
        Classes of the records, and of each class its size and its first record; without values.
    start
        The first class of each block, and one after the last.
    """

    records: Distinct
    start: Ints

    @classmethod
    def of(cls, file: LaidOut, frame: Frame, n: int) -> Classes:
        """Find them, block by block; n is the number of records."""
        paths: list[Path] = mapped(GroupBlock(file, frame), range(file.blocks))
        inverse = np.empty(n, np.int64)
        counts, firsts = [], []
        so_far = 0
        for path in paths:
            with np.load(path) as found:
                inverse[found["rows"]] = found["inverse"] + so_far
                counts.append(found["count"])
                firsts.append(found["first"])
            so_far += len(counts[-1])
            path.unlink()
        start = pointers(np.array([len(count) for count in counts]))
        count, first = np.concatenate(counts), np.concatenate(firsts)
        no_values = np.zeros((0, file.width))
        return cls(Distinct(no_values, inverse, count, first), start)

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.start[-1])

    def block_of(self, named: Ints) -> Ints:
        """The block of each of these classes."""
        return np.searchsorted(self.start, named, side="right") - 1
