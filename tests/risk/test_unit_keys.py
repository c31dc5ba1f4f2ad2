"""Households by composition and persons by history, beside the definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.base.typing import Ints
from tacit.data.units import Units
from tacit.kernels.compositions import same_households
from tacit.risk import compositions


def _may_be_the_same(ours: Ints, theirs: Ints) -> bool:
    """The plain twin: some order of one household agrees with the other, row by row."""
    if len(ours) != len(theirs):
        return False
    for order in permutations(range(len(ours))):
        other = theirs[list(order)]
        if ((ours == other) | (ours < 0) | (other < 0)).all():
            return True
    return False


@given(st.integers(0, 10_000))
def test_the_kernel_pairs_members(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 6)), int(rng.integers(1, 5)), 2)
    members = rng.integers(-1, 3, shape)
    gaps = np.ones(shape[0], dtype=bool)
    same = same_households(members, gaps)
    for a in range(shape[0]):
        for b in range(shape[0]):
            assert same[a, b] == _may_be_the_same(members[a], members[b])


@given(st.integers(0, 10_000))
def test_compositions_equal_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    codes = rng.integers(-1 if seed % 2 else 0, 2, (n, 2))
    raw = rng.integers(0, 5, n)
    units = Units("household", np.unique(raw, return_inverse=True)[1].astype(np.int64))
    weights = 1.0 + np.arange(units.number)
    f, F = compositions.count_compositions(codes, weights, units)
    for a in range(units.number):
        ours = codes[units.rows(a)]
        same = [
            b
            for b in range(units.number)
            if _may_be_the_same(ours, codes[units.rows(b)])
        ]
        assert f[a] == len(same)
        assert F[a] == pytest.approx(weights[same].sum())


def test_many_compositions_take_gaps_for_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = np.array([[0], [-1]])
    units = Units("household", np.array([0, 1]))
    f, _ = compositions.count_compositions(codes, np.ones(2), units)
    assert f.tolist() == [2, 2]
    monkeypatch.setattr(compositions, "MOST_COMPARED", 1)
    f, _ = compositions.count_compositions(codes, np.ones(2), units)
    assert f.tolist() == [1, 1]


def test_a_household_is_alone_where_no_member_is() -> None:
    table = {
        "hid": [1, 1, 2, 2, 3, 3, 4],
        "sex": ["f", "m", "m", "f", "f", "f", "m"],
    }
    data = tc.Microdata.of(table, household="hid", quasi=["sex"])
    assert tc.risk.k_anonymity(data, data, k=3).value == 0
    measure = tc.risk.household_keys(data, data)
    # two couples; two women together; a man alone
    assert measure.value == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)
    assert measure.details["alone by size"] == {"1": 1, "2": 1}
    assert measure.per_record is not None
    assert measure.per_record.tolist() == [0.5, 0.5, 0.5, 0.5, 1, 1, 1]
    # a release that does not say who lives together has no compositions
    hidden = tc.risk.household_keys(data, data.drop(["hid"]))
    assert np.isnan(hidden.value)


def test_weights_say_how_rare_a_composition_is() -> None:
    table = {"hid": [1, 1, 2], "sex": ["f", "m", "m"], "w": [100.0, 100.0, 50.0]}
    data = tc.Microdata.of(table, household="hid", quasi=["sex"], weight="w")
    p = np.array([0.01, 0.02])
    expected = np.mean(-p * np.log(p) / (1 - p))
    assert tc.risk.household_keys(data, data).value == pytest.approx(expected)


def test_a_history_is_a_key() -> None:
    table = {
        "id": [1, 1, 2, 2, 3, 3],
        "job": ["a", "b", "b", "a", "a", "a"],
    }
    data = tc.Microdata.of(table, person="id", quasi=["job"])
    assert tc.risk.k_anonymity(data, data, k=2).value == 0
    assert tc.risk.person_keys(data, data).value == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert np.isnan(tc.risk.person_keys(data, data.drop(["id"])).value)
