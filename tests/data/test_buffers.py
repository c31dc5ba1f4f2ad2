"""Arrow arrays by their buffers are those that pyarrow makes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.buffers import array_of, floats_of, listed

FLOATS = st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=40)


@given(FLOATS, st.integers(0, 9), st.integers(0, 9))
def test_floats_of_any_slice(values: list[float | None], skip: int, short: int) -> None:
    """Offsets that do not fall on a byte of the bitmap are the hard case."""
    array = pa.array(values, pa.float64())[skip : len(values) - short]
    expected = [np.nan if v is None else v for v in array.to_pylist()]
    np.testing.assert_array_equal(floats_of(array), np.array(expected, float))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint16"])
@given(st.lists(st.tuples(st.integers(0, 99), st.booleans()), max_size=40))
def test_array_of_numbers(dtype: str, cells: list[tuple[int, bool]]) -> None:
    """Type, values and nulls."""
    numbers = np.array([number for number, _ in cells], dtype)
    absent = np.array([gone for _, gone in cells], bool)
    array = array_of(numbers, absent)
    array.validate(full=True)
    assert array.equals(pa.array(numbers, mask=absent))


def test_an_array_does_not_follow_the_numbers_it_was_made_of() -> None:
    """They are copied."""
    numbers = np.zeros(3)
    array = array_of(numbers)
    numbers[:] = 1
    assert array.to_pylist() == [0, 0, 0]


def test_strided_numbers() -> None:
    """A column of a table of numbers."""
    table = np.arange(6.0).reshape(3, 2)
    assert array_of(table[:, 1]).to_pylist() == [1, 3, 5]


@given(st.lists(st.text(max_size=6), max_size=20))
def test_listed_text(values: list[str]) -> None:
    """Letters of every language; surrogates cannot be written anywhere."""
    values = [v.encode("utf-8", "ignore").decode() for v in values]
    array = listed(values, pa.string())
    array.validate(full=True)
    assert array.equals(pa.array(values, pa.string()))


def test_listed_other_types() -> None:
    """Left to pyarrow."""
    assert listed([1, None], pa.int8()).equals(pa.array([1, None], pa.int8()))
    assert listed(["a", None], pa.string()).to_pylist() == ["a", None]
