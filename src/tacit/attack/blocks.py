"""Assignment inside blocks: for files that are linked piece by piece, or on a cluster."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.blocks_partition import Pairs, by_attribute, by_clusters, by_ranks
from tacit.attack.distances import Scale, vectors
from tacit.attack.neighbours import Floats, Ints
from tacit.attack.solve import assign
from tacit.attack.votes import Vote, count_votes
from tacit.errors import InputError
from tacit.microdata import Microdata


def link_block(block: tuple[Floats, Floats]) -> Ints:
    """The work of one block: the optimal assignment of its two parts."""
    left, right = block
    return assign(left, right).match if len(left) and len(right) else np.full(len(left), -1, np.int64)


class Blocks(Attacker):
    """Optimal assignment in blocks, put together by vote.

    Definition: both files are cut into blocks, each block is linked by the assignment of least total distance, and the
    linkages of several cuts vote. Source: Rodriguez Fernandez 2013, chapter 5. Guarantee: each block's linkage is
    optimal; the whole need not be. Cost: one assignment a block and cut.

    ``partition``: ``attribute`` cuts both files once by each attribute and lets the linkages vote (``vote``: see
    ``votes.count_votes``); ``ranks`` and ``clusters`` cut once (see ``blocks_partition``; ``clusters`` is the published
    one that fails). ``size``: most records in a block. ``engine``: where blocks run (``tacit.engine``; threads unless
    given). The cost of a link is the Euclidean distance.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(60, 3))
    >>> Blocks(size=20).link(x, x).correct
    60.0
    """

    def __init__(
        self,
        partition: Literal["attribute", "ranks", "clusters"] = "attribute",
        size: Annotated[int, Ge(2)] = 4_500,
        vote: Vote = "best",
        scale: Scale = "std",
        columns: list[str] | None = None,
        engine: Any = None,
    ) -> None:
        self.partition = partition
        self.size = size
        self.vote = vote
        self.scale = scale
        self.columns = columns
        self.engine = engine

    @property
    def knows(self) -> str:
        return (
            "every compared column of each original, and that each masked record belongs to one original; links "
            f"inside blocks of {self.size} by {self.partition}, columns scaled by {self.scale}"
        )

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        from tacit.engine import engine_of

        if original.n != masked.n:
            raise InputError(f"blocks need files of equal length, not {original.n} and {masked.n} records")
        X, Y, _ = vectors(original, masked, columns, "euclidean", self.scale)
        order, back = np.lexsort(X.T[::-1]), np.lexsort(Y.T[::-1])
        A, B = np.ascontiguousarray(X[order]), np.ascontiguousarray(Y[back])
        cuts = self._cuts(A, B)
        places = [(voter, a, b) for voter, cut in enumerate(cuts) for a, b in cut]
        choice = np.full((len(cuts), len(A)), -1, np.int64)
        classes = distinct(B)
        runner = engine_of(self.engine) if self.engine is None or isinstance(self.engine, str) else self.engine
        items = [(A[a], B[b]) for _, a, b in places]
        for place, match in runner.map(link_block, items):
            voter, a, b = places[place]
            linked = match >= 0
            choice[voter, a[linked]] = classes.inverse[b[match[linked]]]
        distance = np.sqrt(((A[None] - classes.rows[np.maximum(choice, 0)]) ** 2).sum(axis=2))
        indptr, named, probability = count_votes(choice, distance, self.vote)
        return _ordered(X, Y, order, indptr, named, probability)

    def _cuts(self, A: Floats, B: Floats) -> list[Pairs]:
        if self.partition == "attribute":
            return [by_attribute(A, B, axis, self.size) for axis in range(A.shape[1])]
        return [by_ranks(A, B, self.size) if self.partition == "ranks" else by_clusters(A, B, self.size)]


def _ordered(X: Floats, Y: Floats, order: Ints, indptr: Ints, named: Ints, probability: Floats) -> Matching:
    """Back to the files' own order. Identical originals share what their class was given."""
    theirs, ours = distinct(Y), distinct(X)
    owner = ours.inverse[np.repeat(order, np.diff(indptr))]
    pair, where = np.unique(owner * len(theirs.count) + named, return_inverse=True)
    group, target = np.divmod(pair, len(theirs.count))
    given = np.bincount(where.reshape(-1), weights=probability, minlength=len(pair))
    share = np.asarray(given / ours.count[group], dtype=np.float64)
    start = np.searchsorted(group, np.arange(len(ours.count) + 1))
    degree = np.diff(start)[ours.inverse]
    at = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    entry = np.repeat(start[:-1][ours.inverse], degree) + np.arange(at[-1]) - np.repeat(at[:-1], degree)
    linked = degree > 0
    head = np.where(linked, start[:-1][ours.inverse], 0)
    match = np.where(linked, theirs.first[target[head]], -1).astype(np.int64)
    score = np.where(linked, np.sqrt(((X - Y[np.maximum(match, 0)]) ** 2).sum(axis=1)), np.nan)
    return Matching(match, score, theirs.inverse, at, target[entry], share[entry])
