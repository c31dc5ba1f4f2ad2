"""Persons and households of a file on the disk are those of the same file in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.base.errors import InputError
from tacit.data import io, units
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Microdata, Schema
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.number_files import ArrayNumbers
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.protect import file_parts

N = 600


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 100)


def both(
    table: pa.Table, folder: Path, schema: Schema | None = None, **roles: Any
) -> tuple[Microdata, OnDisk]:
    path = folder / "in.parquet"
    pq.write_table(table, path, row_group_size=170)
    return io.read(path, schema, **roles), OnDisk.open(path, folder, schema, **roles)


def ids(kind: str, number: np.ndarray[Any, Any]) -> Any:
    """The same people, as whatever a file calls them."""
    if kind == "text":
        return [f"p{i}" for i in number]
    if kind == "long text":
        return [f"{'é' * (i % 3)}person number {i * 7 % 101:07d}/{i}" for i in number]
    if kind == "gaps":
        return pa.array([None if i % 7 == 0 else float(i) for i in number])
    if kind == "text with gaps":
        return pa.array([None if i % 7 == 0 else f"h{i}" for i in number])
    if kind == "dictionary":
        return pa.array([f"p{i}" for i in number]).dictionary_encode()
    if kind == "below zero":
        return number * (2**53 + 1) - 2**60
    return number


KINDS = ["number", "text", "long text", "dictionary", "below zero"]


def same(disk: units.Units | None, memory: units.Units | None) -> None:
    assert isinstance(disk, UnitsOnDisk)
    assert memory is not None
    assert disk.word == memory.word
    assert disk.number == memory.number
    assert disk.single == memory.single
    assert disk.largest == memory.largest
    assert np.array_equal(disk.labels, memory.labels)
    found = disk.numbers
    assert np.array_equal(found.rows.read(0, found.n), memory.order)
    first = memory.order[memory.starts]
    assert np.array_equal(found.firsts().read(0, memory.number), first)
    size, number = np.unique(memory.sizes, return_counts=True)
    assert found.sizes == dict(zip(size.tolist(), number.tolist(), strict=True))


@pytest.mark.few(6)
@pytest.mark.parametrize("nominal", [True, False])
@pytest.mark.parametrize("sorted_file", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_units_are_numbered_as_in_memory(
    kind: str, sorted_file: bool, nominal: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    person = rng.integers(0, 220, N)
    if sorted_file:
        person = np.sort(person)
    table = pa.table(
        {"who": ids(kind, person), "home": ids(kind, person // 3), "x": rng.random(N)}
    )
    roles: dict[str, Any] = {"person": "who", "household": "home"}
    if nominal and kind == "number":
        roles["nominal"] = ["who", "home"]
    memory, disk = both(table, tmp_path, **roles)
    same(units.persons(disk), units.persons(memory))
    same(units.households(disk), units.households(memory))
    units.check(disk)
    assert file_parts.has_units(disk)


@pytest.mark.parametrize("persons", [True, False])
@pytest.mark.parametrize("kind", ["gaps", "text with gaps"])
def test_who_has_no_household_lives_alone(
    kind: str, persons: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    person = rng.integers(0, 200, N)
    table = pa.table(
        {
            "who": person,
            "street": ids(kind, person // 5),
            "house": ids(kind, person // 11),
            "x": rng.random(N),
        }
    )
    roles = {"household": ["street", "house"]} | ({"person": "who"} if persons else {})
    memory, disk = both(table, tmp_path, **roles)
    same(units.households(disk), units.households(memory))


def test_a_person_may_have_several_numbers_and_declared_ones(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    land = rng.choice(["b", "a", "c"], N)
    table = pa.table({"land": land, "who": rng.integers(0, 60, N), "x": rng.random(N)})
    schema = Schema(
        (Column.from_entry("land", {"kind": "nominal", "categories": ["c", "a", "b"]}),)
    )
    memory, disk = both(table, tmp_path, schema, person=["land", "who"])
    same(units.persons(disk), units.persons(memory))


@pytest.mark.parametrize("bad", [None, "", "  "])
def test_a_missing_person_is_refused_in_the_same_words(
    bad: str | None, tmp_path: Path
) -> None:
    who = [f"p{i // 2}" for i in range(N)]
    table = pa.table(
        {"who": pa.array([*who[:333], bad, *who[334:]]), "x": np.arange(N) * 1.5}
    )
    said = []
    for data in both(table, tmp_path, person="who"):
        with pytest.raises(InputError, match="row 334") as error:
            units.persons(data)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_a_person_in_two_households_is_refused_in_the_same_words(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(6)
    person = rng.permutation(np.repeat(np.arange(N // 4), 4))
    home = person // 2
    home[[411, 500]] = 7
    table = pa.table({"who": person, "home": ids("text", home), "x": rng.random(N)})
    said = []
    for data in both(table, tmp_path, person="who", household="home"):
        with pytest.raises(InputError, match="is in household") as error:
            units.check(data)
        said.append(str(error.value))
    assert said[0] == said[1]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 1, 4, 12, 40, 200]))
def test_the_levels_of_columns_are_those_of_memory(seed: int, slips: int) -> None:
    """With slips around the limit of one unit in twenty, and columns that chance makes equal."""
    import tempfile

    rng = np.random.default_rng(seed)
    person = rng.permutation(np.repeat(np.arange(N // 4), 4))
    names = rng.choice(["n", "e", "s"], N // 4)[person]
    number = rng.integers(0, 3, N // 4)[person].astype(float)
    number[rng.choice(N, slips, replace=False)] += 1
    number[rng.random(N) < 0.1] = np.nan
    rare = (rng.random(N) < 0.003).astype(float)
    wage = rng.random(N // 4)[person]
    wage[rng.choice(N, slips // 4, replace=False)] += 1
    table = pa.table(
        {
            "who": ids("text", person),
            "region": names,
            "rooms": number,
            "rare": rare,
            "wage": wage,
            "x": rng.random(N),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        roles = {"person": "who", "continuous": ["rooms", "rare", "wage"]}
        memory, disk = both(table, Path(folder), **roles)
        expected = units.person_columns(memory)
        assert units.person_columns(disk) == expected
        assert "region" in expected
        assert "x" not in expected


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_units_are_cut_where_a_value_slips(seed: int) -> None:
    import tempfile

    rng = np.random.default_rng(seed)
    label = rng.integers(0, 40, 300)
    first, second = (rng.integers(0, 2, 300).astype(float) for _ in range(2))
    first[rng.random(300) < 0.2] = np.nan
    with tempfile.TemporaryDirectory() as folder:
        keys = [ArrayNumbers(label.astype(np.uint64))]
        found = UnitNumbers.of_keys(keys, SpillFolder(Path(folder)))
        gathered = [found.gathered(ArrayNumbers(one)) for one in (first, second)]
        cut = found.refined(gathered)
        # the plain twin: one label for each combination, missing values last
        order = np.column_stack([label, np.nan_to_num(first, nan=np.inf), second])
        _, expected = np.unique(order, axis=0, return_inverse=True)
        assert np.array_equal(cut.labels.read(0, 300), expected)
        assert cut.number == expected.max() + 1
        assert all(cut.constant(cut.gathered(ArrayNumbers(x))) for x in (first, second))
