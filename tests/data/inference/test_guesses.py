"""What columns are guessed to be, one small column at a time."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.column import Column
from tacit.data.inference import infer
from tacit.data.inference.check_digits import iban_holds
from tacit.data.inference.profile import Profile

RNG = np.random.default_rng(16)
N = 200


def guess(name: str, values: Any, label: str = "") -> Column:
    return infer(name, pa.chunked_array([pa.array(values, from_pandas=True)]), label)


def some(*values: Any) -> list[Any]:
    """The values in random order, each several times."""
    return RNG.choice(np.array(values, dtype=object), N).tolist()


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        # codes that another program wrote as broken numbers
        ("marital", [1.0, 2.0, 3.0, 4.0], "nominal"),
        ("smokes", [0.0, 1.0, None], "boolean"),
        ("q7", [1, 2, 3, 4, 5], "ordinal"),
        ("satisfaction", [1, 2, 3, 4], "ordinal"),
        ("region", [1, 2, 3, 4, 5, 6], "nominal"),
        ("kids", [0, 1, 2, 3, 5], "count"),
        ("educ", [8, 9, 12, 16], "count"),
        ("educ", [1, 2, 3, 4], "ordinal"),
        ("x", [-1, 0, 1], "nominal"),
        ("married", ["yes", "no"], "boolean"),
        ("verheiratet", ["ja", "nein"], "boolean"),
        ("marié", ["oui", "non"], "boolean"),
        ("casado", ["sí", "no"], "boolean"),
        ("answer", ["1. No", "2. Yes"], "boolean"),
        ("sex", ["male", "female"], "nominal"),
        ("pain", ["none", "mild", "severe"], "ordinal"),
        ("agegroup", ["18-24", "25-64", "65+"], "ordinal"),
        ("icd", ["I10", "E11.9", "J45", "C50.1", "F32.2"], "code"),
        ("postcode", ["EC1A 1BB", "W1A 0AX", "M1 1AE", "B33 8TH"], "code"),
        ("area", ["01001", "01002", "20095", "80331"], "code"),
    ],
)
def test_kinds_of_few_values(name: str, values: list[Any], kind: str) -> None:
    assert guess(name, some(*values)).kind == kind


def test_order_of_words_and_classes() -> None:
    assert guess("pain", some("severe", "none", "mild")).categories == (
        "none",
        "mild",
        "severe",
    )
    classes = guess("age", some("65+", "18-24", "under 18", "25-64")).categories
    assert classes == ("under 18", "18-24", "25-64", "65+")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("number of cars", "count"),
        ("type of dwelling", "nominal"),
        ("how often do you read", "ordinal"),
        ("state code", "code"),
        ("", "nominal"),
    ],
)
def test_the_label_decides_where_the_name_does_not(label: str, kind: str) -> None:
    assert guess("v17", some(1, 2, 4, 7), label).kind == kind


def test_a_code_is_asked_about_and_never_a_number() -> None:
    column = guess("v17", some(1.0, 2.0, 4.0, 9.0))
    assert (column.kind, column.confidence) == ("nominal", "unsure")
    assert column.ask


@pytest.mark.parametrize(
    "values",
    [
        RNG.permutation(N) + 1,
        (RNG.permutation(N) + 1).astype(float),
        RNG.permutation(N) + 5001,
        RNG.choice(9 * 10**9, N, replace=False) + 10**9,
        [f"p{i}@mail.example.org" for i in range(10)] * 20,
        [f"+49 30 1234{i:04d}" for i in range(10)] * 20,
        [f"https://example.org/{i}" for i in range(10)] * 20,
        [f"{i}.0.0.{i}" for i in range(10, 20)] * 20,
        [f"code {i}" for i in range(N)],
    ],
)
def test_what_tells_people_apart_is_dropped(values: Any) -> None:
    assert guess("v17", values).role == "identifier"


def _iban(account: int) -> str:
    body = f"50010517{account:010d}"
    check = 98 - int(body + "131400") % 97
    return f"DE{check:02d}{body}"


@given(st.integers(0, 10**10 - 1), st.integers(4, 21), st.integers(1, 9))
def test_iban_by_its_check_digits(account: int, place: int, change: int) -> None:
    """Any one wrong figure is noticed: 97 is prime and larger than any change."""
    iban = _iban(account)
    assert iban_holds(iban)
    wrong = str((int(iban[place]) + change) % 10)
    assert not iban_holds(iban[:place] + wrong + iban[place + 1 :])


def test_accounts_that_stand_in_several_rows_are_found() -> None:
    texts = [_iban(int(i)) for i in RNG.integers(0, 10**10, 40)] * 5
    assert "IBAN" in guess("v17", texts).why


def test_national_numbers_by_their_check_digits() -> None:
    pytest.importorskip("stdnum")
    weights = [9, 8, 7, 6, 5, 4, 3, 2]
    numbers: list[int] = []
    while len(numbers) < 60:
        body = [int(d) for d in RNG.integers(1, 10, 8)]
        last = sum(w * d for w, d in zip(weights, body, strict=True)) % 11
        if last < 10:
            numbers.append(int("".join(map(str, [*body, last]))))
    column = guess("v17", numbers * 3)
    assert (column.role, "check digits" in column.why) == ("identifier", True)
    other = [number + 1 for number in numbers] * 3
    assert guess("v17", other).role == "quasi"


def test_numbers_of_persons_stand_in_several_rows() -> None:
    rows = np.repeat(RNG.choice(10_000, 50, replace=False), 4)
    assert guess("patient_id", RNG.permutation(rows)).role == "person"
    assert guess("hid", np.repeat(np.arange(70), 3)).role == "household"
    # few values are codes, whatever the name
    assert guess("PID", some(0, 1, 2, 3, 4, 5, 6)).role == "quasi"
    assert guess("person", some(0, 1)).kind == "boolean"


def test_free_text_is_dropped_until_somebody_gives_it_another_role() -> None:
    notes = [f"visited at home, patient {i} complains of a cough" for i in range(N)]
    column = guess("note", notes)
    assert (column.kind, column.role) == ("text", "identifier")
    data = tc.Microdata.of({"note": notes, "age": RNG.integers(18, 90, N)})
    masked = tc.protect.Noise(columns=["age"], random_state=1).fit_transform(data)
    assert masked.names == ["age"]
    kept = tc.Microdata.of(data, confidential=["note"])
    assert kept.schema["note"].kind == "text"


DAYS = [date(2019, 1, 1) + timedelta(days=int(d)) for d in RNG.integers(0, 700, N)]


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%d%b%Y", "%B %d, %Y"],
)
def test_dates_in_text(form: str) -> None:
    column = guess("visit", [day.strftime(form) for day in DAYS])
    assert (column.kind, column.date_format) == ("date", form)


def test_day_and_month_that_cannot_be_told_apart_are_asked_about() -> None:
    early = [day.replace(day=day.day % 12 + 1) for day in DAYS]
    column = guess("visit", [day.strftime("%d/%m/%Y") for day in early])
    assert (column.kind, column.confidence) == ("nominal", "unsure")
    assert "%d/%m/%Y" in column.ask
    assert "%m/%d/%Y" in column.ask


def test_what_somebody_says_is_sure_and_replaces_a_guess_from_values() -> None:
    data = tc.Microdata.of({"income": RNG.permutation(N) + 1}, continuous=["income"])
    column = data.schema["income"]
    assert (column.kind, column.role, column.ask) == ("continuous", "quasi", "")


def test_arrays_are_numbers() -> None:
    array = RNG.integers(0, 2, (N, 2)).astype(float)
    schema = tc.Microdata.of(array).schema
    assert {column.kind for column in schema} == {"continuous"}
    assert {column.decimals for column in schema} == {None}


def test_schema_files_keep_what_was_guessed_and_asked() -> None:
    data = tc.Microdata.of({"v": some(1.0, 2.0, 4.0), "d": [str(d) for d in DAYS]})
    assert tc.Schema.from_toml(data.schema.to_toml()) == data.schema


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([3, None, -2, 3, 3], pa.int64()),
        ([None, None], pa.int32()),
        ([250, 0, 7, 7], pa.uint8()),
        ([-128, 127, 5], pa.int8()),
        ([2**53, 5, 5], pa.int64()),
        ([0, 10**9, 5], pa.int64()),
        ([2**50 + 5, 2**50 + 4096], pa.uint64()),
    ],
    ids=["gap", "gaps alone", "bytes", "signed bytes", "huge", "far apart", "unsigned"],
)
def test_the_numbers_that_occur_are_those_of_a_sort(
    numbers: list[int | None], kind: pa.DataType
) -> None:
    profile = Profile("x", pa.chunked_array([pa.array(numbers, kind)]))
    there = np.array([float(x) for x in numbers if x is not None])
    assert list(profile.distinct) == np.unique(there).tolist()


def test_a_repeat_after_the_first_records_is_seen() -> None:
    numbers = np.arange(6_000)
    assert Profile("x", pa.chunked_array([pa.array(numbers)])).all_differ
    for place in (50, 3_000, 5_999):
        again = numbers.copy()
        again[place] = 1
        assert not Profile("x", pa.chunked_array([pa.array(again)])).all_differ
