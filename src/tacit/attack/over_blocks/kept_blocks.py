"""Blocks of a file, the last ones used of which a process keeps."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from tacit.attack.over_blocks.block_search import ReadBlock
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.solver.frame import Frame

KEPT = 256 * 10**6
"""Bytes of blocks that a process keeps in memory for the next piece of work."""


class KeptBlocks:
    """The blocks of a file by their number, read when they are asked for."""

    # one for each process: items come one after the other to a worker
    _kept: OrderedDict[tuple[Path, str, int], ReadBlock] = OrderedDict()

    def __init__(self, file: LaidOut, frame: Frame) -> None:
        self.file = file
        self.frame = frame

    def __getitem__(self, block: int) -> ReadBlock:
        key = (self.file.folder, self.file.name, block)
        kept = self._kept.pop(key, None)
        if kept is None:
            kept = ReadBlock.of(self.file, block, self.frame)
        self._kept[key] = kept
        # as vectors, in the frame, in the leaves of a tree, and its boxes
        most = max(2, KEPT // max(1, 4 * kept.theirs.rows.nbytes))
        while len(self._kept) > most:
            try:
                self._kept.popitem(last=False)
            except KeyError:
                # another thread was faster
                break
        return kept

    @classmethod
    def forget(cls) -> None:
        """Leave no block behind."""
        cls._kept.clear()
