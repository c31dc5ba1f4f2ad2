"""The certificate is real: optimal cost against all permutations and the dense solver, duals on
every pair."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from attack.plain import FILES, cheapest, costs, files
from tacit.attack.solver import stopper as stopper_file
from tacit.attack.solver.assign import assign, second_best
from tacit.attack.solver.assign_graph import assign_dense, assign_graph
from tacit.attack.solver.rounds import CANDIDATES
from tacit.attack.solver.solution import Solution
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import InputError

METRICS = ["euclidean", "squared", "manhattan"]


def check(x: Any, y: Any, found: Solution, metric: str, optimum: float) -> None:
    matrix = costs(x, y, metric)
    linked = found.match >= 0
    assert linked.sum() == len(set(found.match[linked])) == min(len(x), len(y))
    own = matrix[np.flatnonzero(linked), found.match[linked]].sum()
    scale = 1e-9 * max(1.0, optimum)
    assert own == pytest.approx(found.cost, abs=scale)
    assert found.cost == pytest.approx(optimum, abs=scale)
    assert found.certified
    assert found.bound <= found.cost + scale
    # the duals hold for every pair, and their value is the optimum
    assert (matrix - found.u[:, None] - found.v[None, :]).min() > -1e-9 * max(
        1.0, float(matrix.max())
    )
    assert found.u.sum() + found.v.sum() == pytest.approx(
        optimum, abs=1e-8 * max(1.0, float(matrix.max()))
    )


@pytest.mark.few(4)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("what", FILES)
def test_every_permutation_at_small_n(what: str, metric: str) -> None:
    rng = np.random.default_rng(11)
    for n, m in [(1, 1), (2, 5), (5, 2), (6, 6), (7, 6), (6, 8)]:
        x, y = files(what, n, m, int(rng.integers(1, 5)), rng)
        optimum = cheapest(costs(x, y, metric))
        # in one go, and in rounds
        for candidates in (CANDIDATES, CANDIDATES + 1):
            found = assign(x, y, metric=metric, candidates=candidates)  # type: ignore[arg-type]
            check(x, y, found, metric, optimum)


@pytest.mark.few(5)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("what", FILES)
def test_the_dense_solver_with_few_candidates(what: str, metric: str) -> None:
    rng = np.random.default_rng(12)
    for n, m in [(250, 250), (230, 300), (400, 210)]:
        x, y = files(what, n, m, int(rng.integers(1, 7)), rng)
        matrix = costs(x, y, metric)
        i, j = linear_sum_assignment(matrix)
        optimum = float(matrix[i, j].sum())
        for candidates in (3, CANDIDATES):
            found = assign(x, y, metric=metric, candidates=candidates)  # type: ignore[arg-type]
            check(x, y, found, metric, optimum)


@pytest.mark.parametrize("what", FILES)
def test_margins_are_never_more_than_forbidding_a_link_costs(what: str) -> None:
    rng = np.random.default_rng(21)
    for n, m in [(5, 5), (6, 6), (4, 6)]:
        x, y = files(what, n, m, 2, rng)
        matrix = costs(x, y, "euclidean")
        found = assign(x, y)
        theirs = np.unique(y, axis=0, return_inverse=True)[1].ravel()
        margin = second_best(x, y, found, "euclidean")
        for i in range(n):
            barred = matrix.copy()
            # all copies of the own record, as margins are between different ones
            barred[i, theirs == theirs[found.match[i]]] = np.inf
            without = cheapest(barred)
            assert without - found.cost >= margin[i] - 1e-9 * max(1.0, matrix.max())


def test_rows_in_one_go_or_in_rounds_find_the_same_links() -> None:
    rng = np.random.default_rng(22)
    x = rng.normal(size=(600, 4))
    y = (x + 0.4 * rng.normal(size=x.shape))[rng.permutation(600)]
    at_once, in_rounds = assign(x, y), assign(x, y, candidates=CANDIDATES + 1)
    assert "pairs" in at_once.log[0]
    assert "round" in in_rounds.log[0]
    np.testing.assert_array_equal(at_once.match, in_rounds.match)
    assert at_once.cost == in_rounds.cost


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.1, 0.6])
def test_two_thousand_records(sd: float) -> None:
    rng = np.random.default_rng(13)
    x = rng.normal(size=(2000, 5))
    y = (x + sd * rng.normal(size=x.shape))[rng.permutation(2000)]
    matrix = costs(x, y, "euclidean")
    i, j = linear_sum_assignment(matrix)
    found = assign(x, y, candidates=CANDIDATES - 1)
    check(x, y, found, "euclidean", float(matrix[i, j].sum()))
    assert len(found.log) > 1
    bounds = [entry["bound"] for entry in found.log]
    assert bounds == sorted(bounds)


def test_early_ends_keep_a_proven_gap() -> None:
    rng = np.random.default_rng(14)
    x, y = rng.normal(size=(1500, 4)), rng.normal(size=(1500, 4))
    best = assign(x, y)
    rough = assign(x, y, candidates=2, gap=0.5)
    assert rough.bound <= best.cost <= rough.cost
    assert rough.gap <= 0.5
    rushed = assign(x, y, time_limit=1e-4)
    assert rushed.bound <= best.cost + 1e-9 <= rushed.cost + 2e-9
    assert sorted(rushed.match) == list(range(1500))
    assert not rushed.certified


def test_ctrl_c_returns_the_best_bound(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(15)
    x, y = rng.normal(size=(4000, 8)), rng.normal(size=(4000, 8))

    def interrupt(entry: dict[str, Any]) -> None:
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()

    try:
        found = assign(x, y, candidates=2, progress=interrupt)
    except (
        KeyboardInterrupt
    ):  # between two kernels, or after the end: the interrupt is the caller's
        pytest.skip("the run was not inside a kernel when the signal came")
    if not found.certified:
        assert "proven bound" in capsys.readouterr().err
        assert found.bound <= found.cost
        assert sorted(found.match) == list(range(4000))


@pytest.mark.parametrize("shape", [(6, 6), (40, 70), (120, 120)])
def test_any_matrix_of_costs(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(16)
    for matrix in (
        rng.random(shape),
        rng.integers(0, 4, shape).astype(float),
        rng.normal(size=shape),
        np.zeros(shape),
    ):
        found = assign_dense(matrix)
        i, j = linear_sum_assignment(matrix)
        assert found.cost == pytest.approx(matrix[i, j].sum(), abs=1e-9)
        assert (matrix - found.u[:, None] - found.v[None]).min() > -1e-9


def test_capacities_are_copies_of_a_column() -> None:
    rng = np.random.default_rng(17)
    for _ in range(20):
        m = int(rng.integers(1, 12))
        capacity = rng.integers(1, 6, m)
        n = int(rng.integers(1, capacity.sum() + 1))
        matrix = rng.integers(0, 6, (n, m)).astype(float)
        found = assign_dense(matrix, capacities=capacity)
        i, j = linear_sum_assignment(np.repeat(matrix, capacity, axis=1))
        assert found.cost == pytest.approx(
            np.repeat(matrix, capacity, axis=1)[i, j].sum()
        )
        assert (np.bincount(found.match, minlength=m) <= capacity).all()


def test_the_worked_example() -> None:
    weights = np.array(
        [[2, 5, 3, 4], [7, 7, 7, 5], [6, 8, 5, 8], [6, 6, 1, 3]], dtype=float
    )
    found = assign_dense(-weights)
    assert found.match.tolist() == [1, 2, 3, 0]
    assert found.cost == -26


def test_impossible_graphs_are_refused() -> None:
    with pytest.raises(InputError, match="complete linkage"):
        assign_graph([0, 1, 2], [0, 0], [1.0, 1.0], 2)
    with pytest.raises(InputError, match="swap"):
        assign_dense(np.ones((3, 2)))


def test_a_signal_that_ends_the_program_ends_its_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SIGTERM in the middle of an auction waited until it was over."""
    stopper = Stopper(threads=1)

    def until_told() -> None:
        for _ in range(500):
            if stopper.flag[0]:
                return
            time.sleep(0.01)
        raise AssertionError("nobody told it to end")

    def ended(*_: object, **__: object) -> None:
        raise SystemExit(143)

    monkeypatch.setattr(stopper_file, "wait", ended)
    with pytest.raises(SystemExit):
        stopper.run([until_told])
    assert stopper.stopped
    assert not stopper.interrupted
