"""The assignment kernels beside plain twins.

Lists of pairs, an auction in words, and scipy's dense solver.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from attack.plain import costs
from tacit.kernels.assignment import graph as arcs_of
from tacit.kernels.assignment.auction import (
    State,
    auction,
    drop,
    new_state,
    put,
    take_out,
)
from tacit.kernels.assignment.graph import (
    add_from_table,
    by_column,
    graph,
    least,
    pair_costs,
)
from tacit.kernels.assignment.paths import augment, release
from tacit.kernels.assignment.refine import refine

GO_ON = np.zeros(1, np.int64)
"""The stop flag of the kernels, never raised here."""


@pytest.fixture(autouse=True, params=["compiled", "plain"], scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """The kernels, and what stands in for them on small files: the same numbers."""
    kernels = (
        arcs_of._pair_costs,
        arcs_of._add_from_table,
        arcs_of._graph,
        arcs_of._by_column,
        arcs_of.least_reduced,
    )
    with pytest.MonkeyPatch.context() as patch:
        for kernel in kernels:
            patch.setattr(kernel, "pays", lambda _: request.param == "compiled")
        yield


class Problem:
    """A random sparse assignment: classes of rows, arcs per class, capacities.

    ``matrix`` has inf where no arc is.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        classes, m = int(rng.integers(1, 9)), int(rng.integers(1, 9))
        self.count = rng.integers(1, 4, classes)
        self.capacity = rng.integers(1, 4, m)
        matrix = rng.normal(size=(classes, m)) * rng.choice([0.01, 1.0])
        if rng.random() < 0.4:
            matrix = np.round(matrix)  # ties
        listed = rng.random((classes, m)) < rng.choice([0.3, 0.7, 1.0])
        self.matrix = np.where(listed, matrix, np.inf)
        rows, cols = np.nonzero(listed)
        self.indptr, self.cols = graph(classes, rows, cols)
        self.cost = self.matrix[rows, cols]
        self.kind = np.repeat(np.arange(classes), self.count)
        self.v = -rng.integers(0, 3, m) * rng.random()
        self.arcs = (self.indptr, self.cols, self.cost)

    @property
    def slots(self) -> np.ndarray:
        """One row per record and one column per place: the dense form of the problem."""
        return np.repeat(
            np.repeat(self.matrix, self.count, axis=0), self.capacity, axis=1
        )

    def optimum(self) -> float | None:
        """Least total cost by scipy; None if not every record can be matched."""
        matrix = self.slots
        if matrix.shape[0] > matrix.shape[1]:
            return None
        try:
            i, j = linear_sum_assignment(matrix)
        except ValueError:
            return None
        return float(matrix[i, j].sum())

    def sound(self, state: State) -> None:
        """Rows and slots tell the same story, and every link is an arc at its cost."""
        column_of: dict[int, int] = {}
        for j in range(len(self.capacity)):
            places = state.slot_row[state.start[j] : state.start[j + 1]]
            assert (places[: state.used[j]] >= 0).all()
            assert len(places) == self.capacity[j] >= state.used[j]
            column_of |= {int(i): j for i in places[: state.used[j]]}
        assert len(column_of) == state.used.sum()
        assert [
            column_of.get(i, -1) for i in range(len(self.kind))
        ] == state.row_col.tolist()
        for i, j in column_of.items():
            assert state.slot_row[state.row_slot[i]] == i
            assert state.row_cost[i] == self.matrix[self.kind[i], j]

    def above_best(self, state: State, v: np.ndarray) -> np.ndarray:
        """c_ij - v_j of each link, above the least over the row's arcs."""
        reduced = np.repeat(self.matrix, self.count, axis=0) - v
        rows = np.flatnonzero(state.row_col >= 0)
        return reduced[rows, state.row_col[rows]] - reduced[rows].min(axis=1)


