"""Whose values a release holds: found by the truth, and never for want of evidence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from assess.false_alarms import (
    census,
    draws_of,
    health,
    households,
    numbers,
    permuted,
    survey,
)
from tacit.assess.own_values import OwnValues, own_values
from tacit.assess.release_rows import COPIES, own_rows

N = 300


def found(file: pd.DataFrame, masked: pd.DataFrame, **roles: list[str]) -> OwnValues:
    """Row i of the release is said to be of person i."""
    rows = np.arange(len(file), dtype=np.int64)
    return own_values(tc.Microdata.of(file, **roles), tc.Microdata.of(masked), rows)


@pytest.mark.parametrize("draw", [numbers, health, survey], ids=lambda d: d.__name__)
def test_records_of_other_people_are_called_so(draw) -> None:
    ours, theirs = draws_of(draw, 2)
    said = found(ours, theirs)
    assert set(said.others) == set(ours)
    assert said.most < 0.05
    assert said.units == N
    assert not said.seen
    assert f"for {N} people" in said.sentence
    (row,) = own_rows(said)
    assert row.name == "values_of_others"


def test_a_column_of_ones_own_is_named_with_what_it_depends_on() -> None:
    ours, theirs = draws_of(health, 2)
    said = found(ours, theirs.assign(weight=ours["weight"]))
    assert "weight" not in said.others
    assert "weight" in said.depends["weight"]
    assert set(said.others) == set(ours) - {"weight"}
    assert said.seen


def noise(spreads: float) -> np.ndarray:
    return spreads * 11 * np.random.default_rng(9).normal(size=N)


@pytest.mark.parametrize(
    "changed",
    [
        lambda own, _: -2.54 * (own + noise(2.5)) + 7,  # other units, another sign
        lambda own, _: (own - own.median()).abs() + noise(1.0),  # folded
        lambda own, other: other.where(own > own.quantile(0.05)),  # gaps tell
        lambda own, _: (own // 10).map({k: (7 * k) % 11 for k in range(30)}),  # codes
    ],
    ids=["units", "folded", "gaps", "codes"],
)
def test_other_forms_do_not_hide_a_column_of_ones_own(changed) -> None:
    ours, theirs = draws_of(health, 2)
    said = found(ours, theirs.assign(weight=changed(ours["weight"], theirs["weight"])))
    assert "weight" in said.depends.get("weight", ())


def test_equal_values_tell_where_no_class_does() -> None:
    """Every tenth person keeps a number that nearly nobody else has."""
    rng = np.random.default_rng(4)
    file = pd.DataFrame({"a": rng.integers(0, 500, N), "b": rng.normal(size=N)})
    masked = permuted(file, rng)
    masked.loc[::10, "a"] = file["a"][::10]
    assert "a" in found(file, masked).depends["a"]
    assert "a" in found(file, permuted(file, rng)).others


def test_rows_that_kept_a_little_of_everything_are_seen_together() -> None:
    """No single column shows what all of them do, even where nearly all people are others."""
    rng = np.random.default_rng(2)
    for draw, people, kept in ((census, N, N // 20), (survey, 3000, 80)):
        ours = draws_of(draw, 1, n=people)[0]
        masked = permuted(ours, rng)
        some = rng.permutation(people)[:kept]
        masked.loc[some] = ours.loc[some]
        assert found(ours, masked).others == ()


def test_too_few_people_show_nothing() -> None:
    ours, theirs = draws_of(survey, 2, n=40)
    said = found(ours, theirs)
    assert said.others == ()
    assert set(said.depends) == set(ours)
    # and what was not shown may be told by anything
    assert said.told_by("sex", ["age"])


def test_a_constant_says_nothing_of_anybody() -> None:
    ours, theirs = draws_of(survey, 2, n=40)
    assert found(ours, theirs.assign(sex="?")).others == ("sex",)


def test_the_limit_holds_for_those_who_kept_their_values() -> None:
    """`most` is above the true share in nearly all files."""
    above = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        ours, _ = draws_of(health, 2, seed=seed)
        masked = permuted(ours, rng)
        some = rng.permutation(N)[:12]
        masked.loc[some] = ours.loc[some]
        said = found(ours, masked)
        above += not said.others or said.most >= 0.04
    assert above >= 7


def test_everybody_in_another_order_is_a_copy_and_no_other_people() -> None:
    ours, _ = draws_of(health, 2)
    mixed = ours.sample(frac=1, random_state=3).reset_index(drop=True)
    said = found(ours, mixed)
    assert said.copied
    assert said.others == ()
    (row,) = own_rows(said)
    assert (row.name, row.standing, row.why) == ("alignment", "not computed", COPIES)


def test_people_who_are_alike_make_no_copy() -> None:
    """Each record stands several times; permuted, hardly any does."""
    rng = np.random.default_rng(6)
    kinds, _ = draws_of(health, 2, n=100)
    file = kinds.loc[rng.integers(0, 100, N)].reset_index(drop=True)
    said = found(file, permuted(file, rng))
    assert not said.copied
    assert set(said.others) == set(file)


def test_one_row_of_each_household_is_compared_and_how_many_rows_it_has() -> None:
    rng = np.random.default_rng(3)
    file = households(900, rng).reset_index(drop=True)
    masked = permuted(file, rng).assign(household=file["household"])
    roles = {"household": ["household"]}
    size = tc.Microdata.of(file, **roles)
    rows = np.arange(len(file), dtype=np.int64)
    said = own_values(size, tc.Microdata.of(masked, **roles), rows)
    assert said.units == file["household"].nunique() < len(file)
    assert "rows of a household" in said.depends["rows of a household"]
    assert "household" not in (*said.others, *said.depends)


def test_the_order_of_the_file_does_not_matter() -> None:
    for draw in (numbers, health, survey):
        both = draws_of(draw, 2, n=150)
        mixed = np.random.default_rng(0).permutation(150)
        same = found(*(file.loc[mixed].reset_index(drop=True) for file in both))
        assert same == found(*both)


def test_who_was_not_released_is_not_compared() -> None:
    ours, theirs = draws_of(health, 2)
    rows = np.arange(N, dtype=np.int64)
    rows[::2] = -1
    said = own_values(tc.Microdata.of(ours), tc.Microdata.of(theirs), rows)
    assert said.units == N // 2
