"""Groups of few classes are assigned as classes: the same least cost, and arcs that grow with the
classes and not with the groups."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import tacit as tc
from tacit.attack import group_assignment, group_links, group_looks
from tacit.attack.group_assignment import GroupLinks, assign_groups
from tacit.attack.group_links import GroupProblem
from tacit.attack.groups import Groups
from tacit.attack.informed.evidence import Evidence
from tacit.attack.solver.assign_graph import Solver
from tacit.base.errors import TacitWarning


def by_matrix(count_a: Any, count_b: Any, costs: np.ndarray) -> tuple[float, int]:
    """Least cost and groups left over, group by group, with every pair written down."""
    rows = np.repeat(np.arange(len(count_a)), count_a)
    columns = np.repeat(np.arange(len(count_b)), count_b)
    every = costs[np.ix_(rows, columns)]
    possible = np.isfinite(every)
    i, j = linear_sum_assignment(np.where(possible, every, 1e6))
    linked = possible[i, j]
    return float(every[i, j][linked].sum()), int((~linked).sum())


def assigned(count_a: Any, count_b: Any, costs: np.ndarray) -> GroupLinks:
    a, b = np.nonzero(np.isfinite(costs))
    return assign_groups(count_a, count_b, a, b, costs[a, b])


@given(st.integers(0, 10_000), st.sampled_from([0, 1_000_000]), st.booleans())
def test_classes_and_single_groups_cost_the_least(
    seed: int, singly: int, even: bool
) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 7, 2)
    count_a, count_b = rng.integers(1, 6, n), rng.integers(1, 6, m)
    if even:
        # as many groups in both files: either may look for places in the other
        short = count_a.sum() - count_b.sum()
        (count_b if short > 0 else count_a)[0] += abs(short)
    costs = rng.integers(-2, 5, (n, m)).astype(float)
    costs[rng.random((n, m)) < 0.2] = np.inf
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_assignment, "SINGLY", singly)
        links = assigned(count_a, count_b, costs)
    least, left_over = by_matrix(count_a, count_b, costs)
    assert links.left_over == left_over
    assert links.cost == pytest.approx(least)
    assert links.cost == pytest.approx(costs[links.ours, links.theirs] @ links.number)
    assert (np.bincount(links.ours, links.number, n) <= count_a).all()
    assert (np.bincount(links.theirs, links.number, m) <= count_b).all()


@pytest.mark.parametrize("many", ["ours", "theirs"])
def test_many_groups_of_few_classes_have_few_arcs(
    many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20,000 groups in 20 classes against 400 classes: 8,000 pairs of classes, 8,000,000 of groups
    and classes."""
    monkeypatch.setattr(group_assignment, "SINGLY", 100_000)
    rng = np.random.default_rng(3)
    counts = np.full(20, 1000), np.full(400, 50)
    costs = rng.integers(0, 9, (20, 400)).astype(float)
    if many == "theirs":
        counts, costs = counts[::-1], costs.T
    seen: list[tuple[int, int]] = []
    solve = Solver.solve

    def counted(self: Any, indptr: Any, *rest: Any) -> None:
        seen.append((int(indptr[-1]), int(np.diff(indptr)[self.state.kind].sum())))
        solve(self, indptr, *rest)

    monkeypatch.setattr(Solver, "solve", counted)
    links = assigned(*counts, costs)
    assert links.left_over == 0
    assert links.number.sum() == 20_000
    # the groups of 400 classes look at 20 classes each, whichever file they are of, and at a
    # place of their own
    assert seen == [(8_000 + 400, 20_000 * 21)]


def crowded() -> tuple[tc.Microdata, tc.Microdata]:
    """Many equal households whose nearest kinds have few places."""
    hid = np.repeat(np.arange(6), 2)
    x = tc.Microdata.of({"hid": hid, "v": [0.0] * 10 + [0.5] * 2}, household="hid")
    spread = np.repeat([0.4, 0.45, 0.55, 0.65, 0.75, 0.85], 2)
    return x, tc.Microdata.of({"hid": hid, "v": spread}, household="hid")


def test_groups_without_a_partner_among_the_nearest_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who may not look again is not found, and it is said."""
    monkeypatch.setattr(group_links, "CELLS", 1)
    monkeypatch.setattr(group_links, "CANDIDATES", 1)
    monkeypatch.setattr(group_looks, "LOOKS", 0)
    with pytest.warns(TacitWarning, match="4 of 6 groups found no partner"):
        link = Groups(rounds=0).link(*crowded())
    assert link.log[0]["left_over"] == 4
    # the interval holds what would be found if all of them were
    assert link.interval[1] >= min(1.0, link.rate + 4 / 6)
    assert "66.7 percentage points" in link.remark
    monkeypatch.setattr(group_links, "CELLS", 1000)
    assert Groups(rounds=0).link(*crowded()).log[0]["left_over"] == 0


def test_groups_that_are_left_over_look_again_and_all_find_a_partner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_links, "CELLS", 1)
    monkeypatch.setattr(group_links, "CANDIDATES", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        link = Groups(rounds=0).link(*crowded())
    assert link.log[0]["left_over"] == 0
    assert link.log[0]["looked_again"] == 4
    assert link.tolerance == 0
    assert (link.match >= 0).all()


@pytest.mark.parametrize("lost", [0, 9])
def test_who_looks_again_is_near_the_linkage_of_all_pairs(
    monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """Few kinds, each of many groups: against the assignment of every pair of groups."""
    rng = np.random.default_rng(8)
    for _ in range(5):
        size = rng.integers(1, 4, 60)
        ours = np.repeat(np.arange(60), size)
        u = rng.choice([0.0, 0.1, 0.2, 3.0], (len(ours), 1))
        kept = ours < 60 - lost
        theirs, v = ours[kept], u[kept] + rng.choice([0.0, 1.0, 2.0], (kept.sum(), 1))
        evidence = Evidence(u, v)
        every = GroupProblem(evidence, ours, theirs).links
        with monkeypatch.context() as few:
            few.setattr(group_links, "CELLS", 1)
            few.setattr(group_links, "CANDIDATES", 2)
            problem = GroupProblem(evidence, ours, theirs)
            first, again = problem.first_links, problem.links
        assert first.left_over > 0
        assert again.left_over == every.left_over == 0
        # nobody is linked twice
        for side, count in ((again.ours, problem.ours), (again.theirs, problem.theirs)):
            taken = np.bincount(side, weights=again.number, minlength=len(count.count))
            assert (taken <= count.count).all()
        assert again.number.sum() == every.number.sum()
        assert every.cost <= again.cost + 1e-9
        if not lost:
            # sizes are kept and evidence is vectors: prices prove that it is the least of all
            assert again.cost == pytest.approx(every.cost)
