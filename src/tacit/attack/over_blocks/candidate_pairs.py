"""Pairs of classes of two files in blocks: the nearest ones, and those that duals violate.

Whoever solves the assignment holds classes, duals and pairs, and no records; pieces of work, one
for each block, read the records (``least_values``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tacit.attack.over_blocks.blocked_files import BlockedFiles
from tacit.attack.over_blocks.classes import Classes
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.over_blocks.least_values import LeastValues, PairCosts, Side
from tacit.attack.over_blocks.sparse_graph import (
    FoundFromColumns,
    HeldPairs,
    Pairs,
    PairsOnDisk,
)
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints
from tacit.data.out_of_core.pieces import Work, mapper

PIECE = 1 << 18
"""Pairs of a linkage in one part."""


@dataclass(frozen=True)
class Found:
    """What a search over all blocks found.

    Attributes
    ----------
    parts
        The pairs of each block.
    least, farthest
        The smallest value of each row and that of the last of its pairs; inf: none, or fewer than
        asked for.
    """

    parts: list[HeldPairs | PairsOnDisk | FoundFromColumns]
    least: Floats
    farthest: Floats

    @property
    def paths(self) -> list[Path]:
        """Where pairs lie on the disk."""
        return [part.path for part in self.parts if not isinstance(part, HeldPairs)]

    def forget(self) -> None:
        """Remove what was written."""
        for path in self.paths:
            path.unlink()


class CandidatePairs:
    """Finds pairs of rows and columns, which are classes of two files.

    Parameters
    ----------
    files : BlockedFiles
        Both files.
    rows, cols : (LaidOut, Classes)
        Which of them is linked completely, and the other.
    kind : int
        What the cost of a pair is (see ``neighbours.KIND``).
    """

    def __init__(
        self,
        files: BlockedFiles,
        rows: tuple[LaidOut, Classes],
        cols: tuple[LaidOut, Classes],
        kind: int,
    ) -> None:
        self.files, self.kind = files, kind
        self.left = Side(rows[0], rows[1].start)
        self.right = Side(cols[0], cols[1].start)
        self.count = rows[1].records.count
        self.capacity = cols[1].records.count
        self.error = files.space.frame.error

    def nearest(self, k: int, stopper: Stopper) -> Found | None:
        """The k nearest both ways, and a complete linkage; None: the time was up."""
        found = self._search(self.left, self.right, k, stopper, "near")
        if found is None:
            return None
        parts = list(found.parts)
        # few rows among many columns: most columns stay free and need no candidates
        if len(self.count) * 4 >= len(self.capacity):
            back = self._search(self.right, self.left, k, stopper, "back")
            if back is None:
                return None
            parts += [FoundFromColumns(path, found.farthest) for path in back.paths]
        linkage = self._linkage(stopper)
        if linkage is None:
            return None
        # in pieces: who sorts pairs into a graph holds what it sorts several times
        rows, cols, cost = linkage
        for first in range(0, len(rows), PIECE):
            at = slice(first, first + PIECE)
            parts.append(HeldPairs((rows[at], cols[at], cost[at])))
        return Found(parts, found.least, found.farthest)

    def priced(
        self, k: int, limits: Floats, v: Floats, stopper: Stopper
    ) -> Found | None:
        """The k pairs of each row of least cost less v, below its limit; None: the time was up."""
        return self._search(self.left, self.right, k, stopper, "priced", limits, v)

    def _search(
        self,
        seekers: Side,
        sought: Side,
        k: int,
        stopper: Stopper,
        mark: str,
        limits: Floats | None = None,
        v: Floats | None = None,
    ) -> Found | None:
        folder = self.files.folder
        blocks = sought.file.blocks
        paths: list[Path | None] = [None, None]
        largest = np.zeros(blocks)
        asked = list(range(blocks))
        if limits is not None and v is not None:
            paths = [folder / "limits", folder / "weights"]
            for path, numbers in zip(paths, (limits, v), strict=True):
                assert path is not None
                numbers.tofile(path)
            starts = sought.start
            largest = np.array(
                [v[starts[b] : starts[b + 1]].max(initial=-np.inf) for b in asked]
            )
            looks = np.append(0, np.cumsum(limits > -np.inf))[seekers.start]
            asked = np.flatnonzero(np.diff(looks)).tolist()
        tree = self.files.tree.boxed(sought.file.low, sought.file.high)
        work = LeastValues(
            seekers,
            sought,
            tree,
            tree.largest(largest),
            self.files.space.frame,
            self.kind,
            k,
            paths[0],
            paths[1],
            mark,
        )
        done = mapped_until(work, asked, stopper)
        return None if done is None else _put_together(done, int(seekers.start[-1]))

    def _linkage(self, stopper: Stopper) -> Pairs | None:
        """Both files linked in the order of their blocks: neighbours in space, about."""
        rows = np.repeat(np.arange(len(self.count)), self.count)
        slots = np.repeat(np.arange(len(self.capacity)), self.capacity)
        # the shorter file is spread evenly over the longer one
        cols = slots[np.arange(len(rows)) * len(slots) // len(rows)]
        path = self.files.folder / "pairs"
        np.column_stack([rows, cols]).tofile(path)
        # the first pair of each block
        begins = np.append(0, np.cumsum(self.count))[self.left.start].tolist()
        items = [
            (block, first, stop)
            for block, (first, stop) in enumerate(pairwise(begins))
            if stop > first
        ]
        frame = self.files.space.frame
        work = PairCosts(self.left, self.right, frame, self.kind, path)
        costs = mapped_until(work, items, stopper)
        return None if costs is None else (rows, cols, np.concatenate(costs))


def mapped_until(
    work: Work, items: Sequence[Any], stopper: Stopper
) -> list[Any] | None:
    """The results in the order of the items; None: the time was up before the last."""
    results: dict[int, Any] = {}
    for place, result in mapper()(work, items):
        results[place] = result
        if time.monotonic() > stopper.deadline and len(results) < len(items):
            stopper.flag[0] = 1
            return None
    return [results[place] for place in range(len(items))]


def _put_together(paths: list[Path], rows: int) -> Found:
    """What the blocks found: the values of all rows, and where the pairs are."""
    least, farthest = np.full(rows, np.inf), np.full(rows, np.inf)
    for path in paths:
        with np.load(path) as found:
            seekers: Ints = found["seekers"]
            least[seekers], farthest[seekers] = found["least"], found["last"]
    return Found([PairsOnDisk(path) for path in paths], least, farthest)
