"""Copies with a little noise are found; other people's records, equal by chance, are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from assess.false_alarms import (
    amounts,
    answers,
    codes,
    draws_of,
    health,
    mostly_zero,
    permuted,
)
from tacit.assess.contents import look
from tacit.assess.near_copies import near_copies

FEW_VALUES = [answers, codes, mostly_zero, amounts]


def share(file: pd.DataFrame, released: pd.DataFrame, **roles: list[str]) -> float:
    data = tc.Microdata.of(file, **roles)
    return near_copies(data, tc.Microdata.of(released))


def shaken(file: pd.DataFrame, percent: float, seed: int = 2) -> pd.DataFrame:
    """Records drawn with putting back; noise in percent of each column's spread."""
    rng = np.random.default_rng(seed)
    drawn = file.sample(len(file), replace=True, random_state=seed).select_dtypes(
        "number"
    )
    noise = rng.normal(size=drawn.shape) * file[drawn.columns].std().to_numpy()
    return (drawn + noise * percent / 100).reset_index(drop=True)


@pytest.mark.parametrize("draw", FEW_VALUES, ids=lambda d: d.__name__)
def test_records_that_are_equal_by_chance_are_no_copies(draw) -> None:
    """Where values are few, other people's records equal some original ones."""
    ours, theirs = draws_of(draw, 2, n=1500 if draw is answers else 300)
    assert share(ours, theirs) == 0.0
    assert share(ours, permuted(ours, np.random.default_rng(3))) == 0.0
    # beside a measurement nothing is equal by chance, and the copies stand out
    assert share(ours, shaken(ours, 0.0)) > 0.2


@pytest.mark.parametrize("draw", [answers, health], ids=lambda d: d.__name__)
def test_a_little_noise_hides_no_copy(draw) -> None:
    ours, _ = draws_of(draw, 2)
    assert share(ours, shaken(ours, 1.0)) > 0.8


def test_rows_of_one_person_do_not_make_copies_look_like_chance() -> None:
    """Who has three equal rows is still one person, and a copy of a row is a copy of the person."""
    ours, _ = draws_of(health, 2, n=100)
    rows = ours.loc[np.repeat(np.arange(100), 3)].reset_index(drop=True)
    file = rows.assign(who=np.repeat(np.arange(100), 3))
    data = tc.Microdata.of(file, person=["who"])
    assert near_copies(data, tc.Microdata.of(shaken(rows, 0.1))) > 0.9
    other = draws_of(health, 2, n=300)[1]
    assert near_copies(data, tc.Microdata.of(other)) == 0.0


def test_many_rows_of_one_person_leave_others_to_be_compared_with() -> None:
    """More rows of a person stand near each other than are looked at: that is no chance."""
    rng = np.random.default_rng(1)
    level = np.repeat(rng.normal(size=(20, 3)) * 100, 30, axis=0)
    file = pd.DataFrame(level + rng.normal(size=level.shape), columns=list("abc"))
    data = tc.Microdata.of(
        file.assign(who=np.repeat(np.arange(20), 30)), person=["who"]
    )
    assert near_copies(data, tc.Microdata.of(shaken(file, 0.001))) > 0.9


def test_what_two_people_share_is_nobodys_copy() -> None:
    """A record that two originals have names neither of them."""
    ours, _ = draws_of(health, 2, n=600)
    twice = ours.loc[np.repeat(np.arange(600), 2)].reset_index(drop=True)
    assert share(twice, shaken(twice, 0.1)) == 0.0
    # but where a tenth has no twin, these are found, although twins look like chance
    some = twice.drop(index=range(0, 240, 2)).reset_index(drop=True)
    assert 0.05 < share(some, shaken(some, 0.1)) < 0.2
    files = tc.Microdata.of(some), tc.Microdata.of(some.sample(frac=1, random_state=1))
    assert 0.05 < look(*files, np.arange(len(some))).raw_records < 0.2


def test_one_in_a_hundred_is_found_among_other_people() -> None:
    ours, theirs = draws_of(health, 2, n=1000)
    numbers = theirs.select_dtypes("number")
    numbers.loc[:29] = ours.loc[:29, numbers.columns]
    assert 0.025 < share(ours, numbers) < 0.035


def test_too_little_to_compare_is_no_copy() -> None:
    ours, _ = draws_of(health, 2)
    assert share(ours[["age"]], ours[["age"]]) == 0.0
    assert share(ours[["sex", "smokes"]], ours[["sex", "smokes"]]) == 0.0
    assert share(ours.head(2), ours.head(2)) == 0.0
