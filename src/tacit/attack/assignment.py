"""Optimal-assignment linkage: the one-to-one linkage of least total cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.distances import Compare, Distance, Scale, compare_all, vectors
from tacit.attack.explain import competitors
from tacit.attack.metric import Metric
from tacit.attack.solve import Assigned, assign, second_best, shares
from tacit.attack.solve_graph import assign_dense
from tacit.attack.solve_rounds import CANDIDATES
from tacit.errors import ParameterError
from tacit.microdata import FloatArray, Microdata

MARGINS = 50_000
"""Margins are worked out up to this many records."""


class Assignment(Attacker):
    """Link all records at once: the one-to-one linkage with the least sum of costs, proven optimal.

    Definition: minimise sum_i c(x_i, z_pi(i)) over one-to-one pi; with files of different length the shorter one is
    linked completely. Identical records share their links. Source: Rodriguez Fernandez 2013, chapter 4; the method is
    in ``tacit.attack.solve``. Guarantee: ``cost`` and ``bound`` of the result enclose the optimum; ``certified`` says
    that they agree to rounding. Cost: a few nearest-neighbour searches; memory in proportion to n.

    Parameters: ``cost``: c is the ``distance`` or the ``squared`` distance; ``distance``, ``scale``, ``weights`` as in
    ``Nearest``; ``candidates``: nearest records in the first graph (speed only); ``time_limit`` in seconds and ``gap``
    (relative) end early with the best linkage and its proven gap, and so does Ctrl-C. ``progress`` is called
    with each round's bounds.
    ``margin[i]`` is what the total cost would rise by at least if the link of i were forbidden.

    >>> import numpy as np
    >>> link = Assignment(scale="none").link(np.array([[0.0], [1.0]]), np.array([[0.9], [2.0]]))
    >>> link.match.tolist(), link.certified
    ([0, 1], True)
    """

    def __init__(
        self,
        distance: Distance | Compare = "euclidean",
        scale: Scale = "std",
        weights: dict[str, float] | None = None,
        cost: Literal["distance", "squared"] = "distance",
        candidates: Annotated[int, Ge(1)] = CANDIDATES,
        time_limit: Annotated[float, Gt(0)] | None = None,
        gap: Annotated[float, Ge(0)] = 0.0,
        columns: list[str] | None = None,
        progress: Any = None,
    ) -> None:
        self.distance = distance
        self.scale = scale
        self.weights = weights
        self.cost = cost
        self.candidates = candidates
        self.time_limit = time_limit
        self.gap = gap
        self.columns = columns
        self.progress = progress

    @property
    def knows(self) -> str:
        name = self.distance if isinstance(self.distance, str) else "own"
        return (
            "every compared column of each original, and that each masked record belongs to one original; "
            f"{name} distance on columns scaled by {self.scale}"
        )

    def _vectors(
        self, original: Microdata, masked: Microdata, columns: list[str]
    ) -> tuple[FloatArray, FloatArray, Metric]:
        assert isinstance(self.distance, str)
        X, Y, metric = vectors(original, masked, columns, self.distance, self.scale, self.weights)
        if self.cost == "squared":
            if metric != "euclidean":
                raise ParameterError("cost='squared' goes with the euclidean and mahalanobis distances")
            metric = "squared"
        return X, Y, metric

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        if not isinstance(self.distance, str):
            return self._by_function(original, masked, columns, self.distance)
        X, Y, metric = self._vectors(original, masked, columns)
        found = assign(
            X,
            Y,
            metric=metric,
            candidates=self.candidates,
            time_limit=self.time_limit,
            gap=self.gap,
            progress=self.progress,
        )
        matching = shares(X, Y, found)
        linked = matching.match >= 0
        gaps = X[linked] - Y[matching.match[linked]]
        apart = np.abs(gaps).sum(axis=1) if metric == "manhattan" else np.sqrt((gaps**2).sum(axis=1))
        matching.score[linked] = apart
        if len(X) <= MARGINS and len(X) <= len(Y):
            matching.margin = second_best(X, Y, found, metric)
        return matching

    def _by_function(self, original: Microdata, masked: Microdata, columns: list[str], compare: Compare) -> Matching:
        A, B = original.numbers(columns), masked.numbers(columns)
        ours, theirs = distinct(A), distinct(B)
        matrix = compare_all(original, masked, columns, compare)[np.ix_(ours.first, theirs.first)]
        matrix = matrix**2 if self.cost == "squared" else matrix
        rows, slots = (
            np.repeat(np.arange(len(ours.count)), ours.count),
            np.repeat(np.arange(len(theirs.count)), theirs.count),
        )
        swap = len(rows) > len(slots)
        solved = assign_dense(matrix[rows][:, slots].T if swap else matrix[rows][:, slots])
        place_a, place_b = np.argsort(ours.inverse, kind="stable"), np.argsort(theirs.inverse, kind="stable")
        match = np.full(len(A), -1, np.int64)
        if swap:
            match[place_a[solved.match]] = place_b
        else:
            match[place_a] = place_b[solved.match]
        found = Assigned(match, solved.cost, solved.cost, True, np.zeros(len(A)), np.zeros(len(B)))
        matching = shares(A, B, found)
        linked = match >= 0
        matching.score[linked] = matrix[ours.inverse[linked], theirs.inverse[match[linked]]]
        return matching

    def _explain(
        self, original: Microdata, masked: Microdata, columns: list[str], matching: Matching, i: int
    ) -> dict[str, Any]:
        base = super()._explain(original, masked, columns, matching, i)
        if matching.duals is None:
            return base
        X, Y, metric = self._vectors(original, masked, columns)
        _, v = matching.duals
        rivals = competitors(X[i], Y, metric, v)
        holder = {int(j): int(k) for k, j in enumerate(matching.match) if j >= 0}
        for rival in rivals:
            rival["held_by"] = holder.get(rival["record"])
        why = (
            "distance plus price is the smallest; the price of a masked record is what its rivals would lose without it"
        )
        return base | {"competitors": rivals, "why": why}
