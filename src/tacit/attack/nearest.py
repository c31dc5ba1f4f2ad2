"""Nearest-record linkage: each original is linked to the masked record closest to it."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.distances import Scale, embed
from tacit.microdata import Microdata

TIE = 1e-12
"""Distances that differ by less than this share are the same number computed in two ways."""


class Nearest(Attacker):
    """Distance-based record linkage: the masked record at the smallest distance; ties are shared.

    Parameters: ``scale``: how columns are brought to one unit (see ``distances.embed``).
    """

    def __init__(self, scale: Scale = "std", columns: list[str] | None = None) -> None:
        self.scale = scale
        self.columns = columns

    @property
    def knows(self) -> str:
        return f"every compared column of each original; distance on columns scaled by {self.scale}"

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        X, Y = embed(original, masked, columns, self.scale)
        classes = distinct(Y)
        rows = classes.rows
        indptr = np.zeros(len(X) + 1, dtype=np.int64)
        named: list[np.ndarray] = []
        score = np.empty(len(X))
        step = max(1, 20_000_000 // max(1, len(rows) * X.shape[1]))
        for start in range(0, len(X), step):
            part = X[start : start + step]
            distance = ((part[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
            best = distance.min(axis=1)
            tied = distance <= best[:, None] * (1 + TIE)
            indptr[start + 1 : start + 1 + len(part)] = tied.sum(axis=1)
            named.append(np.nonzero(tied)[1])
            score[start : start + step] = np.sqrt(best)
        indptr = np.cumsum(indptr)
        candidates = np.concatenate(named) if named else np.zeros(0, dtype=np.int64)
        weight = classes.count[candidates].astype(np.float64)
        total = np.add.reduceat(weight, indptr[:-1]) if len(X) else weight
        probability = weight / np.repeat(total, np.diff(indptr))
        match = classes.first[candidates[indptr[:-1]]]
        return Matching(match, score, classes.inverse, indptr, candidates, probability)
