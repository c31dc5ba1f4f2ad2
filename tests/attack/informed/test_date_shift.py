"""Dates that moved person by person are found again by order and intervals."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from protect.test_dates import panel
from tacit.attack.informed.date_shift import AwareDateShift


def _renumbered(data: tc.Microdata, seed: int = 9) -> tc.Microdata:
    """New numbers of persons, as a release has."""
    rng = np.random.default_rng(seed)
    old = data.table.column("id").to_numpy()
    names, place = np.unique(old, return_inverse=True)
    return data.with_column("id", rng.permutation(len(names))[place])


def test_everybody_is_found_on_an_unprotected_panel() -> None:
    data = panel()
    assert AwareDateShift().link(data, _renumbered(data)).rate == 1.0


def test_distinctive_intervals_are_not_safe_however_long_the_shift() -> None:
    data = panel()
    for days in (30, 3000):
        method = tc.protect.DateShift(days=days, random_state=1)
        release = _renumbered(method.fit_transform(data))
        attack = AwareDateShift.knowing(method, data)
        assert attack.link(data, release).rate > 0.99
        assert tc.attack.Aware(plan=method).link(data, release).rate > 0.99


def test_row_order_is_not_knowledge() -> None:
    data = panel(people=30)
    method = tc.protect.DateShift(days=300, random_state=1)
    release = _renumbered(method.fit_transform(data))
    order = np.random.default_rng(2).permutation(data.n)
    truth = np.argsort(order)
    one = AwareDateShift(days=300).link(data, release)
    two = AwareDateShift(days=300).link(data, release.take(order), truth=truth)
    assert one.correct == pytest.approx(two.correct)


def test_equal_intervals_leave_the_shift_alone_as_evidence() -> None:
    """One date each: who is within the shift is as likely as any other."""
    start = np.datetime64("2020-01-01")
    days = start + np.arange(0, 40, 2)
    data = tc.Microdata.of({"d": days}, date="d", quasi="d")
    method = tc.protect.DateShift(days=4000, random_state=3)
    link = AwareDateShift.knowing(method, data).link(data, method.fit_transform(data))
    # the matching is one of twenty among twenty: about one is right by chance
    assert link.correct < 4


def test_the_release_without_numbers_of_persons_has_the_intervals_of_each_row() -> None:
    data = panel()
    method = tc.protect.DateShift(days=30, random_state=1)
    release = method.fit_transform(data).drop(["id"])
    link = AwareDateShift.knowing(method, data).link(data, release)
    # length of stay, sex, and dates within thirty days: far more than 1 of 240 by chance
    assert 5 < link.correct < 240


def test_a_date_out_of_reach_is_impossible() -> None:
    data = tc.Microdata.of({"d": ["2020-01-01", "2020-03-01"]}, date="d", quasi="d")
    moved = data.with_days("d", data.days("d") + np.array([5, -5]))
    assert AwareDateShift(days=10).link(data, moved).correct == 2


def test_the_cost_is_that_of_history_place_and_reach() -> None:
    """By hand: person 1 stays 8 days apart, person 2 seven, person 3 eight and far away."""
    days = ["2020-01-01", "2020-01-09", "2020-03-01", "2020-03-08"]
    late = ["2029-01-01", "2029-01-09"]
    data = tc.Microdata.of(
        {"id": [1, 1, 2, 2, 3, 3], "d": [*days, *late]},
        person="id",
        date="d",
        quasi="d",
    )
    evidence = AwareDateShift(days=400).evidence(data, data, ["d"])
    [part] = evidence.parts
    possible = np.isfinite(part.cost(part.a, part.b))
    assert np.array_equal(possible, np.eye(6, dtype=bool))
    anywhere = AwareDateShift().evidence(data, data, ["d"]).parts[0]
    reachable = np.isfinite(anywhere.cost(anywhere.a, anywhere.b))
    # persons 1 and 3 have the same history, each row at its own place
    assert reachable[:2, 4:].tolist() == [[True, False], [False, True]]
    assert reachable.sum() == 10
