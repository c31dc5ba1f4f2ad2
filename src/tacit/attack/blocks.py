"""Assignment inside blocks: for files that are linked piece by piece, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.block_cuts import Pairs, by_attribute, by_clusters, by_ranks
from tacit.attack.class_links import members_share
from tacit.attack.distances import Scale, vectors
from tacit.attack.solver.assign import assign
from tacit.attack.solver.csr import pointers_of
from tacit.attack.votes import Vote, count_votes
from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata


def link_block(block: tuple[Floats, Floats]) -> Ints:
    """The work of one block: the optimal assignment of its two parts."""
    left, right = block
    if not len(left) or not len(right):
        return np.full(len(left), -1, np.int64)
    return assign(left, right).match


class Blocks(Attacker):
    """Optimal assignment in blocks, put together by vote.

    Parameters
    ----------
    partition : {"attribute", "ranks", "clusters"}
        How files are cut (see ``block_cuts``): once by each attribute with a vote over the
        linkages, or only once; ``clusters`` is the published way that finds few links.
    size : int
        Most records in a block.
    vote : {"basic", "best", "weighted"}
        How the linkages of several cuts vote (see ``votes.count_votes``).
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.
    engine : engine of ``tacit.scale``, optional
        Where blocks run: in processes or on a cluster; one after the other unless given.

    Notes
    -----
    **Definition.** Both files are cut into blocks, each block is linked by the assignment
    of least total Euclidean distance, and the linkages of several cuts vote.

    **Guarantee.** The linkage of each block is optimal; the whole need not be.

    **Cost.** One assignment per block and cut.

    References
    ----------
    Rodriguez Fernandez (2013), chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(60, 3))
    >>> Blocks(size=20).link(x, x).correct
    60.0
    """

    title = "Assignment inside blocks"

    def __init__(
        self,
        partition: Literal["attribute", "ranks", "clusters"] = "attribute",
        size: Annotated[int, Ge(2)] = 4_500,
        vote: Vote = "best",
        scale: Scale = "std",
        columns: list[str] | None = None,
        # engines are of a higher room; the form's model is made of annotations
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
        """Who the intruder is and what they know, in one phrase."""
        return (
            "every compared column of each original, and that each masked record belongs "
            f"to one original; links inside blocks of {self.size} by {self.partition}, "
            f"columns scaled by {self.scale}"
        )

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if original.n != masked.n:
            raise InputError(
                f"blocks need files of equal length, not {original.n} and {masked.n} records"
            )
        X, Y, _ = vectors(
            original,
            masked,
            columns,
            "euclidean",
            self.scale,
        )
        # in value order, so that no cut depends on the order of rows
        order = np.lexsort(X.T[::-1])
        back = np.lexsort(Y.T[::-1])
        A = np.ascontiguousarray(X[order])
        B = np.ascontiguousarray(Y[back])
        cuts = self._cuts(A, B)
        places = [
            (voter, ours, theirs)
            for voter, cut in enumerate(cuts)
            for ours, theirs in cut
        ]
        blocks = [(A[ours], B[theirs]) for _, ours, theirs in places]
        classes = distinct(B)
        # voters choose classes: identical masked records must not split the vote
        choice = np.full((len(cuts), len(A)), -1, np.int64)
        for place, match in self._run(blocks):
            voter, ours, theirs = places[place]
            linked = match >= 0
            choice[voter, ours[linked]] = classes.inverse[theirs[match[linked]]]
        # -1 is no vote; its distance is computed but never counted
        gaps = A[None] - classes.rows[np.maximum(choice, 0)]
        distance = np.sqrt((gaps**2).sum(axis=2))
        indptr, named, probability = count_votes(choice, distance, self.vote)
        owner = np.repeat(order, np.diff(indptr))
        return _ordered(X, Y, owner, named, probability)

    def _run(self, blocks: list[tuple[Floats, Floats]]) -> Iterable[tuple[int, Ints]]:
        """(number of the block, its match), in any order."""
        if self.engine is None:
            return enumerate(map(link_block, blocks))
        done: Iterable[tuple[int, Ints]] = self.engine.map(link_block, blocks)
        return done

    def _cuts(self, A: Floats, B: Floats) -> list[Pairs]:
        """The cuts of both files, one per voter."""
        if self.partition == "attribute":
            return [by_attribute(A, B, axis, self.size) for axis in range(A.shape[1])]
        cut = by_ranks if self.partition == "ranks" else by_clusters
        return [cut(A, B, self.size)]


def _ordered(
    X: Floats,
    Y: Floats,
    owner: Ints,
    named: Ints,
    probability: Floats,
) -> Matching:
    """Original ``owner[e]`` names class ``named[e]``; identical originals share their links."""
    ours = distinct(X)
    theirs = distinct(Y)
    classes = len(theirs.count)
    # one number per pair of classes, so that equal pairs are added up
    key = ours.inverse[owner] * classes + named
    pair, place = np.unique(key, return_inverse=True)
    our_class, target = np.divmod(pair, classes)
    votes = np.bincount(
        place.reshape(-1),
        weights=probability,
        minlength=len(pair),
    )
    share = np.asarray(votes / ours.count[our_class], dtype=np.float64)
    indptr = pointers_of(our_class, len(ours.count))
    matching = members_share(
        ours,
        theirs,
        indptr,
        target,
        share,
    )
    linked = matching.match >= 0
    gaps = X[linked] - Y[matching.match[linked]]
    matching.score[linked] = np.sqrt((gaps**2).sum(axis=1))
    return matching
