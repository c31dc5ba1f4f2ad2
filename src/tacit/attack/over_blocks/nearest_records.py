"""The nearest masked records of all originals, over all blocks, with every tie.

Each original looks in its own block, which gives it a limit, and then in the blocks whose boxes are
below the limit. The originals of a block are one piece of work, which reads the blocks that it
needs: it depends on nothing but the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.base import Distinct, distinct
from tacit.attack.distances import Distance, Scale
from tacit.attack.over_blocks.block_search import Space
from tacit.attack.over_blocks.block_tree import BlockTree
from tacit.attack.over_blocks.blocked_files import BlockedFiles, blocked_files
from tacit.attack.over_blocks.kept_blocks import KeptBlocks
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.solver.csr import pointers
from tacit.attack.solver.neighbours import KIND
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.pieces import mapped

PART = 1 << 14
"""Classes of originals of a block that search at a time: their lists of blocks are held."""


@dataclass(frozen=True)
class NearestRecords:
    """Whom each original is nearest to.

    Attributes
    ----------
    score
        The least distance of each class of originals.
    ours
        Classes of identical originals, without their rows; in no order of values.
    theirs
        Classes of identical masked records, without their rows; in no order of values.
    indptr, tied
        The tied classes of each class of originals; the first in value order comes first.
    blocks, apart
        How many blocks there were, and of how many originals the own record (of the same number)
        is in another one than they themselves.
    """

    score: Floats
    ours: Distinct
    theirs: Distinct
    indptr: Ints
    tied: Ints
    blocks: int
    apart: int


@dataclass(frozen=True)
class LinkOriginals:
    """Links the originals of a block: an item is the number of the block."""

    original: LaidOut
    masked: LaidOut
    tree: BlockTree
    space: Space
    folder: Path
    some: Ints | None = None

    @classmethod
    def of(cls, files: BlockedFiles, some: Ints | None) -> LinkOriginals:
        """The work on two files in blocks, for all originals or for some."""
        tree = files.tree.boxed(files.masked.low, files.masked.high)
        return cls(files.original, files.masked, tree, files.space, files.folder, some)

    def __call__(self, home: int) -> Path:
        """Write the links of the originals, and the classes of the masked records."""
        blocks = KeptBlocks(self.masked, self.space.frame)
        here = blocks[home]
        rows, X = self.original.block(home)
        if self.some is not None:
            asked = np.isin(rows, self.some)
            # by their place among those that are asked for
            rows, X = np.searchsorted(self.some, rows[asked]), X[asked]
        # equal records fall into the same block: they look once, and share the links
        ours = distinct(X)
        parts = [
            self._linked(ours.rows[at : at + PART], home, blocks)
            for at in range(0, len(ours.rows), PART)
        ]
        none = np.zeros(0, np.int64)
        least, degree, block, named = (
            np.concatenate([part[i] for part in parts])
            if parts
            else (none.astype(np.float64) if i == 0 else none)
            for i in range(4)
        )
        path = self.folder / f"links-{home}.npz"
        np.savez(
            path,
            rows=rows,
            our_inverse=ours.inverse,
            our_first=rows[ours.first],
            our_count=ours.count,
            least=least,
            degree=degree,
            block=block,
            named=named,
            masked=here.rows,
            inverse=here.theirs.inverse,
            first=here.rows[here.theirs.first],
            count=here.theirs.count,
        )
        return path

    def _linked(
        self, X: Floats, home: int, blocks: KeptBlocks
    ) -> tuple[Floats, Ints, Ints, Ints]:
        """Least distances, number of ties, and block and class of each tie, owner by owner."""
        space = self.space
        queries = space.frame(X)
        least = np.full(len(X), np.inf)
        owner, named, exact = blocks[home].near(X, queries, least, space)
        np.minimum.at(least, owner, exact)
        found = [(owner, np.full(len(owner), home), named, exact)]
        who, where = self.tree.visits(queries, space.limits(least), space.ranked, home)
        order = np.argsort(where, kind="stable")
        targets, starts = np.unique(where[order], return_index=True)
        visitors = np.split(who[order], starts[1:])
        # where most want to go first: their limits fall, and they need not go farther
        for place in sorted(range(len(targets)), key=lambda p: -len(visitors[p])):
            target = int(targets[place])
            ids = visitors[place]
            ids = ids[self._still_near(queries[ids], least[ids], target)]
            if not len(ids):
                continue
            owner, named, exact = blocks[target].near(
                X[ids], queries[ids], least[ids], space
            )
            owner = ids[owner]
            np.minimum.at(least, owner, exact)
            found.append((owner, np.full(len(owner), target), named, exact))
        owner, block, named, exact = (
            np.concatenate([part[i] for part in found]) for i in range(4)
        )
        tied = exact <= least[owner] * (1 + TIE)
        owner, block, named = owner[tied], block[tied], named[tied]
        order = np.lexsort((named, block, owner))
        self._first_by_value(order, owner, block, named, blocks)
        degree = np.bincount(owner, minlength=len(X))
        return least, degree, block[order], named[order]

    def _still_near(self, queries: Floats, least: Floats, block: int) -> Ints:
        """Places of the queries whose limit the box of a block is still below."""
        low, high = self.masked.low[block], self.masked.high[block]
        gap = np.maximum(np.maximum(low - queries, queries - high), 0.0)
        is_straight = self.space.ranked == KIND["manhattan"]
        apart = (gap if is_straight else gap * gap).sum(axis=1)
        # sums may differ in the last digit from those of the walk
        slack = 1 + 1e-12
        return np.flatnonzero(apart < self.space.limits(least) * slack)

    def _first_by_value(
        self, order: Ints, owner: Ints, block: Ints, named: Ints, blocks: KeptBlocks
    ) -> None:
        """Put the entry of least value first of its owner's in ``order``, which is by owner.

        The classes of a block are in value order, so one class of each block is looked at.
        """
        pair = owner[order] * (int(block.max(initial=0)) + 1) + block[order]
        heads = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
        whose = owner[order[heads]]
        # most are near one block alone
        several = heads[np.bincount(whose)[whose] > 1]
        if not len(several):
            return
        entry = order[several]
        values = np.empty((len(entry), self.masked.width))
        for target in np.unique(block[entry]).tolist():
            at = block[entry] == target
            values[at] = blocks[target].theirs.rows[named[entry[at]]]
        ranked = np.lexsort((*values.T[::-1], owner[entry]))
        _, firsts = np.unique(owner[entry], return_index=True)
        # entries are by owner in both orders: the least and the first change places
        least, first = several[ranked[firsts]], several[firsts]
        order[least], order[first] = order[first].copy(), order[least].copy()


def nearest_records(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance = "euclidean",
    scale: Scale = "std",
    weights: dict[str, float] | None = None,
    *,
    block: int | None = None,
    some: Ints | None = None,
) -> NearestRecords:
    """All nearest masked records of every original, from files of any size.

    Parameters
    ----------
    original, masked, columns, distance, scale, weights
        As of ``distances.vectors``, but for Mahalanobis distances.
    block : int, optional
        Records of a block, about; it sets the speed and the memory only.
    some : array of int, optional
        Originals that are linked, rising; all unless given.
    """
    n = original.n if some is None else len(some)
    with blocked_files(
        original, masked, columns, distance, scale, weights, block=block
    ) as files:
        return _gathered(LinkOriginals.of(files, some), n, masked.n)


def _gathered(work: LinkOriginals, n: int, m: int) -> NearestRecords:
    """The links of all blocks, put together."""
    blocks = work.masked.blocks
    theirs_of, ours_of = (np.zeros(blocks + 1, np.int64) for _ in range(2))
    paths: list[Path] = mapped(work, range(blocks))
    for block, path in enumerate(paths):
        with np.load(path) as links:
            theirs_of[block + 1] = len(links["count"])
            ours_of[block + 1] = len(links["our_count"])
    theirs_at, ours_at = np.cumsum(theirs_of), np.cumsum(ours_of)
    score = np.empty(ours_at[-1])
    degree = np.empty(ours_at[-1], np.int64)
    ours = _no_classes(n, int(ours_at[-1]), work.masked.width)
    theirs = _no_classes(m, int(theirs_at[-1]), work.masked.width)
    home = np.empty(n, np.int32)
    masked_home = np.empty(m, np.int32)
    lists = []
    for block, path in enumerate(paths):
        with np.load(path) as links:
            rows, at = links["rows"], links["masked"]
            home[rows] = block
            masked_home[at] = block
            ours.inverse[rows] = links["our_inverse"] + ours_at[block]
            theirs.inverse[at] = links["inverse"] + theirs_at[block]
            classes = slice(theirs_at[block], theirs_at[block + 1])
            theirs.first[classes], theirs.count[classes] = (
                links["first"],
                links["count"],
            )
            classes = slice(ours_at[block], ours_at[block + 1])
            ours.first[classes] = links["our_first"]
            ours.count[classes] = links["our_count"]
            score[classes], degree[classes] = links["least"], links["degree"]
            # classes of originals are in the order of the blocks, and so are their lists
            lists.append(links["named"] + theirs_at[links["block"]])
    tied = np.concatenate(lists)
    own = np.arange(n) if work.some is None else work.some
    own = own[own < m]
    apart = int(np.count_nonzero(home[: len(own)] != masked_home[own]))
    return NearestRecords(score, ours, theirs, pointers(degree), tied, blocks, apart)


def _no_classes(records: int, classes: int, width: int) -> Distinct:
    """Room for the classes of so many records, without their values."""
    inverse, count, first = (
        np.empty(size, np.int64) for size in (records, classes, classes)
    )
    return Distinct(np.zeros((0, width)), inverse, count, first)
