"""The weights that link most records, with a proof: a mixed integer program with lazily added constraints.

001 (Abril et al. 2012), formulas (3) to (7), with a margin in place of the strict inequality:
    minimise  sum_i v_i K_i   subject to  w . D_ij / |D_ij| + M_ij K_i >= margin,  sum w = 1, w >= 0, K_i in {0, 1}
where D_ij,k = d_k(i, j) - d_k(i, i), |.| its largest entry and M_ij = margin - min_k D_ij,k / |D_ij|, the smallest
constant that switches a row off for every w on the simplex. Of the N^2 rows only those that some solution violates
are built. Every solved program is a relaxation (fewer rows), so its bound holds for the whole problem.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from tacit.attack.weights_search import Pairs, search_weights
from tacit.microdata import FloatArray


@dataclass(frozen=True)
class Proof:
    """Best weights, their expected correct links, the proven upper bound and the gap between the two.

    The bound speaks of weights whose correct links all win by the relative `margin`. `optimal`: the gap is closed.
    """

    weights: FloatArray
    correct: float
    bound: float
    optimal: bool
    margin: float
    rows: int
    possible: float
    seconds: float
    log: list[dict[str, Any]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.correct)


class _Rows:
    """The rows built so far, and the search for violated ones."""

    def __init__(self, pairs: Pairs, margin: float) -> None:
        self.pairs, self.margin = pairs, margin
        self.by_record: list[dict[int, FloatArray]] = [{} for _ in range(pairs.n)]
        self.total = 0

    def deltas(self, i: int) -> FloatArray:
        p = self.pairs
        gaps = np.where(p.nominal, p.x[i] != p.z, (p.x[i] - p.z) ** 2)
        out = gaps - gaps[p.own[i]]
        size = np.abs(out).max(1, keepdims=True)
        return np.asarray(out / np.where(size > 0, size, 1.0), float)

    def violated(self, i: int, w: FloatArray, most: int = 3, slack: float = 0.5) -> int:
        """Add up to `most` of the worst rows of record i at w; returns how many were missing."""
        deltas = self.deltas(i)
        value = deltas @ w
        value[self.pairs.own[i]] = np.inf
        worst = np.argsort(value, kind="stable")[:most]
        new = [int(j) for j in worst if value[j] < self.margin * slack and int(j) not in self.by_record[i]]
        for j in new:
            self.by_record[i][j] = deltas[j]
        self.total += len(new)
        return len(new)


def _possible(rows: _Rows, i: int, first: FloatArray, deadline: float) -> tuple[bool, FloatArray | None]:
    """Is there any weight vector that links record i? A small linear program with its own lazy rows."""
    d, w = rows.pairs.d, first
    while time.monotonic() < deadline:
        if not rows.violated(i, w, most=4, slack=1 - 1e-3):
            return True, w
        table = np.array(list(rows.by_record[i].values()))
        # maximise the smallest relative win s: w . D >= s
        answer: Any = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=np.column_stack([-table, np.ones(len(table))]),
            b_ub=np.zeros(len(table)),
            A_eq=np.append(np.ones(d), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, 1)] * d + [(None, 1)],
            method="highs",
        )
        if answer.status != 0 or -answer.fun < rows.margin:
            return False, None
        w = answer.x[:d]
    return True, None


def _solve(rows: _Rows, undecided: np.ndarray, at_most: float, limit: float) -> Any:
    pairs, d, margin = rows.pairs, rows.pairs.d, rows.margin
    place = {int(i): d + s for s, i in enumerate(undecided)}
    data, row, column, low = [], [], [], []
    r = 0
    for i in undecided:
        for delta in rows.by_record[i].values():
            row += [r] * (d + 1)
            column += [*range(d), place[int(i)]]
            data += [*delta.tolist(), margin - float(delta.min())]
            low.append(margin)
            r += 1
    cost = np.concatenate([np.zeros(d), pairs.value[undecided]])
    matrix = sparse.csr_matrix((data, (row, column)), shape=(r, len(cost)))
    simplex = np.concatenate([np.ones(d), np.zeros(len(undecided))])[None]
    return milp(
        cost,
        constraints=[
            LinearConstraint(matrix, np.array(low), np.inf),
            LinearConstraint(simplex, 1.0, 1.0),
            LinearConstraint(cost[None], -np.inf, at_most),
        ],
        integrality=np.concatenate([np.zeros(d), np.ones(len(undecided))]),
        bounds=Bounds(0.0, 1.0),
        options={"time_limit": max(0.1, limit), "mip_rel_gap": 0.0},
    )


def prove_weights(
    pairs: Pairs, *, margin: float = 1e-5, time_limit: float = 60.0, seed: int = 0, start: FloatArray | None = None
) -> Proof:
    """Search, then prove: the search's weights are the start, and the program looks for strictly better ones."""
    begin = time.monotonic()
    deadline = begin + time_limit
    found = search_weights(pairs, seed=seed, first=None if start is None else [start])
    best, correct = found.weights, found.correct
    rows = _Rows(pairs, margin)
    log: list[dict[str, Any]] = [{"step": "search", "correct": correct, "lines": found.lines}]
    always = np.array([_sure(rows, i) for i in range(pairs.n)])
    never = np.zeros(pairs.n, bool)
    linked = pairs.linked(best)
    for i in np.flatnonzero(~linked):
        able, _ = _possible(rows, int(i), best, deadline)
        never[i] = not able
    possible = float(pairs.value[~never].sum())
    bound = possible
    log.append({"step": "records", "always": int(always.sum()), "never": int(never.sum()), "bound": bound})
    undecided = np.flatnonzero(~never & ~always)
    sure = float(pairs.value[always].sum())
    step = float(pairs.value[undecided].min()) if len(undecided) else 1.0
    whole = bool(np.all(pairs.value == 1.0))
    for i in undecided:
        rows.violated(int(i), best, most=2, slack=np.inf)
    while bound > correct + 1e-6 and time.monotonic() < deadline and len(undecided):
        lost_now = sure + float(pairs.value[undecided].sum()) - correct
        better = lost_now - (1.0 if whole else 0.5 * step)
        answer = _solve(rows, undecided, better + 1e-6, deadline - time.monotonic())
        if answer.status == 2:  # nothing better exists
            bound = correct
            log.append({"step": "program", "rows": rows.total, "bound": bound, "infeasible": True})
            break
        if answer.mip_dual_bound is not None and np.isfinite(answer.mip_dual_bound):
            lost = np.ceil(answer.mip_dual_bound - 1e-6) if whole else answer.mip_dual_bound
            bound = float(min(bound, max(correct, sure + float(pairs.value[undecided].sum()) - lost)))
        log.append({"step": "program", "rows": rows.total, "bound": bound, "correct": correct})
        if answer.x is None:
            break
        w = np.maximum(answer.x[: pairs.d], 0.0)
        w /= w.sum()
        reached = pairs.correct(w)
        if reached > correct + 1e-9:
            best, correct = w, reached
        kept = undecided[answer.x[pairs.d :] < 0.5]
        new = sum(rows.violated(int(i), w) for i in kept)
        if not new:
            break
    return Proof(
        best, correct, float(bound), bool(bound <= correct + 1e-6), margin, rows.total, possible,
        time.monotonic() - begin, log,
    )  # fmt: skip


def _sure(rows: _Rows, i: int) -> bool:
    """Every single attribute already links it with the margin, so every weight vector does."""
    deltas = rows.deltas(i)
    deltas[rows.pairs.own[i]] = np.inf
    return bool(deltas.min() >= rows.margin)
