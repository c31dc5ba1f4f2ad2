"""Kinds of columns, and the scale on which each is computed with."""

import pyarrow as pa

import tacit as tc
from tacit.data.schema import SCALES, Kind


def test_every_kind_has_a_scale_of_three() -> None:
    assert set(SCALES) == set(Kind)
    assert set(SCALES.values()) == {Kind.continuous, Kind.ordinal, Kind.nominal}


def test_a_count_is_computed_with_as_a_number_and_a_code_as_a_category() -> None:
    table = pa.table({"visits": [3, 1, 2, 5], "icd": [10, 20, 30, 10]})
    data = tc.Microdata.of(table, count=["visits"], code=["icd"])
    assert data.column("visits").tolist() == [3, 1, 2, 5]
    assert data.column("icd").tolist() == [0, 1, 2, 0]
    assert data.schema.names(scale="continuous") == ["visits"]
    assert data.schema.names(kind="continuous") == []
