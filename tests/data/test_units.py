"""Persons and households: who is one unit, what stands at whose level, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.base.errors import InputError
from tacit.data.fill_in import as_read, filled
from tacit.data.microdata import Microdata
from tacit.data.units import (
    Units,
    check,
    household_columns,
    households,
    levels,
    person_columns,
    persons,
    require_level,
)

SURVEY = {
    "hid": [10, 10, 20, 20, 30],
    "person": ["a", "b", "c", "d", "e"],
    "region": ["n", "n", "s", "s", "n"],
    "age": [40, 3, 50, 51, 60],
}


def _survey(**changes: list[object]) -> Microdata:
    return Microdata.of(SURVEY | changes, household="hid", person="person")


def test_without_roles_every_record_is_a_unit() -> None:
    data = Microdata.of({"age": [1.0, 2.0, 2.0]})
    units = persons(data)
    assert (units.word, units.number, units.single) == ("record", 3, True)
    assert households(data) is None
    assert person_columns(data) == household_columns(data) == []


def test_a_person_has_all_rows_of_his_number() -> None:
    data = Microdata.of({"id": ["b", "a", "b"], "x": [1.0, 2.0, 3.0]}, person="id")
    units = persons(data)
    assert units.labels.tolist() == [1, 0, 1]
    assert units.rows(1).tolist() == [0, 2]
    assert units.any(np.array([True, False, False])).tolist() == [False, True]
    assert units.take(np.array([0, 2])).number == 1


def test_two_columns_name_a_person_together() -> None:
    data = Microdata.of({"a": [1, 1, 2], "b": [1, 2, 1]}, person=["a", "b"])
    assert persons(data).number == 3


def test_rows_without_a_household_live_alone() -> None:
    data = Microdata.of(
        {"hid": [1.0, 1.0, None, None, None], "p": [1, 2, 3, 4, 4]},
        household="hid",
        person="p",
    )
    homes = households(data)
    assert homes is not None
    # the last two rows are two years of one person
    assert homes.number == 3
    assert sorted(homes.sizes.tolist()) == [1, 2, 2]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0, np.nan])), max_size=30
    )
)
def test_shared_is_the_only_known_value(cells: list[tuple[int, float]]) -> None:
    raw = np.array([label for label, _ in cells], dtype=np.int64)
    values = np.array([value for _, value in cells])
    units = Units("person", np.unique(raw, return_inverse=True)[1])
    shared, split = units.shared(values), units.split(values)
    for unit in range(units.number):
        known = {value for value in values[units.rows(unit)] if not np.isnan(value)}
        assert split[unit] == (len(known) > 1)
        if len(known) == 1:
            assert shared[unit] == known.pop()
        else:
            assert np.isnan(shared[unit])


def test_household_and_person_columns_are_found() -> None:
    panel = Microdata.of(
        {
            "hid": [1, 1, 1, 2, 2, 2],
            "id": [1, 1, 2, 3, 3, 4],
            "region": ["n", "n", None, "s", "s", "s"],
            "sex": ["f", "f", "m", "m", "m", "f"],
            "wage": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        },
        household="hid",
        person="id",
    )
    assert household_columns(panel) == ["region"]
    assert person_columns(panel) == ["region", "sex"]


def test_one_slip_does_not_hide_a_level_and_a_rare_value_makes_none() -> None:
    rng = np.random.default_rng(1)
    home = np.repeat(np.arange(200), 3)
    region = np.repeat(rng.integers(0, 8, 200), 3)
    region[0] = region[1] + 1
    rare = (rng.random(600) < 0.01).astype(int)
    data = Microdata.of(
        {"hid": home, "region": region, "rare": rare},
        household="hid",
        nominal=["region", "rare"],
    )
    homes = households(data)
    assert homes is not None
    assert levels(data, homes) == ["region"]
    assert levels(data, homes, slips=0) == []


def test_gaps_in_the_person_are_refused_by_row() -> None:
    with pytest.raises(
        InputError, match="column 'person', row 3: the person is missing"
    ):
        check(_survey(person=["a", "b", None, "d", "e"]))


def test_a_person_in_two_households_is_refused_by_row() -> None:
    check(_survey())
    with pytest.raises(
        InputError, match="row 3: person a is in household 20 here and in 10"
    ):
        check(_survey(person=["a", "b", "a", "d", "e"]))


def test_members_who_disagree_on_a_declared_column_are_refused_by_row() -> None:
    data = _survey(region=["n", "n", "s", "w", "n"])
    homes = households(data)
    assert homes is not None
    with pytest.raises(
        InputError, match="column 'region', row 4: w here and s in row 3"
    ):
        require_level(data, homes, ["region"])
    require_level(_survey(), homes, ["region"])


def test_a_reader_fills_in_from_relatives_and_other_years() -> None:
    original = Microdata.of(
        {
            "hid": [1, 1, 1, 2, 2, 2],
            "id": [1, 1, 2, 3, 3, 4],
            "region": ["n", "n", "n", "s", "s", "s"],
            "sex": ["f", "f", "m", "m", "m", "f"],
            "wage": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        },
        household="hid",
        person="id",
    )
    gaps = original.with_column("region", [None, None, "n", None, None, None])
    gaps = gaps.with_column("sex", ["f", None, None, "m", "m", "f"])
    gaps = gaps.with_column("wage", [1.0, None, 3.0, 4.0, 5.0, 6.0])
    read = filled(gaps, original)
    assert read.counts() == {"region": 2, "sex": 1}
    assert read.number == 3
    assert read.data.table["region"].to_pylist() == ["n"] * 3 + [None] * 3
    assert read.data.table["sex"].to_pylist() == ["f", "f", None, "m", "m", "f"]
    # a release without the numbers gives nothing away by them
    assert filled(gaps.drop(["hid", "id"]), original).number == 0


def test_an_age_is_read_off_another_year() -> None:
    table = {
        "id": [1, 1, 1, 2, 2, 3],
        "year": [2001, 2002, 2003, 2001, 2002, 2001],
        "age": [30, 31, 32, 50, 51, 40],
    }
    for kind in ("continuous", "nominal"):
        original = Microdata.of(table, person="id", **{kind: ["age"]})
        gaps = original.with_column("age", [None, 31, None, None, None, 40])
        gaps = gaps.with_schema(original.schema)
        read = filled(gaps, original)
        assert read.counts() == {"age": 2}
        assert read.data.table["age"].to_pylist() == [30, 31, 32, None, None, 40]


def test_what_was_read_beside_one_original_is_not_taken_for_another():
    """The last reading is kept; another original, which knows more of the columns, asks anew."""
    release = Microdata.of({"hid": [1, 1, 2, 2], "a": ["n", None, "s", "s"]})
    release = release.with_schema(release.schema.set(household="hid"))
    split = Microdata.of(
        {"hid": [1, 1, 2, 2], "a": ["n", "s", "s", "n"]}, household="hid"
    )
    level = Microdata.of(
        {"hid": [1, 1, 2, 2], "a": ["n", "n", "s", "s"]}, household="hid"
    )
    assert as_read(release, split) is release
    read = as_read(release, level)
    assert read.table["a"].to_pylist() == ["n", "n", "s", "s"]
    assert as_read(release, level) is read
    assert as_read(release, split) is release
