"""Nearest-record linkage: each original is linked to the masked record closest to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.attack.base import Attacker, Distinct, Matching, distinct
from tacit.attack.class_links import members_share
from tacit.attack.distances import Compare, Distance, Scale, compare_all, vectors
from tacit.attack.explain import competitors
from tacit.attack.holding import COLUMNS, LINKS, Holding
from tacit.attack.identical_rows import shared_rows
from tacit.attack.solver.csr import owners, pointers_of
from tacit.attack.solver.metric import Metric
from tacit.attack.solver.ties import nearest_and_second, nearest_with_ties
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.microdata import Microdata

if TYPE_CHECKING:
    from tacit.attack.over_blocks.nearest_records import NearestRecords

# Margins are worked out up to this many records: the second nearest record is farther to search.
MARGINS = 50_000


class Nearest(Attacker):
    """Distance-based record linkage: the masked record at the smallest distance; ties are shared.

    Parameters
    ----------
    distance : {"euclidean", "manhattan", "mahalanobis", "gower"} or function
        What is compared (see ``distances.vectors``); a function gets both files as numbers.
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    weights : dict of str to float, optional
        Weight of each column, by name; 1 unless given.
    direction : {"original", "masked"}
        Look for the nearest masked record of each original, or the other way round.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Original i is linked to argmin_j d(x_i, z_j); with t tied records each
    counts 1/t.

    **Guarantee.** Exact nearest records and all their ties; no result depends on the
    order of rows.

    **Cost.** n searches in a kd-tree.

    References
    ----------
    Pagliuca and Seri (1999); Domingo-Ferrer and Torra (2001).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [5.0]])
    >>> Nearest(scale="none").link(x, np.array([[0.2], [0.2], [4.0]])).correct
    2.0
    """

    title = "Nearest record"
    held = Holding(500, 90, COLUMNS)
    held_over_blocks = Holding(300, 0, LINKS)
    patience = 0
    usual = True
    fills_in = True

    def __init__(
        self,
        distance: Distance | Compare = "euclidean",
        scale: Scale = "std",
        weights: dict[str, float] | None = None,
        direction: Literal["original", "masked"] = "original",
        columns: list[str] | None = None,
    ) -> None:
        self.distance = distance
        self.scale = scale
        self.weights = weights
        self.direction = direction
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        name = self.distance if isinstance(self.distance, str) else "own"
        phrase = (
            f"every compared column of each original; {name} distance on columns "
            f"scaled by {self.scale}"
        )
        if self.direction == "masked":
            phrase += ", from each masked record to its nearest original"
        return phrase

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if not isinstance(self.distance, str):
            matrix = compare_all(
                original,
                masked,
                columns,
                self.distance,
            )
            theirs = distinct(masked.numbers(columns))
            if self.direction == "original":
                return _nearest_of_matrix(matrix, theirs)
            ours = distinct(original.numbers(columns))
            return _turned_matrix(matrix.T, ours, theirs)
        if self._over_blocks(original, masked, columns):
            return self.linked_over_blocks(original, masked, columns)[0]
        X, Y, metric = vectors(
            original,
            masked,
            columns,
            self.distance,
            self.scale,
            self.weights,
        )
        if self.direction == "masked":
            return _turned_vectors(X, Y, metric)
        # identical records are looked for and found once, and share the links
        alike = shared_rows(X)
        theirs = distinct(Y)
        looking = X if alike is None else alike.rows
        if len(X) > MARGINS or len(theirs.rows) < 2:
            score, indptr, tied = nearest_with_ties(looking, theirs.rows, metric=metric)
            return _matching(score, theirs, indptr, tied, alike)
        score, margin, indptr, tied = nearest_and_second(
            looking, theirs.rows, metric=metric
        )
        return _matching(score, theirs, indptr, tied, alike, margin)

    def _over_blocks(
        self, original: Microdata, masked: Microdata, columns: list[str]
    ) -> bool:
        """Is the file on the disk, and can it be linked there? The links are the same."""
        on_disk = not (original.in_memory and masked.in_memory)
        is_large = max(original.n, masked.n) > MARGINS
        return on_disk and is_large and self.works_over_blocks and bool(columns)

    @property
    def works_over_blocks(self) -> bool:
        """Distances without a covariance, from each original: the others hold both files."""
        named = self.distance in ("euclidean", "manhattan", "gower")
        return named and self.direction == "original"

    def linked_over_blocks(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        *,
        block: int | None = None,
        some: Ints | None = None,
    ) -> tuple[Matching, NearestRecords]:
        """The links of ``_link``, and how they were found, from files of any size.

        Parameters
        ----------
        original, masked, columns
            As of ``_link``.
        block : int, optional
            Records of a block, about; it sets the speed and the memory only.
        some : array of int, optional
            Originals that are linked, rising; all unless given. Columns are standardised by all.
        """
        from tacit.attack.over_blocks.nearest_records import nearest_records

        assert isinstance(self.distance, str)
        found = nearest_records(
            original,
            masked,
            columns,
            self.distance,
            self.scale,
            self.weights,
            block=block,
            some=some,
        )
        matching = _matching(
            found.score, found.theirs, found.indptr, found.tied, found.ours
        )
        return matching, found

    def _explain(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        matching: Matching,
        i: int,
    ) -> dict[str, object]:
        summary = super()._explain(
            original,
            masked,
            columns,
            matching,
            i,
        )
        if not isinstance(self.distance, str):
            return summary
        X, Y, metric = vectors(
            original,
            masked,
            columns,
            self.distance,
            self.scale,
            self.weights,
        )
        no_prices = np.zeros(len(Y))
        if matching.match[i] >= 0:
            why = "its distance is the smallest"
        else:
            why = "no masked record names it"
        rivals = competitors(X[i], Y, metric, no_prices)
        return summary | {"competitors": rivals, "why": why}


def _matching(
    score: Floats,
    theirs: Distinct,
    indptr: Ints,
    tied: Ints,
    ours: Distinct | None = None,
    margin: Floats | None = None,
) -> Matching:
    """Each class of originals names its tied classes in proportion to their sizes.

    Without ``ours`` every original is a class of its own.
    """
    # a class of g identical records is g times as likely to be named
    size = theirs.count[tied].astype(np.float64)
    if len(score):
        total = np.add.reduceat(size, indptr[:-1])
    else:
        total = size
    match = theirs.first[tied[indptr[:-1]]]
    lists = None
    if ours is not None:
        lists = ours.inverse
        match, score = match[lists], score[lists]
        margin = None if margin is None else margin[lists]
    return Matching(
        match=match,
        score=score,
        masked_class=theirs.inverse,
        indptr=indptr,
        classes=tied,
        probability=size / np.repeat(total, np.diff(indptr)),
        margin=margin,
        lists=lists,
    )


def _nearest_of_matrix(matrix: Floats, theirs: Distinct) -> Matching:
    """The same from a matrix of distances (originals x masked records)."""
    least = matrix.min(axis=1)
    is_least = matrix[:, theirs.first] <= least[:, None] * (1 + TIE)
    # np.nonzero lists row by row, so owners rise
    owner, tied = np.nonzero(is_least)
    return _matching(
        least,
        theirs,
        pointers_of(owner, len(least)),
        tied,
    )


def _turned_matrix(
    matrix: Floats,
    ours: Distinct,
    theirs: Distinct,
) -> Matching:
    """From masked to original, from a matrix of distances (masked records x originals)."""
    least = matrix.min(axis=1)[theirs.first]
    between = matrix[theirs.first][:, ours.first]
    giver, named = np.nonzero(between <= least[:, None] * (1 + TIE))
    return _reverse(ours, theirs, least, giver, named)


def _turned_vectors(
    X: Floats,
    Y: Floats,
    metric: Metric,
) -> Matching:
    """From masked to original: which masked classes name original i."""
    ours = distinct(X)
    theirs = distinct(Y)
    score, indptr, named = nearest_with_ties(theirs.rows, ours.rows, metric=metric)
    return _reverse(ours, theirs, score, owners(indptr), named)


def _reverse(
    ours: Distinct,
    theirs: Distinct,
    score: Floats,
    giver: Ints,
    named: Ints,
) -> Matching:
    """Masked class ``giver[e]`` names original class ``named[e]``; turned to the originals.

    Each masked record names one of t tied originals. Original i's own record names it with
    1/t, so the entry of i for a class of g masked records is g/t: scoring divides by g.
    """
    copies = ours.count[named].astype(np.float64)
    tied = np.bincount(
        giver,
        weights=copies,
        minlength=len(score),
    )
    # the nearest giver first: it is the one that ``match`` shows
    order = np.lexsort((score[giver], named))
    giver = giver[order]
    named = named[order]
    indptr = pointers_of(named, len(ours.count))
    share = theirs.count[giver] / tied[giver]
    matching = members_share(ours, theirs, indptr, giver, share)
    linked = matching.match >= 0
    first_entry = indptr[:-1][ours.inverse[linked]]
    matching.score[linked] = score[giver[first_entry]]
    return matching
