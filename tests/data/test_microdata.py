"""Microdata and schemas: what goes in comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import tacit as tc
from tacit.data.microdata import Kind, Microdata, Role, Schema


def _frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "f": [1.5, np.nan, 3.0],
            "f32": np.array([1, 2, 3], dtype=np.float32),
            "i8": np.array([1, 2, 3], dtype=np.int8),
            "I": pd.array([1, None, 3], dtype="Int64"),
            "s": ["b", None, "a"],
            "c": pd.Categorical(["u", "v", "u"], categories=["v", "u", "unused"]),
            "b": [True, False, True],
            "d": pd.to_datetime(["2020-01-02", "2020-01-01", None]),
        },
        index=[7, 5, 6],
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda f: f,
        pl.from_pandas,
        lambda f: pa.Table.from_pandas(f, preserve_index=False),
    ],
)
def test_round_trip_keeps_everything(make: Any) -> None:
    given = make(_frame())
    data = Microdata.of(given)
    back = data.with_numbers(data.names, data.numbers()).to_native()
    if isinstance(given, pd.DataFrame):
        pd.testing.assert_frame_equal(back, given)
    elif isinstance(given, pl.DataFrame):
        assert_frame_equal(back, given)
    else:
        assert back.schema == given.schema
        assert back.to_pylist() == given.to_pylist()


def test_column_labels_that_are_not_text_come_back() -> None:
    frame = pd.DataFrame({0: [1.0, 2.0], ("a", 1): [3.0, 4.0]})
    data = Microdata.of(frame)
    assert data.with_numbers(
        data.names, data.numbers() + 1
    ).to_native().columns.tolist() == [0, ("a", 1)]


def test_integers_are_rounded_and_clipped() -> None:
    data = Microdata.of(pd.DataFrame({"i": np.array([1, 2, 3], dtype=np.int8)}))
    back = data.with_numbers(["i"], [[1.6], [500.0], [-500.0]]).to_native()
    assert back["i"].tolist() == [2, 127, -128]
    assert back["i"].dtype == np.int8


def test_roles_are_inferred_with_a_reason() -> None:
    rng = np.random.default_rng(0)
    n = 200
    schema = Microdata.of(
        {
            "person_id": np.arange(n),
            "note": [f"text {i}" for i in range(n)],
            "sampling_weight": np.full(n, 100),
            "hid": np.arange(n) // 3,
            "sex": rng.integers(1, 3, n),
            "weight": rng.normal(70, 10, n),
        }
    ).schema
    roles = {column.name: str(column.role) for column in schema}
    assert roles == {
        "person_id": "identifier",
        "note": "identifier",
        "sampling_weight": "weight",
        "hid": "household",
        "sex": "quasi",
        # a body weight is more likely than not, and quasi never hides a risk
        "weight": "quasi",
    }
    assert schema["sex"].kind is Kind.nominal
    assert all(column.why for column in schema)


def test_stated_quasi_replace_guessed_ones() -> None:
    schema = Microdata.of({"a": [1.0], "b": [2.0], "c": [3.0]}).schema.set(
        quasi=["b"], confidential="c"
    )
    assert [str(c.role) for c in schema] == ["other", "quasi", "confidential"]
    with pytest.raises(tc.errors.ColumnError, match="no column 'z'"):
        schema.set(quasi=["z"])


def test_schema_file_round_trip_and_order_of_categories() -> None:
    text = """
[columns.size]
kind = "ordinal"
role = "quasi"
categories = ["small", "medium", "large"]
"""
    schema = Schema.from_toml(text)
    data = Microdata.of({"size": ["large", "small", None, "medium"]}, schema)
    assert np.array_equal(data.column("size"), [2, 0, np.nan, 1], equal_nan=True)
    assert Schema.from_toml(data.schema.to_toml()) == data.schema
    assert data.schema["size"].role is Role.quasi
    with pytest.raises(tc.errors.InputError, match="row 1: the value 'huge'"):
        Microdata.of({"size": ["huge"]}, schema).column("size")


def test_codes_do_not_depend_on_row_order() -> None:
    a = Microdata.of({"x": ["b", "a", "c", "a"]})
    b = Microdata.of({"x": ["c", "a", "a", "b"]})
    assert a.categories("x") == b.categories("x") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (np.zeros(3), "2-d"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "two columns are named 'a'|a name of its own",
        ),
        ("text", "not a table"),
        (np.array([["a", "b"]]), "not numeric"),
    ],
)
def test_what_is_not_a_table_is_refused(data: Any, sentence: str) -> None:
    with pytest.raises(tc.errors.InputError, match=sentence):
        Microdata.of(data)
