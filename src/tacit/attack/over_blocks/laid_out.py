"""Vectors sorted into blocks on the disk: pieces of a file, each in the order of the blocks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.over_blocks.block_tree import BlockTree
from tacit.attack.over_blocks.disk_vectors import NUMBER, DiskVectors
from tacit.attack.solver.frame import Frame
from tacit.base.typing import Floats, Ints
from tacit.data.out_of_core.pieces import mapped

PIECE = 1 << 18
"""Records that are sorted at a time."""


@dataclass(frozen=True)
class LaidOut:
    """A file in blocks.

    Attributes
    ----------
    folder, name
        Where its pieces are, and how they are called.
    width
        Coordinates of a vector.
    start
        (pieces, blocks + 1): where each block begins in each piece.
    low, high
        (blocks, width): the boxes of the blocks, in the frame of the search.
    farthest
        The largest distance of a vector from the centre of the frame.
    """

    folder: Path
    name: str
    width: int
    start: Ints
    low: Floats
    high: Floats
    farthest: float

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.low)

    @property
    def records(self) -> int:
        """How many records the file has."""
        return int(self.start[:, -1].sum())

    def block(self, block: int) -> tuple[Ints, Floats]:
        """Record numbers of a block, rising, and their vectors."""
        rows, vectors = [], []
        for piece, (first, stop) in enumerate(self.start[:, block : block + 2]):
            count = int(stop - first)
            if not count:
                continue
            path = self.folder / f"{self.name}-{piece}"
            at = NUMBER * int(first)
            rows.append(
                np.fromfile(path.with_suffix(".rows"), np.int64, count, offset=at)
            )
            flat = np.fromfile(
                path.with_suffix(".vectors"),
                np.float64,
                count * self.width,
                offset=at * self.width,
            )
            vectors.append(flat.reshape(count, self.width))
        if not rows:
            return np.zeros(0, np.int64), np.zeros((0, self.width))
        return np.concatenate(rows), np.concatenate(vectors)


@dataclass(frozen=True)
class SortPiece:
    """Writes a piece in the order of the blocks: an item is (number, first record, one after)."""

    vectors: DiskVectors
    tree: BlockTree
    frame: Frame
    folder: Path
    name: str

    def __call__(
        self, item: tuple[int, int, int]
    ) -> tuple[Ints, Floats, Floats, float]:
        """(where blocks begin, boxes from, to, largest distance from the centre)."""
        number, first, stop = item
        vectors = self.vectors.rows(first, stop)
        turned = self.frame(vectors)
        label = self.tree.assign(turned)
        order = np.argsort(label, kind="stable")
        path = self.folder / f"{self.name}-{number}"
        (order + first).tofile(path.with_suffix(".rows"))
        vectors[order].tofile(path.with_suffix(".vectors"))
        blocks = self.tree.blocks
        low = np.full((blocks, vectors.shape[1]), np.inf)
        high = np.full((blocks, vectors.shape[1]), -np.inf)
        sizes = np.bincount(label, minlength=blocks)
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        here = np.flatnonzero(sizes)
        ranked = turned[order]
        low[here] = np.minimum.reduceat(ranked, start[here])
        high[here] = np.maximum.reduceat(ranked, start[here])
        apart = vectors - self.frame.centre
        farthest = float(np.sqrt(np.einsum("ij,ij->i", apart, apart).max()))
        return start, low, high, farthest


def lay_out(
    vectors: DiskVectors, tree: BlockTree, frame: Frame, folder: Path, name: str
) -> LaidOut:
    """Sort a file into the blocks of a tree, piece by piece."""
    pieces = [
        (number, first, min(first + PIECE, vectors.n))
        for number, first in enumerate(range(0, vectors.n, PIECE))
    ]
    done = mapped(SortPiece(vectors, tree, frame, folder, name), pieces)
    return LaidOut(
        folder,
        name,
        vectors.width,
        np.array([start for start, _, _, _ in done]),
        np.min([low for _, low, _, _ in done], axis=0),
        np.max([high for _, _, high, _ in done], axis=0),
        max(farthest for _, _, _, farthest in done),
    )