@given(
    st.integers(0, 10**6),
    st.sampled_from([(0, "squared"), (1, "euclidean"), (2, "manhattan")]),
)
def test_costs_of_pairs(seed: int, kind: tuple[int, str]) -> None:
    """All kinds of distance, also far from zero."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    rows, cols = rng.integers(0, 7, 20), rng.integers(0, 5, 20)
    far = rng.choice([0.0, 1e8])  # an offset common to both files is taken off first
    expected = costs(x + far, y + far, kind[1])[rows, cols]
    assert pair_costs(x + far, y + far, rows, cols, kind[0]) == pytest.approx(
        expected, rel=1e-12
    )


@given(st.integers(0, 10**6))
def test_costs_of_classes_are_added_pair_by_pair(seed: int) -> None:
    """Both ways give the bits of the plain loop; impossible pairs stay so."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(3, 4))
    table[0, 1] = np.inf
    left, right = rng.integers(0, 3, 7), rng.integers(0, 4, 5)
    rows, cols = rng.integers(0, 7, 20), rng.integers(0, 5, 20)
    begun = rng.normal(size=20)
    total = begun.copy()
    add_from_table(total, table, left, right, rows, cols)
    expected = [
        old + table[left[i], right[j]]
        for old, i, j in zip(begun, rows, cols, strict=True)
    ]
    assert total.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 6)), max_size=40))
def test_a_graph_is_a_set_of_pairs(pairs: list[tuple[int, int]]) -> None:
    """No pair twice, none lost, and the same from the columns."""
    rows, cols = (
        np.array([p[0] for p in pairs], np.int64),
        np.array([p[1] for p in pairs], np.int64),
    )
    indptr, found = graph(6, rows, cols)
    listed = sorted({p for p in pairs if p[1] >= 0})
    assert (
        list(
            zip(
                np.repeat(np.arange(6), np.diff(indptr)).tolist(),
                found.tolist(),
                strict=True,
            )
        )
        == listed
    )
    at, owners, arcs = by_column(7, indptr, found)
    turned = sorted((j, i) for i, j in listed)
    assert (
        list(
            zip(
                np.repeat(np.arange(7), np.diff(at)).tolist(),
                owners.tolist(),
                strict=True,
            )
        )
        == turned
    )
    assert [(j, i) for i, j in np.array(listed, int).reshape(-1, 2)[arcs]] == turned


@given(st.integers(0, 10**6))
def test_least_reduced_cost(seed: int) -> None:
    """The minimum of each class, infinite without arcs."""
    p = Problem(seed)
    assert np.array_equal(
        least(*p.arcs, p.v), (p.matrix - p.v).min(axis=1)
    )  # inf where a class has no arc


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_rows_leave_when_another_arc_is_better(seed: int, slack: float) -> None:
    """Exactly the rows above their best leave."""
    p = Problem(seed)
    state = new_state(p.kind, p.capacity)
    for i, c in enumerate(p.kind):  # the first arc with room, whatever it costs
        for e in range(p.indptr[c], p.indptr[c + 1]):
            j = p.cols[e]
            if state.row_col[i] < 0 and state.used[j] < p.capacity[j]:
                put(state, i, j, state.start[j] + state.used[j], p.cost[e])
                state.used[j] += 1
    p.sound(state)
    before = state.row_col.copy()
    reduced = np.repeat(p.matrix, p.count, axis=0) - p.v
    stays = (before >= 0) & (
        reduced[np.arange(len(before)), before] <= reduced.min(axis=1) + slack + 1e-12
    )
    assert drop(*p.arcs, p.v, state, slack) == (~stays).sum()
    p.sound(state)
    assert np.array_equal(state.row_col, np.where(stays, before, -1))


def test_taking_out_fills_the_gap() -> None:
    """The last slot moves into the gap."""
    state = new_state(np.zeros(3), np.array([1, 3]))
    for i in range(3):
        put(state, i, 1, 1 + i, float(i))
        state.used[1] += 1
    take_out(state, 0)
    assert state.slot_row.tolist() == [-1, 2, 1, -1]
    assert state.row_col.tolist() == [-1, 1, 1]
    assert state.row_slot.tolist() == [-1, 2, 1]


