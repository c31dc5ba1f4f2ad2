"""Methods for dates: shift, truncation, age, and cut points."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.protect.age_at import ages_at
from tacit.protect.date_truncation import truncated

ANY_DAY = st.dates(date(1900, 1, 1), date(2100, 1, 1))


def number(day: date) -> float:
    return float((day - date(1970, 1, 1)).days)


def panel(people: int = 60, stays: int = 4, seed: int = 3) -> tc.Microdata:
    rng = np.random.default_rng(seed)
    first = rng.integers(15_000, 18_000, people)
    gaps = rng.integers(1, 400, (people, stays)).cumsum(axis=1)
    entry = (first[:, None] + gaps).ravel()
    frame = pd.DataFrame(
        {
            "id": np.repeat(np.arange(people) + 700, stays),
            "entry": entry.astype("datetime64[D]").astype("datetime64[s]"),
            "left": (entry + rng.integers(1, 9, entry.size))
            .astype("datetime64[D]")
            .astype("datetime64[s]"),
            "sex": np.repeat(rng.choice(["f", "m"], people), stays),
        }
    )
    return tc.Microdata.of(frame, person="id", quasi=["entry", "left", "sex"])


def test_intervals_of_a_person_stay_and_everybody_moves_alone() -> None:
    data = panel()
    moved = tc.protect.DateShift(days=90, random_state=4).fit_transform(data)
    shifts = np.column_stack(
        [moved.days(name) - data.days(name) for name in ("entry", "left")]
    )
    by_person = shifts.reshape(60, -1)
    assert (by_person == by_person[:, :1]).all()
    assert np.abs(by_person).max() <= 90
    # sixty draws of 181 numbers: more than forty differ
    assert len(np.unique(by_person[:, 0])) > 40


def test_shifts_are_uniform() -> None:
    texts = ["2020-01-01"] * 20_000
    data = tc.Microdata.of({"d": texts}, date="d", quasi="d")
    moved = tc.protect.DateShift(days=2, random_state=5).fit_transform(data)
    shifts, counts = np.unique(moved.days("d") - data.days("d"), return_counts=True)
    assert shifts.tolist() == [-2, -1, 0, 1, 2]
    # 4,000 of each of five, and five standard deviations of a binomial: 283
    assert np.abs(counts - 4000).max() < 283


def test_a_key_moves_a_person_alike_in_every_file(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "key"
    path.write_bytes(b"0123456789abcdef\n")
    method = tc.protect.DateShift(days=100, key=f"file:{path}")
    data = panel()
    one = method.fit_transform(data).days("entry") - data.days("entry")
    part = data.take(np.arange(data.n)[::-4])
    two = method.fit_transform(part).days("entry") - part.days("entry")
    assert np.array_equal(one[::-4], two)


def test_text_dates_are_written_as_they_were() -> None:
    data = tc.Microdata.of(
        {"d": ["1/12/2020", None, "25/3/2021"], "id": [1, 1, 2]},
        person="id",
        date="d",
        quasi="d",
    )
    out = tc.protect.DateShift(days=3, random_state=2).fit_transform(data)
    texts = out.to_native()["d"].to_pylist()
    assert texts[1] is None
    assert out.schema["d"].date_format == "%-d/%-m/%Y"
    assert all("/0" not in text for text in texts if text)


@given(ANY_DAY, st.sampled_from([("month", 1), ("quarter", 3), ("year", 12)]))
def test_truncation(day: date, unit: tuple[str, int]) -> None:
    months = unit[1]
    first = day.replace(month=(day.month - 1) // months * months + 1, day=1)
    assert truncated(np.array([number(day), np.nan]), months)[0] == number(first)


@given(ANY_DAY, ANY_DAY)
def test_age_is_the_number_of_birthdays(one: date, other: date) -> None:
    born, at = min(one, other), max(one, other)
    birthdays = 0
    for year in range(born.year + 1, at.year + 1):
        leap_day = (born.month, born.day) == (2, 29)
        leap_year = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        day = (
            date(year, 3, 1) if leap_day and not leap_year else born.replace(year=year)
        )
        birthdays += day <= at
    assert ages_at(np.array([number(born)]), at)[0] == birthdays


def test_ages_are_whole_in_every_frame() -> None:
    frame = pd.DataFrame({"born": pd.to_datetime(["1980-06-01", None, "1990-01-01"])})
    method = tc.protect.AgeAt(at="2020-05-31", width=5, top=30)
    for given_frame in (frame, __import__("polars").from_pandas(frame)):
        ages = list(method.fit_transform(given_frame)["born"])
        assert ages[0] == 30
        assert pd.isna(ages[1])
        assert ages[2] == 30


def test_a_birth_after_the_reference_date_is_named() -> None:
    data = tc.Microdata.of({"born": ["1980-06-01", "2021-01-01"]}, date="born")
    with pytest.raises(
        tc.errors.InputError, match="column 'born', row 2: the date lies"
    ):
        tc.protect.AgeAt(at="2020-01-01").fit_transform(data)
    with pytest.raises(tc.errors.ParameterError, match="is no date"):
        tc.protect.AgeAt(at="soon").fit_transform(data)


def test_what_is_no_date_is_refused() -> None:
    data = tc.Microdata.of({"age": [1.0, 2.0]})
    with pytest.raises(tc.errors.ColumnError, match="there is no date to protect"):
        tc.protect.DateTruncation().fit_transform(data)
    with pytest.raises(tc.errors.ColumnError, match="'age' is continuous"):
        tc.protect.DateTruncation(columns=["age"]).fit_transform(data)


BORN = {"born": ["17/05/1980", "28/11/1991", None, "01/01/2000"]}


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        (
            "label",
            [
                "before 1985-01-01",
                "[1985-01-01, 2000-01-01)",
                None,
                "2000-01-01 and later",
            ],
        ),
        ("midpoint", ["02/07/1977", "02/07/1992", None, "31/12/2004"]),
    ],
)
def test_dates_are_cut_at_iso_dates(show: str, expected: list[str | None]) -> None:
    data = tc.Microdata.of(BORN, date="born")
    if show == "midpoint":
        cuts = ["1970-01-01", "1985-01-01", "2000-01-01", "2010-01-01"]
        method = tc.protect.Recoding(intervals={"born": cuts}, show="midpoint")
        assert method.fit_transform(data).to_native()["born"].to_pylist() == expected
        return
    for cuts in (["1985-01-01", "2000-01-01"], [date(1985, 1, 1), date(2000, 1, 1)]):
        method = tc.protect.Recoding(intervals={"born": cuts}, show=show)
        assert method.fit_transform(data).to_native()["born"].to_pylist() == expected


def test_years_are_no_cut_points_of_dates_nor_dates_of_numbers() -> None:
    data = tc.Microdata.of(BORN, date="born")
    with pytest.raises(tc.errors.ParameterError, match="cannot be cut at 1985; write"):
        tc.protect.Recoding(intervals={"born": [1985, 2000]}).fit_transform(data)
    ages = tc.Microdata.of({"age": [1.0, 2.0]})
    with pytest.raises(tc.errors.ParameterError, match="write cut points as numbers"):
        tc.protect.Recoding(intervals={"age": ["1985-01-01"]}).fit_transform(ages)


def test_a_plan_file_may_hold_dates() -> None:
    plan = tc.Plan.from_toml(
        '[[steps]]\nmethod = "age_at"\nat = 2024-12-31\ncolumns = ["born"]\n'
    )
    data = tc.Microdata.of(BORN, date="born")
    ages = plan.mask(data).to_native()["born"].to_pylist()
    assert ages == [44, 33, None, 24]
    assert tc.Plan.from_toml(plan.to_toml()).steps == plan.steps


def test_an_unknown_code_is_named_by_row() -> None:
    method = tc.protect.Recoding(hierarchies={"icd": {"I10": "I", "E11": "E"}})
    data = tc.Microdata.of({"icd": ["I10", "E11", "X99"]})
    with pytest.raises(tc.errors.ColumnError, match=r"column 'icd', row 3: .*'X99'"):
        method.fit_transform(data)
