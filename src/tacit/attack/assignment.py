"""Optimal-assignment linkage: the one-to-one linkage of least total cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.base import Attacker, Distinct, Matching, distinct
from tacit.attack.distances import Compare, Distance, Scale, compare_all, vectors
from tacit.attack.explain import competitors
from tacit.attack.holding import GRAPH, Holding
from tacit.attack.solver.assign import assign, second_best, shares
from tacit.attack.solver.assign_graph import assign_dense
from tacit.attack.solver.metric import Metric
from tacit.attack.solver.near_optimal import EXACT
from tacit.attack.solver.rounds import CANDIDATES
from tacit.attack.solver.solution import Solution
from tacit.base.errors import ParameterError
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

if TYPE_CHECKING:
    from tacit.attack.over_blocks.assigned_records import AssignedRecords

# Margins are worked out up to this many records: each needs another search
MARGINS = 50_000

# Bytes per record of a graph to which several rounds have added arcs, and of its successor: not
# measured, twice what the arrays are
ROUNDS_HOLD = 2000

WHY = (
    "distance plus price is the smallest; the price of a masked record is what its "
    "rivals would lose without it"
)


class Assignment(Attacker):
    """Link all records at once: the one-to-one linkage of least total cost, proven optimal.

    Parameters
    ----------
    distance : {"euclidean", "manhattan", "mahalanobis", "gower"} or function
        What is compared (see ``distances.vectors``); a function gets both files as numbers.
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    weights : dict of str to float, optional
        Weight of each column, by name; 1 unless given.
    cost : {"distance", "squared"}
        The cost of a link is the distance, or its square.
    candidates : int
        Nearest records in the first graph of the solver; it sets the speed only.
    time_limit : float, optional
        Seconds after which the best linkage so far is taken, with its proven gap.
    gap : float
        Relative distance to the optimum at which the solver may stop; 0: prove the optimum.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.
    exact : int
        Records up to which the optimum is proven; above, the linkage of everybody is taken where
        an auction ends, and the interval is longer by what that may miss
        (``solver.near_optimal``).
    progress : function, optional
        Called with the bounds of each round (``solver.solution.RoundReport``).

    Notes
    -----
    **Definition.** Minimise sum_i c(x_i, z_pi(i)) over one-to-one pi; with files of
    different length the shorter one is linked completely. Identical records share their
    links. ``margin[i]`` is what the total cost would rise by at least if the link of i were
    forbidden.

    **Guarantee.** ``cost`` and ``bound`` of the result enclose the optimum; ``certified``
    says that they agree to rounding (up to ``exact`` records).
    Ctrl-C ends early like ``time_limit``.

    **Cost.** A few nearest-neighbour searches; memory in proportion to n
    (``tacit.attack.solver.assign``).

    References
    ----------
    Rodriguez Fernandez (2013), chapter 4.

    Examples
    --------
    >>> import numpy as np
    >>> x, z = np.array([[0.0], [1.0]]), np.array([[0.9], [2.0]])
    >>> link = Assignment(scale="none").link(x, z)
    >>> link.match.tolist(), link.certified
    ([0, 1], True)
    """

    title = "Optimal assignment"
    held_over_blocks = Holding(520, 0, GRAPH)
    usual = True
    fills_in = True

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
        exact: Annotated[int, Ge(0)] = EXACT,
        # the form's model is made of annotations, and a function has no form
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
        self.exact = exact
        self.progress = progress

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        name = self.distance if isinstance(self.distance, str) else "own"
        return (
            "every compared column of each original, and that each masked record belongs "
            f"to one original; {name} distance on columns scaled by {self.scale}"
        )

    def _vectors(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> tuple[Floats, Floats, Metric]:
        """Both files as vectors, and the cost between them."""
        assert isinstance(self.distance, str)
        X, Y, metric = vectors(
            original,
            masked,
            columns,
            self.distance,
            self.scale,
            self.weights,
        )
        self._refuse_square()
        return X, Y, "squared" if self.cost == "squared" else metric

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if not isinstance(self.distance, str):
            return self._by_function(
                original,
                masked,
                columns,
                self.distance,
            )
        if self._over_blocks(original, masked, columns):
            return self.linked_over_blocks(original, masked, columns).matching
        X, Y, metric = self._vectors(original, masked, columns)
        solution = assign(
            X,
            Y,
            metric=metric,
            candidates=self.candidates,
            time_limit=self.time_limit,
            gap=self.gap,
            progress=self.progress,
            exact=self.exact,
        )
        matching = shares(X, Y, solution)
        linked = matching.match >= 0
        gaps = X[linked] - Y[matching.match[linked]]
        # the score is the distance, also where its square was minimised
        if metric == "manhattan":
            matching.score[linked] = np.abs(gaps).sum(axis=1)
        else:
            matching.score[linked] = np.sqrt((gaps**2).sum(axis=1))
        if len(X) <= MARGINS and len(X) <= len(Y):
            matching.margin = second_best(
                X,
                Y,
                solution,
                metric,
            )
        return matching

    def _over_blocks(
        self, original: Microdata, masked: Microdata, columns: list[str]
    ) -> bool:
        """Is the file on the disk, and can it be linked there? The cost is the same."""
        on_disk = not (original.in_memory and masked.in_memory)
        is_large = max(original.n, masked.n) > MARGINS
        if not (on_disk and is_large and self.works_over_blocks and columns):
            return False
        return not _on_a_line(original, masked, columns)

    @property
    def works_over_blocks(self) -> bool:
        """Distances without a covariance: the others hold both files."""
        return self.distance in ("euclidean", "manhattan", "gower")

    def holding(self, original: Microdata, *, on_disk: bool) -> Holding:
        """More where rounds go on until something is proven: each adds arcs to the graph."""
        held = super().holding(original, on_disk=on_disk)
        goes_on = self.exact > EXACT or self.gap > 0 or self.time_limit is not None
        return replace(held, each=max(held.each, ROUNDS_HOLD)) if goes_on else held

    def linked_over_blocks(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        *,
        block: int | None = None,
    ) -> AssignedRecords:
        """The links of ``_link``, and how they were found, from files of any size.

        Parameters
        ----------
        original, masked, columns
            As of ``_link``.
        block : int, optional
            Records of a block, about; it sets the speed and the memory only.
        """
        from tacit.attack.over_blocks.assigned_records import Stop, assigned_records

        assert isinstance(self.distance, str)
        self._refuse_square()
        return assigned_records(
            original,
            masked,
            columns,
            self.distance,
            self.scale,
            self.weights,
            Stop(self.candidates, self.gap, self.time_limit, self.exact, self.progress),
            squared=self.cost == "squared",
            block=block,
        )

    def _refuse_square(self) -> None:
        """Raise where a distance has no square to minimise."""
        if self.cost == "squared" and self.distance in ("manhattan", "gower"):
            raise ParameterError(
                "cost='squared' goes with the euclidean and mahalanobis distances"
            )

    def _by_function(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        compare: Compare,
    ) -> Matching:
        """The dense problem, for a distance that has no vectors."""
        X = original.numbers(columns)
        Y = masked.numbers(columns)
        ours = distinct(X)
        theirs = distinct(Y)
        everything = compare_all(
            original,
            masked,
            columns,
            compare,
        )
        between = everything[np.ix_(ours.first, theirs.first)]
        if self.cost == "squared":
            between = between**2
        solution = _solve_dense(between, ours, theirs)
        matching = shares(X, Y, solution)
        linked = np.flatnonzero(solution.match >= 0)
        # the score of a link is the distance between the classes
        our_class = ours.inverse[linked]
        their_class = theirs.inverse[solution.match[linked]]
        matching.score[linked] = between[our_class, their_class]
        return matching

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
        if matching.duals is None:
            return summary
        X, Y, metric = self._vectors(original, masked, columns)
        _, v = matching.duals
        rivals = competitors(X[i], Y, metric, v)
        # whom a rival was given to says why it was not to be had
        holder = {int(j): int(k) for k, j in enumerate(matching.match) if j >= 0}
        for rival in rivals:
            rival["held_by"] = holder.get(rival["record"])
        return summary | {"competitors": rivals, "why": WHY}


def _on_a_line(original: Microdata, masked: Microdata, columns: list[str]) -> bool:
    """One column of numbers in files of one length: sorted order, which holds it, is enough."""
    if len(columns) > 1 or original.n != masked.n:
        return False
    name = columns[0]
    if original.schema[name].scale is Kind.nominal:
        return False
    # a gap has a coordinate of its own
    return not (original.missing(name).any() or masked.missing(name).any())


def _solve_dense(
    between: Floats,
    ours: Distinct,
    theirs: Distinct,
) -> Solution:
    """The assignment of records from the costs between their classes.

    Records are taken class by class, so that row order plays no part among equally good
    linkages; the solver wants at least as many columns as rows.
    """
    rows = np.repeat(np.arange(len(ours.count)), ours.count)
    slots = np.repeat(np.arange(len(theirs.count)), theirs.count)
    costs = between[rows][:, slots]
    our_place = np.argsort(ours.inverse, kind="stable")
    their_place = np.argsort(theirs.inverse, kind="stable")
    match = np.full(len(rows), -1, np.int64)
    if len(rows) > len(slots):
        solved = assign_dense(costs.T)
        match[our_place[solved.match]] = their_place
    else:
        solved = assign_dense(costs)
        match[our_place] = their_place[solved.match]
    return Solution(
        match,
        solved.cost,
        solved.bound,
        certified=True,
    )
