"""Nearest-record linkage: each original is linked to the masked record closest to it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacit.attack.base import Attacker, Distinct, Matching, distinct
from tacit.attack.distances import Compare, Distance, Scale, compare_all, vectors
from tacit.attack.explain import competitors
from tacit.attack.neighbours import TIE, Floats, Ints, nearest_with_ties, neighbours
from tacit.microdata import Microdata

MARGINS = 50_000
"""Margins are worked out up to this many records; the second nearest costs more than the nearest."""


class Nearest(Attacker):
    """Distance-based record linkage: the masked record at the smallest distance; ties are shared.

    Definition: original i is linked to argmin_j d(x_i, z_j); with t tied records each counts 1/t. Source: Pagliuca
    and Seri 1999; Domingo-Ferrer and Torra 2001. Guarantee: exact nearest records and all their ties; no result
    depends on the order of rows. Cost: n searches in a kd-tree.

    Parameters: ``distance`` (``euclidean``, ``manhattan``, ``mahalanobis``, ``gower`` or a function, see
    ``distances.vectors``), ``scale``: how columns are brought to one unit, ``weights`` by column name,
    ``direction``: ``original`` looks for the nearest masked record of each original, ``masked`` for the nearest
    original of each masked record.

    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [5.0]])
    >>> Nearest(scale="none").link(x, np.array([[0.2], [0.2], [4.0]])).correct
    2.0
    """

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
        name = self.distance if isinstance(self.distance, str) else "own"
        turned = "" if self.direction == "original" else ", from each masked record to its nearest original"
        return f"every compared column of each original; {name} distance on columns scaled by {self.scale}{turned}"

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        if not isinstance(self.distance, str):
            return self._by_function(original, masked, columns, self.distance)
        X, Y, metric = vectors(original, masked, columns, self.distance, self.scale, self.weights)
        if self.direction == "masked":
            return _turned(X, Y, metric)
        classes = distinct(Y)
        score, indptr, found = nearest_with_ties(X, classes.rows, metric=metric)
        margin = None
        if len(X) <= MARGINS and len(classes.rows) > 1:
            two, _ = neighbours(X, classes.rows, 2, metric=metric)
            margin = np.where(np.diff(indptr) > 1, 0.0, two[:, 1] - two[:, 0])
        return _matching(score, classes, indptr, found, margin)

    def _by_function(self, original: Microdata, masked: Microdata, columns: list[str], compare: Compare) -> Matching:
        matrix = compare_all(original, masked, columns, compare)
        matrix = matrix.T if self.direction == "masked" else matrix
        classes = distinct(masked.numbers(columns))
        if self.direction == "masked":
            ours = distinct(original.numbers(columns))
            best = matrix.min(axis=1)
            named = np.nonzero(matrix[classes.first][:, ours.first] <= best[classes.first, None] * (1 + TIE))
            return _reverse(ours, classes, best[classes.first], *named)
        best = matrix.min(axis=1)
        owner, found = np.nonzero(matrix[:, classes.first] <= best[:, None] * (1 + TIE))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(best)))]).astype(np.int64)
        return _matching(best, classes, indptr, found, None)

    def _explain(
        self, original: Microdata, masked: Microdata, columns: list[str], matching: Matching, i: int
    ) -> dict[str, Any]:
        base = super()._explain(original, masked, columns, matching, i)
        if not isinstance(self.distance, str):
            return base
        X, Y, metric = vectors(original, masked, columns, self.distance, self.scale, self.weights)
        rivals = competitors(X[i], Y, metric, np.zeros(len(Y)))
        why = "its distance is the smallest" if base["named"] >= 0 else "no masked record names it"
        return base | {"competitors": rivals, "why": why}


def _matching(score: Floats, classes: Distinct, indptr: Ints, found: Ints, margin: Floats | None) -> Matching:
    weight = classes.count[found].astype(np.float64)
    total = np.add.reduceat(weight, indptr[:-1]) if len(score) else weight
    probability = weight / np.repeat(total, np.diff(indptr))
    match = classes.first[found[indptr[:-1]]]
    return Matching(match, score, classes.inverse, indptr, found, probability, margin=margin)


def _turned(X: Floats, Y: Floats, metric: Any) -> Matching:
    """From masked to original: which masked classes name original i."""
    ours, classes = distinct(X), distinct(Y)
    score, indptr, found = nearest_with_ties(classes.rows, ours.rows, metric=metric)
    return _reverse(ours, classes, score, np.repeat(np.arange(len(score)), np.diff(indptr)), found)


def _reverse(ours: Distinct, classes: Distinct, score: Floats, giver: Ints, named: Ints) -> Matching:
    """Each masked record names one of t tied originals. Original i's own record names it with 1/t, so the entry of i
    for a class of g masked records is g/t: scoring divides by g."""
    tied = np.bincount(giver, weights=ours.count[named].astype(np.float64), minlength=len(score))
    order = np.lexsort((score[giver], named))
    giver, named = giver[order], named[order]
    start = np.searchsorted(named, np.arange(len(ours.count) + 1))
    degree = np.diff(start)[ours.inverse]
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    entry = np.repeat(start[:-1][ours.inverse], degree) + np.arange(indptr[-1]) - np.repeat(indptr[:-1], degree)
    linked = degree > 0
    head = np.where(linked, start[:-1][ours.inverse], 0)
    match = np.where(linked, classes.first[giver[head]], -1).astype(np.int64)
    share = classes.count[giver] / tied[giver]
    return Matching(
        match, np.where(linked, score[giver[head]], np.nan), classes.inverse, indptr, giver[entry], share[entry]
    )
