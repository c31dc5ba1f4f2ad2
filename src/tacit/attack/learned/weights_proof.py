"""The weights that link most records, with a proof: an integer program with lazy constraints.

Formulas (3) to (7) of Abril, Navarro-Arribas and Torra (2012), with a margin in place of the
strict inequality:

    minimise    sum_i v_i K_i
    subject to  w . D_ij / |D_ij| + M_ij K_i >= margin,  sum w = 1,  w >= 0,  K_i in {0, 1}

where D_ij,k = d_k(i, j) - d_k(i, i), |.| its largest entry and
M_ij = margin - min_k D_ij,k / |D_ij|, the smallest constant that switches a row off for every w
on the simplex. Of the N^2 rows only those that some solution violates are built. Every solved
program is a relaxation (fewer rows), so its bound holds for the whole problem.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.learned.line_search import BETTER
from tacit.attack.learned.weights_rows import Rows
from tacit.attack.learned.weights_search import Pairs, search_weights
from tacit.attack.solver.solution import LogEntry
from tacit.base.seeds import FIXED
from tacit.base.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

# Bound and count closer than this agree: the tolerance of the solver
CLOSED = 1e-6
# Status of scipy's solver: no point satisfies the constraints
INFEASIBLE = 2


@dataclass(frozen=True)
class Proof:
    """Best weights, and a proven bound of what any weights can reach.

    Attributes
    ----------
    weights, correct
        The best weights found, and their expected correct links.
    bound
        No weights whose correct links all win by the relative ``margin`` link more.
    optimal
        The gap is closed.
    rows
        Constraints that were built.
    possible
        Expected links of the records that some weights link at all.
    """

    weights: Floats
    correct: float
    bound: float
    optimal: bool
    margin: float
    rows: int
    possible: float
    seconds: float
    log: list[LogEntry] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """Links between the best weights and the bound."""
        return max(0.0, self.bound - self.correct)


def _solve(
    rows: Rows,
    undecided: Ints,
    at_most: float,
    seconds: float,
) -> OptimizeResult:
    """The integer program over the rows built so far, with an objective of ``at_most``."""
    # here, because importing them takes a third of a second and few ask for a proof
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    pairs = rows.pairs
    d = rows.pairs.d
    margin = rows.margin
    data: list[float] = []
    row: list[int] = []
    column: list[int] = []
    number = 0
    for place, i in enumerate(undecided):
        for delta in rows.by_record[i].values():
            row += [number] * (d + 1)
            # one variable per weight, one switch per undecided record
            column += [*range(d), d + place]
            data += [*delta.tolist(), margin - float(delta.min())]
            number += 1
    cost = np.concatenate([np.zeros(d), pairs.value[undecided]])
    matrix = sparse.csr_matrix((data, (row, column)), shape=(number, len(cost)))
    simplex = np.concatenate([np.ones(d), np.zeros(len(undecided))])[None]
    return milp(
        cost,
        constraints=[
            LinearConstraint(matrix, np.full(number, margin), np.inf),
            LinearConstraint(simplex, 1.0, 1.0),
            LinearConstraint(cost[None], -np.inf, at_most),
        ],
        integrality=np.concatenate([np.zeros(d), np.ones(len(undecided))]),
        bounds=Bounds(0.0, 1.0),
        options={"time_limit": max(0.1, seconds), "mip_rel_gap": 0.0},
    )


def prove_weights(
    pairs: Pairs,
    *,
    margin: float = 1e-5,
    time_limit: float = 60.0,
    seed: int = FIXED,
    start: Floats | None = None,
) -> Proof:
    """Search, then prove: the program looks for weights strictly better than the search's.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    margin : float
        Relative win that the proof asks of a correct link.
    time_limit : float
        Seconds for everything after the search.
    seed : int
        Of where the search looks.
    start : array, optional
        One more starting point of the search.
    """
    begin = time.monotonic()
    deadline = begin + time_limit
    first = None if start is None else [start]
    search = search_weights(pairs, seed=seed, first=first)
    rows = Rows(pairs, margin)
    log: list[LogEntry] = [
        {"step": "search", "correct": search.correct, "lines": search.lines}
    ]
    always, never = _decided(rows, search.weights, deadline)
    possible = float(pairs.value[~never].sum())
    log.append(
        {
            "step": "records",
            "always": int(always.sum()),
            "never": int(never.sum()),
            "bound": possible,
        }
    )
    race = _Race(rows, np.flatnonzero(~never & ~always), search.weights)
    race.correct = search.correct
    race.bound = possible
    race.log = log
    race.run(float(pairs.value[always].sum()), deadline)
    return Proof(
        weights=race.weights,
        correct=race.correct,
        bound=float(race.bound),
        optimal=bool(race.bound <= race.correct + CLOSED),
        margin=margin,
        rows=rows.total,
        possible=possible,
        seconds=time.monotonic() - begin,
        log=log,
    )


def _decided(
    rows: Rows,
    weights: Floats,
    deadline: float,
) -> tuple[Bools, Bools]:
    """Records that every weight vector links, and those that none does."""
    pairs = rows.pairs
    always = np.array([rows.always(i) for i in range(pairs.n)])
    never = np.zeros(pairs.n, bool)
    for i in np.flatnonzero(~pairs.linked(weights)).tolist():
        never[i] = rows.never(i, weights, deadline)
    return always, never


class _Race:
    """Weights that link more against a bound that falls, until they meet."""

    def __init__(
        self,
        rows: Rows,
        undecided: Ints,
        weights: Floats,
    ) -> None:
        self.rows, self.undecided, self.weights = rows, undecided, weights
        self.correct = 0.0
        self.bound = np.inf
        self.log: list[LogEntry] = []
        for i in undecided.tolist():
            rows.violated(i, weights, most=2, slack=np.inf)

    def run(
        self,
        sure: float,
        deadline: float,
    ) -> None:
        """Solve, take better weights, add what they violate, and solve again.

        ``sure``: links of the records that every weight vector links.
        """
        pairs = self.rows.pairs
        undecided = self.undecided
        value = pairs.value[undecided]
        whole = bool(np.all(pairs.value == 1.0))
        # the least by which a count can rise, or half of the smallest share
        if whole:
            step = 1.0
        else:
            step = 0.5 * float(value.min(initial=1.0))
        every = sure + float(value.sum())
        while self.bound > self.correct + CLOSED and len(undecided):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            at_most = every - self.correct - step + CLOSED
            answer = _solve(self.rows, undecided, at_most, left)
            if answer.status == INFEASIBLE:  # nothing better exists
                self.bound = self.correct
                self._note(infeasible=True)
                break
            self._lower_bound(answer.mip_dual_bound, every, whole)
            self._note(correct=self.correct)
            if answer.x is None or not self._follow(answer.x):
                break

    def _lower_bound(
        self,
        lost: float | None,
        every: float,
        whole: bool,
    ) -> None:
        """The program proves that at least ``lost`` links are lost."""
        if lost is None or not np.isfinite(lost):
            return
        if whole:  # links are whole numbers: half a lost link is a whole one
            lost = float(np.ceil(lost - CLOSED))
        self.bound = float(min(self.bound, max(self.correct, every - lost)))

    def _follow(self, answer: Floats) -> bool:
        """Take the weights of the program if they are better; add the rows that they violate."""
        d = self.rows.pairs.d
        w = np.maximum(answer[:d], 0.0)
        w /= w.sum()
        reached = self.rows.pairs.correct(w)
        if reached > self.correct + BETTER:
            self.weights, self.correct = w, reached
        # records that the program takes as linked
        claimed = self.undecided[answer[d:] < 0.5]
        new = sum(self.rows.violated(i, w) for i in claimed.tolist())
        return new > 0

    def _note(self, **figures: object) -> None:
        """An entry of the log."""
        entry: LogEntry = {"step": "program", "rows": self.rows.total}
        self.log.append(entry | {"bound": self.bound} | figures)
