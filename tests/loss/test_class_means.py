"""Numbers that became classes lose what their classes hide: no more, and never nothing."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.io.on_disk import OnDisk
from tacit.data.pair import Pair
from tacit.loss import class_means

NUMERIC = ("il", "il1", "il3", "il4", "sse", "pil", "ks", "eigenvalues", "correlation")


def column(x: dict, z: dict, name: str = "a", **roles) -> list[float]:
    """What the losses see of the masked column."""
    ours, theirs = tc.Microdata.of(x, **roles), tc.Microdata.of(z)
    return class_means.column(Pair.of(ours, theirs), name)[1].tolist()


def test_by_hand() -> None:
    """x = 1, 2, 6 in classes {1, 2}, {6}: z = 1.5, 1.5, 6; SSE = 0.5 and SST = 14."""
    x = {"a": [1.0, 2.0, 6.0]}
    z = {"a": ["1 or 2", "1 or 2", "six"]}
    assert column(x, z) == [1.5, 1.5, 6.0]
    assert tc.loss.sse(x, z).value == pytest.approx(0.5 / 14)
    sd = sqrt(14 / 3)
    assert tc.loss.il1(x, z).value == pytest.approx((0.5 + 0.5) / 3 / (sqrt(2) * sd))
    assert tc.loss.il2(x, z).value == pytest.approx(0.0)
    # the variance between classes is 13.5 / 3 of 14 / 3
    assert tc.loss.il3(x, z).value == pytest.approx(0.5 / 14)


def test_a_star_for_everybody_is_a_suppressed_column() -> None:
    rng = np.random.default_rng(1)
    both = rng.normal(size=50)
    x = {"a": both + rng.normal(size=50), "b": both}
    star = {"a": ["*"] * 50, "b": x["b"]}
    means = {"a": np.full(50, x["a"].mean()), "b": x["b"]}
    for name in NUMERIC:
        measure = getattr(tc.loss, name)
        assert measure(x, star).value == pytest.approx(measure(x, means).value), name
        assert measure(x, star).value > 0.05, name


def test_labels_that_say_a_number_are_that_number() -> None:
    """Otherwise noise that is written as text would cost nothing."""
    x = {"a": [10.0, 20.0, 30.0, 40.0]}
    assert column(x, {"a": ["90", "90", "30", "over 35"]}) == [90, 90, 30, 40]


@pytest.mark.parametrize(
    ("masked", "ranks"),
    [
        # years are classes: ranks 0, 1 and 2, 2
        (["2001", "2001", "2002", "2002"], [0.5, 0.5, 2, 2]),
        # dates that were shifted say themselves where they lie, here between, before, after
        (["2001-03-02", "1999-01-01", "2002-05-01", "2009-01-01"], [0.5, -0.5, 2, 2.5]),
    ],
)
def test_years_are_classes_and_other_dates_are_dates(masked, ranks) -> None:
    """If every new date counted as a class, shifting dates would cost nothing."""
    days = ["2001-03-01", "2001-03-03", "2002-05-01", "2002-05-01"]
    x = tc.Microdata.of({"born": days}, date=["born"], quasi=["born"])
    pair = Pair.of(x, {"born": masked})
    assert class_means.column(pair, "born")[1].tolist() == ranks


def test_new_ranks_are_the_mean_of_their_records() -> None:
    """A merged class used to be a rank above all others."""
    order = ["none", "primary", "secondary", "higher"]
    values = pd.Categorical(
        ["none", "primary", "primary", "secondary", "higher"], order, ordered=True
    )
    x = tc.Microdata.of(pd.DataFrame({"a": values}), quasi=["a"])
    masked = ["low", "low", "low", "secondary", "higher"]
    pair = Pair.of(x, {"a": masked})
    got = class_means.column(pair, "a")[1]
    assert got.tolist() == pytest.approx([2 / 3] * 3 + [2, 3])


def test_gaps_stay_gaps_and_unknown_numbers_do_not_count() -> None:
    x = {"a": [1.0, None, 5.0, 7.0, None]}
    z = {"a": ["low", "low", None, "high", "nobody knows"]}
    got = column(x, z)
    assert got[:2] == [1.0, 1.0]
    assert got[3] == 7.0
    assert np.isnan([got[2], got[4]]).all()


def test_without_alignment_it_is_not_computed_and_not_zero() -> None:
    x = {"a": [1.5, 2.0, 6.0], "b": [1.5, 2.5, 3.0]}
    z = {"a": ["low", "high"], "b": [1.5, 2.5]}
    for name in NUMERIC:
        got = getattr(tc.loss, name)(x, z)
        assert not got.computed, name
        assert "a: classes where there were numbers" in str(got.details), name


@given(
    st.lists(st.floats(-100, 100), min_size=2, max_size=30),
    st.data(),
)
def test_no_other_number_for_a_label_loses_less(values: list[float], data) -> None:
    """The mean of a class has the least squared error, so nothing is overstated."""
    labels = data.draw(
        st.lists(st.sampled_from("uvw"), min_size=len(values), max_size=len(values))
    )
    x = np.array(values)
    got = np.array(column({"a": values}, {"a": labels}, continuous=["a"], quasi=["a"]))
    for label in set(labels):
        at = np.array(labels) == label
        best = ((x[at] - got[at]) ** 2).sum()
        assert np.ptp(got[at]) == 0
        for shift in (-1.0, 0.1):
            assert best <= ((x[at] - got[at] - shift) ** 2).sum() + 1e-6


def test_from_the_disk_the_same_digits(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    n = 40_000
    age = rng.integers(0, 100, n).astype(float)
    x = {"age": age, "pay": rng.normal(50, 9, n).round(2)}
    low = (age // 10 * 10).astype(int)
    z = {"age": [f"[{a}, {a + 10})" for a in low], "pay": (x["pay"] + 1).round(2)}
    sides = []
    for name, frame in (("x", x), ("z", z)):
        path = tmp_path / f"{name}.parquet"
        tc.write(tc.Microdata.of(frame), path)
        folder = tmp_path / name
        folder.mkdir()
        sides.append(OnDisk.open(path, folder))
    for name in NUMERIC:
        measure = getattr(tc.loss, name)
        in_memory = measure(tc.Microdata.of(x), tc.Microdata.of(z))
        assert measure(*sides).value == in_memory.value, name
    assert tc.loss.il(*sides).value > 0.02