def plain_auction(
    matrix: np.ndarray, far: np.ndarray, eps: float, most: int
) -> tuple[list[int], np.ndarray, int]:
    """One object per column: the last of the queue bids for its best column.

    Who was there goes to the queue.
    """
    price = np.zeros(matrix.shape[1])
    match, queue, bids = [-1] * len(matrix), list(range(len(matrix)))[::-1], 0
    while queue and bids < most:
        i = queue.pop()
        worth = matrix[i] + price
        j = int(worth.argmin())
        if not np.isfinite(worth[j]):
            continue
        bids += 1
        if j in match:
            loser = match.index(j)
            match[loser] = -1
            queue.append(loser)
            second = min(np.delete(worth, j).min(initial=np.inf), far[i])
            price[j] += eps + (
                max(second - worth[j], 0.0) if np.isfinite(second) else 0.0
            )
        match[i] = j
    return match, -price, bids


@pytest.mark.few(1)
@given(st.integers(0, 10**6), st.sampled_from([2.0**-10, 2.0**-3]), st.booleans())
def test_the_auction_in_words(seed: int, eps: float, looks_further: bool) -> None:
    """The same bids, links and duals as the plain twin.

    Costs are whole multiples of 2^-10: sums are exact, and equal offers are equal in both.
    """
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    costs = rng.integers(0, 1024, (n, m)) / 1024
    matrix = np.where(rng.random((n, m)) < 0.8, costs, np.inf)
    rows, cols = np.nonzero(np.isfinite(matrix))
    indptr, listed = graph(n, rows, cols)
    further = rng.integers(0, 1024, n) / 1024
    far = further if looks_further else np.full(n, np.inf)
    state, v = new_state(np.arange(n), np.ones(m, np.int64)), np.zeros(m)
    bids = auction(indptr, listed, matrix[rows, cols], far, v, state, eps, 200, GO_ON)
    match, duals, made = plain_auction(matrix, far, eps, 200)
    assert bids == made
    assert state.row_col.tolist() == match
    assert v == pytest.approx(duals, abs=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.1]))
def test_the_auction_ends_within_eps_of_the_optimum(seed: int, eps: float) -> None:
    """Every link is within eps of the best of its row."""
    p = Problem(seed)
    optimum = p.optimum()
    state, v = new_state(p.kind, p.capacity), np.zeros(len(p.capacity))
    auction(*p.arcs, np.full(len(p.count), np.inf), v, state, eps, 20_000, GO_ON)
    p.sound(state)
    assert p.above_best(state, v).max(initial=0.0) <= eps + 1e-9
    assert (v[state.used < p.capacity] == 0).all()
    if optimum is not None:
        assert (state.row_col >= 0).all()
        assert (
            optimum - 1e-9 <= state.row_cost.sum() <= optimum + len(p.kind) * eps + 1e-9
        )


@pytest.mark.slow
@given(st.integers(0, 10**6), st.booleans())
def test_shortest_paths_reach_the_optimum_with_duals(
    seed: int, from_auction: bool
) -> None:
    """From no duals, from duals left by an auction, and from duals of no meaning at all."""
    p = Problem(seed)
    optimum = p.optimum()
    state, v = new_state(p.kind, p.capacity), p.v.copy()
    if from_auction:
        auction(*p.arcs, np.full(len(p.count), np.inf), v, state, 0.05, 500, GO_ON)
        drop(*p.arcs, v, state, 0.0)
    stuck = augment(*p.arcs, v, state, GO_ON)
    p.sound(state)
    assert (stuck < 0) == (optimum is not None)
    if optimum is None:
        assert state.row_col[stuck] < 0
        return
    assert p.above_best(state, v).max(initial=0.0) <= 1e-9
    members = np.concatenate([[0], np.cumsum(p.count)])
    release(*by_column(len(v), p.indptr, p.cols), p.cost, v, state, members, GO_ON)
    p.sound(state)
    assert (v <= 0).all()
    assert (v[state.used < p.capacity] == 0).all()
    assert p.above_best(state, v).max(initial=0.0) <= 1e-9
    assert state.row_cost.sum() == pytest.approx(optimum, abs=1e-9)
    value = (least(*p.arcs, v) * p.count).sum() + (v * p.capacity).sum()
    assert value == pytest.approx(optimum, abs=1e-9), "the duals prove the optimum"


