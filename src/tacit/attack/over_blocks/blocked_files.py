"""Two files in the blocks of one tree, on the disk, for as long as somebody links them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tacit.attack.distances import Distance, Scale, metric_of
from tacit.attack.over_blocks.block_search import Space
from tacit.attack.over_blocks.block_tree import BlockTree
from tacit.attack.over_blocks.disk_vectors import (
    DiskVectors,
    spilled_vectors,
    written_vectors,
)
from tacit.attack.over_blocks.kept_blocks import KeptBlocks
from tacit.attack.over_blocks.laid_out import LaidOut, lay_out
from tacit.attack.solver.frame import ROUNDING, Frame
from tacit.attack.solver.neighbours import KIND
from tacit.base.typing import Floats
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata

SAMPLE = 1 << 18
"""Masked records that say where to cut, and along which axes."""
BLOCK = 50_000
"""Records of a block, about."""


@dataclass(frozen=True)
class BlockedFiles:
    """Both files in blocks.

    Attributes
    ----------
    original, masked
        The files; block b of both is the same part of space.
    tree
        Where the blocks are cut, without boxes: each file has its own.
    space
        How distances are measured.
    folder
        Where the blocks lie, and where work on them may write.
    """

    original: LaidOut
    masked: LaidOut
    tree: BlockTree
    space: Space
    folder: Path


@contextmanager
def blocked_files(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance,
    scale: Scale,
    weights: dict[str, float] | None,
    *,
    block: int | None = None,
) -> Iterator[BlockedFiles]:
    """Lay both files out; what was written is removed at the end.

    Parameters
    ----------
    original, masked, columns, distance, scale, weights
        As of ``distances.vectors``, but for Mahalanobis distances.
    block : int, optional
        Records of a block, about; it sets the speed and the memory only.
    """
    with _work_folder(folder_of(original)) as folder:
        both = spilled_vectors(
            folder, original, masked, columns, distance, scale, weights
        )
        yield _laid_out(*both, KIND[metric_of(distance)], folder, block)


@contextmanager
def blocked_vectors(
    both: Iterable[Floats], beside: Path | None, *, block: int | None = None
) -> Iterator[BlockedFiles]:
    """Lay vectors out whose plain distances count, as those of ``blocked_files``.

    Parameters
    ----------
    both : iterable of two arrays
        Of the originals and of the masked records, one row each.
    beside : path, optional
        A folder that every worker sees.
    block : int, optional
        Records of a block, about.
    """
    with _work_folder(beside) as folder:
        names = ("original.numbers", "masked.numbers")
        given = iter(both)
        ours, theirs = (written_vectors(folder / name, next(given)) for name in names)
        del given
        yield _laid_out(ours, theirs, KIND["euclidean"], folder, block)


def folder_of(data: Microdata) -> Path | None:
    """Where the columns of a file on the disk are: every worker sees that folder."""
    return data.disk.folder.path if isinstance(data, OnDisk) else None


@contextmanager
def _work_folder(beside: Path | None) -> Iterator[Path]:
    """A folder for blocks, which is removed at the end."""
    with tempfile.TemporaryDirectory(dir=beside, prefix="nearest-") as name:
        try:
            yield Path(name)
        finally:
            KeptBlocks.forget()


def _laid_out(
    ours: DiskVectors, theirs: DiskVectors, kind: int, folder: Path, block: int | None
) -> BlockedFiles:
    """Both files in the blocks of a tree of the masked records."""
    sample = theirs.sample(SAMPLE)
    frame = Frame.of(sample, ours.sample(SAMPLE), kind)
    leaf = max(1, (block or BLOCK) * len(sample) // max(1, theirs.n))
    tree = BlockTree.of(frame(sample), leaf)
    masked_blocks = lay_out(theirs, tree, frame, folder, "masked")
    blocks = lay_out(ours, tree, frame, folder, "original")
    if frame.axes is not None:
        # of all records, not of the sample alone
        farthest = max(masked_blocks.farthest, blocks.farthest)
        error = ROUNDING * theirs.width * farthest
        frame = replace(frame, error=error)
    return BlockedFiles(blocks, masked_blocks, tree, Space(frame, kind), folder)
