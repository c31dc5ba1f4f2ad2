"""Records of an item, sorted by who wants them next: what other engines call a shuffle.

An item writes one file in which the records of target 0 come first, then those of target 1, ...,
and says where each begins. A target reads its stretch of every file, in the order of the items. So
there are as many files as items, whatever the number of targets, and no record passes through
the one who gave the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Ints
from tacit.data.out_of_core.pieces import spent


def write_grouped(
    path: Path, records: npt.NDArray[Any], target: Ints, targets: int
) -> Ints:
    """Write the records by target, in their order within each; where each target's begin.

    The result has one entry more than there are targets: the number of all records.
    """
    # sixteen bits are sorted by counting
    small = target.astype(np.uint16) if targets <= 1 << 16 else target
    order = np.argsort(small, kind="stable")
    records[order].tofile(path)
    count = np.bincount(target, minlength=targets)
    starts: Ints = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return starts


@dataclass(frozen=True)
class GroupedFiles:
    """The files of all items, and where the records of each target begin in each."""

    files: tuple[Path, ...]
    starts: Ints
    dtype: Any

    @classmethod
    def of(
        cls, files: Sequence[Path], starts: Sequence[Ints], targets: int, dtype: Any
    ) -> GroupedFiles:
        """From what ``write_grouped`` said of each item, of which there may be none."""
        of_items = np.array(starts, dtype=np.int64).reshape(len(files), targets + 1)
        return cls(tuple(files), of_items, dtype)

    @property
    def targets(self) -> int:
        """How many targets there are."""
        return int(self.starts.shape[1]) - 1

    @property
    def records(self) -> Ints:
        """How many records each target gets."""
        return np.asarray(np.diff(self.starts, axis=1).sum(axis=0))

    def lengths(self, target: int) -> Ints:
        """How many of a target's records come from each item."""
        return np.asarray(self.starts[:, target + 1] - self.starts[:, target])

    def read(self, target: int) -> npt.NDArray[Any]:
        """The records of one target, in the order of the items."""
        width = np.dtype(self.dtype).itemsize
        lengths = self.lengths(target)
        found = np.empty(int(lengths.sum()), self.dtype)
        row = 0
        for path, start, length in zip(
            self.files, self.starts[:, target], lengths, strict=True
        ):
            if length:
                found[row : row + length] = np.fromfile(
                    path, self.dtype, int(length), offset=int(start) * width
                )
                row += int(length)
        return found

    def remove(self) -> None:
        """The records are where they were wanted."""
        spent(self.files)
