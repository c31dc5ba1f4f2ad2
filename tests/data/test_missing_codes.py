"""Missing codes: gaps for everything that computes, and the same codes in the release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.missing import Missing
from tacit.data.pair import Pair
from tacit.data.schema import Schema

SCHEMA = Schema.from_toml(
    """
[columns.income]
missing = [9, "-", [97, 99]]
suppressed = 96
[columns.income.labels]
97 = "refused"
"""
)
INCOME = ["10", "-", "99", None, "98", "30", "9"]


def _numbers(data: tc.Microdata) -> list[float | None]:
    return [None if np.isnan(x) else float(x) for x in data.column("income")]


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_codes_are_gaps_in_every_frame(make: object) -> None:
    frame = make({"income": INCOME, "age": range(7)})  # type: ignore[operator]
    data = tc.Microdata.of(frame, SCHEMA)
    assert _numbers(data) == [10, None, None, None, None, 30, None]
    assert data.schema["income"].scale == "continuous"
    # nothing was done to it: nothing changes
    written = data.written().column("income").to_pylist()
    assert written == INCOME


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_codes_come_back_and_suppressed_cells_have_their_own(make: object) -> None:
    frame = make({"income": INCOME, "age": range(7)})  # type: ignore[operator]
    data = tc.Microdata.of(frame, SCHEMA)
    values = np.array([[20.0], *[[np.nan]] * 6])
    masked = data.with_numbers(["income"], values)
    # the second number was suppressed; the gap without a code stays one
    expected = ["20", "-", "99", None, "98", "96", "9"]
    assert masked.written().column("income").to_pylist() == expected
    native = masked.to_native()
    column = list(native["income"])
    if isinstance(native, pa.Table):
        column = native["income"].to_pylist()
    assert [None if x is None or x != x else x for x in column] == expected


def test_rows_that_are_taken_keep_their_own_codes() -> None:
    data = tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA)
    masked = data.with_numbers(["income"], data.numbers(["income"]) + 1)
    some = masked.take([6, 0, 2])
    assert some.written().column("income").to_pylist() == ["9", "11", "99"]


def test_a_masked_value_is_never_a_code() -> None:
    data = tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA)
    values = [[9.0], [np.nan], [np.nan], [np.nan], [np.nan], [98.2], [np.nan]]
    masked = data.with_numbers(["income"], values)
    written = masked.written().column("income").to_pylist()
    assert written[0] == "8"
    # 96 to 99 are codes, with the one for suppression
    assert written[5] == "100"


@given(
    st.lists(st.integers(-50, 150), min_size=1, max_size=30),
    st.lists(st.integers(0, 99), max_size=5),
    st.tuples(st.integers(0, 50), st.integers(50, 99)),
)
def test_avoided_numbers_are_no_codes_and_equal_ones_stay_equal(
    numbers: list[int], codes: list[int], span: tuple[int, int]
) -> None:
    missing = Missing(tuple(codes), (span,))
    known = np.arange(10.0)
    array = np.array(numbers, dtype=float)
    out = missing.avoided(array, known)
    assert not any(missing.holds(value) for value in out.tolist())
    for value in np.unique(array):
        assert len(np.unique(out[array == value])) == 1
    free = np.array([not missing.holds(value) for value in array.tolist()])
    assert np.array_equal(out[free], array[free])


def test_decimals_step_by_their_own_unit() -> None:
    out = Missing((9,)).avoided(np.array([9.0, 8.9]), np.array([1.5, 2.2]))
    assert np.allclose(out, [8.9, 8.9])


def test_methods_and_files_see_gaps(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 60).astype(float)
    income = np.round(rng.uniform(10, 60, 60))
    income[[3, 7]] = 99
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    pd.DataFrame({"age": age, "income": income.astype(int)}).to_csv(path, index=False)
    schema = Schema.from_toml("[columns.income]\nmissing = [99]\n")
    data = tc.read(path, schema)
    masked = tc.protect.Noise(percent=10, random_state=1).fit_transform(data)
    assert masked.missing("income").sum() == 2
    tc.write(masked, out)
    released = pd.read_csv(out)["income"]
    assert (released == 99).sum() == 2
    assert list(np.flatnonzero(released == 99)) == [3, 7]
    # the mean that a method learns knows nothing of 99
    assert np.nanmax(masked.column("income")) < 99


def test_the_masked_file_is_read_with_the_codes_of_the_original(tmp_path: Path) -> None:
    original = tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA)
    masked = pa.table({"income": ["11", "-", "99", None, "98", "31", "9"]})
    pair = Pair.of(original, masked)
    _, z = pair.numbers(["income"])
    assert np.isnan(z).sum() == 5
    assert pair.incomparable == []


def test_a_method_that_moves_values_forgets_codes() -> None:
    data = tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA)
    plain = data.with_plain_gaps(["income"])
    masked = plain.with_numbers(["income"], plain.numbers(["income"]))
    assert masked.written().column("income").null_count == 5


def test_codes_in_a_file_with_decimal_commas(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("age;income\n30;1,5\n40;-\n50;2,5\n")
    data = tc.read(path, Schema.from_toml('[columns.income]\nmissing = ["-"]\n'))
    assert _numbers(data) == [1.5, None, 2.5]
    masked = data.with_numbers(["income"], data.numbers(["income"]) + 1)
    tc.write(masked, out)
    assert out.read_text() == "age;income\n30;2,5\n40;-\n50;3,5\n"


def test_the_schema_file_keeps_codes_and_labels() -> None:
    data = tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA)
    again = Schema.from_toml(data.schema.to_toml())
    assert again == data.schema
    assert again["income"].description.labels == {"97": "refused"}


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ("[[99, 97]]", "lower number"),
        ("[[1, 2, 3]]", "two numbers"),
        ("[true]", "neither a number nor text"),
        ("[nan]", "finite"),
        ("{a = 1}", "list of codes"),
    ],
)
def test_a_wrong_declaration_is_one_sentence(missing: str, says: str) -> None:
    with pytest.raises(tc.TacitError, match=says) as caught:
        Schema.from_toml(f"[columns.income]\nmissing = {missing}\n", source="s.toml")
    assert "s.toml" in str(caught.value)
    assert "'income'" in str(caught.value)


def test_an_unknown_code_is_named_by_row() -> None:
    schema = Schema.from_toml(
        '[columns.income]\nkind = "continuous"\nmissing = ["-"]\n'
    )
    data = tc.Microdata.of(pa.table({"income": ["1", "-", "refused", "2"]}), schema)
    with pytest.raises(tc.TacitError, match=r"row 3.*missing code"):
        data.column("income")
    declared = Schema.from_toml(
        '[columns.answer]\nkind = "ordinal"\ncategories = [1, 2]\nmissing = [9]\n'
    )
    data = tc.Microdata.of(pa.table({"answer": [1, 2, 9, 8]}), declared)
    with pytest.raises(tc.TacitError, match=r"row 4.*missing code"):
        data.column("answer")


def test_labels_of_missing_codes_do_not_make_a_column_nominal() -> None:
    schema = Schema.from_toml(
        "[columns.x]\nmissing = [97]\n[columns.x.labels]\n97 = 'refused'\n"
    )
    values = [*range(50), *range(50), 97]
    assert tc.Microdata.of(pa.table({"x": values}), schema).schema["x"].kind in (
        "continuous",
        "count",
    )


def test_a_large_file_with_missing_codes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    tc.write(tc.Microdata.of(pa.table({"income": INCOME}), SCHEMA), path)
    with pytest.raises(tc.TacitError, match="'income' has missing codes"):
        tc.scale.protect(path, tmp_path / "b.parquet", method="microaggregation")