def test_a_raised_flag_stops_every_kernel() -> None:
    """Nothing changes once the flag is up."""
    p = Problem(3)
    state, v = new_state(p.kind, p.capacity), p.v.copy()
    raised = np.ones(1, np.int64)
    assert (
        auction(*p.arcs, np.full(len(p.count), np.inf), v, state, 0.1, 10, raised) == 0
    )
    assert augment(*p.arcs, v, state, raised) == 0
    assert (state.row_col < 0).all()
    assert np.array_equal(v, p.v)


def plain_refine(problem: Problem, match: list[int], v: np.ndarray) -> np.ndarray:
    """Bellman and Ford by the book: pass after pass over all rows, as many as there are columns."""
    matrix = np.repeat(problem.matrix, problem.count, axis=0)
    full = np.bincount([j for j in match if j >= 0], minlength=len(v))
    is_full = full == problem.capacity
    v = v.copy()
    for _ in range(len(v) + 1):
        for i, own in enumerate(match):
            if own < 0:
                continue
            limit = matrix[i] - (matrix[i, own] - v[own])
            v = np.where(is_full, np.minimum(v, limit), v)
    return v


@pytest.mark.few(1)
@given(st.integers(0, 10**6), st.sampled_from([1e-4, 0.02, 0.3]))
def test_duals_are_refined_to_fit_the_links(seed: int, eps: float) -> None:
    """The links of an auction stay; no dual rises; without a cycle duals are those of the twin."""
    p = Problem(seed)
    state, v = new_state(p.kind, p.capacity), np.zeros(len(p.capacity))
    auction(*p.arcs, np.full(len(p.count), np.inf), v, state, eps, 20_000, GO_ON)
    links, before = state.row_col.copy(), v.copy()
    looks = refine(*p.arcs, v, state, 5_000, GO_ON)
    p.sound(state)
    assert np.array_equal(state.row_col, links)
    assert (v <= before).all()
    roomy = state.used < p.capacity
    assert np.array_equal(v[roomy], before[roomy])
    if looks < 5_000 and (links >= 0).all():
        assert v == pytest.approx(plain_refine(p, links.tolist(), before), abs=1e-9)
        if not roomy.any():
            assert p.above_best(state, v).max(initial=0.0) <= 1e-9
            assert state.row_cost.sum() == pytest.approx(p.optimum(), abs=1e-9)


def test_refining_ends_where_the_links_are_not_optimal() -> None:
    """Two rows on each other's column: duals would fall for ever, so looks are counted."""
    state, v = new_state(np.arange(2), np.ones(2, np.int64)), np.zeros(2)
    indptr = np.array([0, 2, 4])
    cols, cost = np.array([0, 1, 0, 1]), np.array([0.0, 5.0, 5.0, 0.0])
    for i, j in ((0, 1), (1, 0)):
        put(state, i, j, j, 5.0)
        state.used[j] += 1
    assert refine(indptr, cols, cost, v, state, 12, GO_ON) == 12
    assert state.row_col.tolist() == [1, 0]
    assert drop(indptr, cols, cost, v, state, 0.0) > 0
    assert refine(indptr, cols, cost, v, state, 12, np.ones(1, np.int64)) == 0
