"""Optimal-assignment linkage: the one-to-one linkage of least total cost."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.distances import Scale, embed
from tacit.errors import InputError
from tacit.microdata import Microdata

LARGEST = 5_000


class Assignment(Attacker):
    """Link all records at once: the bijection with the least sum of distances. Identical records share their links.

    Parameters: ``scale``: how columns are brought to one unit (see ``distances.embed``).
    """

    def __init__(self, scale: Scale = "std", columns: list[str] | None = None) -> None:
        self.scale = scale
        self.columns = columns

    @property
    def knows(self) -> str:
        return (
            "every compared column of each original, and that each masked record belongs to one original; "
            f"columns scaled by {self.scale}"
        )

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        if max(original.n, masked.n) > LARGEST:
            raise InputError(f"optimal assignment takes up to {LARGEST} records here")
        X, Y = embed(original, masked, columns, self.scale)
        ours, theirs = distinct(X), distinct(Y)
        # In value order, so that among equally good assignments the choice does not depend on row order.
        rows = np.repeat(np.arange(len(ours.count)), ours.count)
        slots = np.repeat(np.arange(len(theirs.count)), theirs.count)
        cost = ((ours.rows[:, None, :] - theirs.rows[None, :, :]) ** 2).sum(axis=2)[rows][:, slots]
        i, j = linear_sum_assignment(cost)
        flow = np.zeros((len(ours.count), len(theirs.count)))
        np.add.at(flow, (rows[i], slots[j]), 1.0)
        class_of, target = np.nonzero(flow)
        share = flow[class_of, target] / ours.count[class_of]
        start = np.searchsorted(class_of, np.arange(len(ours.count) + 1))
        degree = np.diff(start)[ours.inverse]
        indptr = np.concatenate([[0], np.cumsum(degree)])
        entry = np.repeat(start[:-1][ours.inverse], degree) + np.arange(indptr[-1]) - np.repeat(indptr[:-1], degree)
        linked = degree > 0
        head = target[np.where(linked, start[:-1][ours.inverse], 0)]
        match = np.where(linked, theirs.first[head], -1)
        score = np.where(linked, np.sqrt(((X - theirs.rows[head]) ** 2).sum(axis=1)), np.nan)
        total = float(cost[i, j].sum())
        return Matching(
            match,
            score,
            theirs.inverse,
            indptr,
            target[entry],
            share[entry],
            cost=total,
            bound=total,
            certified=True,
        )
