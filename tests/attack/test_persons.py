"""Attackers put the rows of a person together, and read gaps off relatives before they link."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.unit_counts import by_surest
from tacit.data.units import Units

VALUES = ["age", "hours", "income", "children"]


def _panel(persons: int = 120) -> tc.Microdata:
    table = tc.datasets.make_panel(persons, seed=1).select(["person", *VALUES])
    return tc.Microdata.of(table, person="person", quasi=VALUES, continuous=VALUES)


def _masked(data: tc.Microdata) -> tc.Microdata:
    """Groups of five records, whoever they are: as version 0.1 did."""
    blind = data.with_schema(data.schema.set(other=["person"]))
    release = tc.protect.Microaggregation(k=5).fit_transform(blind)
    return tc.Microdata.of(release).with_schema(data.schema)


def test_six_years_tell_more_than_one() -> None:
    data = _panel()
    link = tc.attack.registry["nearest"]().link(data, _masked(data))
    summary = link.to_dict()
    # no record is found more often than one in five, and most persons are
    assert summary["records"]["rate"] <= 0.2
    assert link.rate > 3 * summary["records"]["rate"]
    assert (summary["counts"], link.counted) == ("persons", 120)
    assert link.chance == pytest.approx(1 / 120)
    low, high = link.interval
    assert low < link.rate < high
    # as many rows, hardly a fifth of them persons: the interval is one of persons
    assert high - low > 0.05


def test_release_numbers_change_nothing_and_row_order_neither() -> None:
    data = _panel(40)
    release = _masked(data)
    attacker = tc.attack.registry["nearest"]()
    rate = attacker.link(data, release).rate
    new = np.random.default_rng(0).permutation(5000)[data.column("person").astype(int)]
    renumbered = release.with_column("person", new, kind=release.schema["person"].kind)
    assert attacker.link(data, renumbered).rate == pytest.approx(rate)
    order = np.random.default_rng(1).permutation(data.n)
    truth = np.argsort(order)
    shuffled = attacker.link(data, release.take(order), truth=truth)
    assert shuffled.rate == pytest.approx(rate)


def test_without_numbers_the_surest_row_names_the_person() -> None:
    units = Units("person", np.array([0, 0, 0, 1, 1]))
    found = by_surest(
        success=np.array([0.2, 1.0, 0.0, 0.5, 0.0]),
        match=np.array([1, 2, 3, 4, 5]),
        truth=np.array([1, 2, 3, 4, -1]),
        ties=np.array([5.0, 1.0, 1.0, 2.0, 1.0]),
        margin=np.array([9.0, 2.0, 1.0, np.nan, 5.0]),
        units=units,
    )
    # of two rows without a tie the second leads by more; an unreleased row says nothing
    assert found.tolist() == [1.0, 0.5]
    data = _panel(40)
    release = _masked(data)
    with_numbers = tc.attack.registry["nearest"]().link(data, release)
    without = tc.attack.registry["nearest"]().link(data, release.drop(["person"]))
    assert without.counts == "persons"
    assert without.rate < with_numbers.rate


def test_numbers_that_tell_rows_apart_are_no_numbers() -> None:
    data = _panel(40)
    release = _masked(data)
    rows = release.with_column("person", list(range(release.n)))
    attacker = tc.attack.registry["nearest"]()
    without = attacker.link(data, release.drop(["person"]))
    assert attacker.link(data, rows).rate == pytest.approx(without.rate)


def test_gaps_that_relatives_fill_are_no_gaps_for_an_attacker() -> None:
    keys = ["region", "dwelling", "water", "sex", "education"]
    table = tc.datasets.make_households(80, seed=1).select(["household", *keys])
    data = tc.Microdata.of(table, household="household", quasi=keys)
    blind = data.with_schema(data.schema.set(other=["household"]))
    gaps = tc.protect.LocalSuppression(k=5, random_state=1).fit_transform(blind)
    release = tc.Microdata.of(gaps).with_schema(data.schema)
    attacker = tc.attack.registry["assignment"]()
    told = attacker.link(data, release)
    hidden = attacker.link(data, release.drop(["household"]))
    assert told.correct > 1.2 * hidden.correct


def test_persons_are_named_with_certainty_by_all_rows() -> None:
    data = _panel()
    release = _masked(data)
    links = {"nearest": tc.attack.registry["nearest"]().link(data, release)}
    measure = tc.risk.worst_off(data, release, attacks=links)
    blind = data.drop(["person"])
    alone = {
        "nearest": tc.attack.registry["nearest"]().link(blind, release.drop(["person"]))
    }
    rows = tc.risk.worst_off(blind, release.drop(["person"]), attacks=alone)
    # no row is named with certainty in a group of five; many persons are
    assert rows.value == 0
    assert measure.value > 0.2
    assert measure.details["released"] == 120


def test_subgroups_are_of_persons() -> None:
    data = _panel()
    release = _masked(data)
    links = {"nearest": tc.attack.registry["nearest"]().link(data, release)}
    measure = tc.risk.subgroups(data, release, attacks=links)
    for group in measure.details["subgroups"].values():
        assert group["records"] <= 120
        assert group["chance"] == pytest.approx(1 / 120)
