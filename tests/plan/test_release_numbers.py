"""Numbers of persons and households do not leave; who belongs together does."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces, row_keys
from tacit.plan.manifest import verify
from tacit.plan.release_numbers import release_numbers

PLAN = tc.Plan((tc.Step("rounding", {"base": 10.0, "columns": ["age"]}, 1),))


@pytest.fixture(scope="module")
def survey() -> tc.Microdata:
    return tc.Microdata.of(
        tc.datasets.make_households(60, seed=2).select(["household", "age", "sex"]),
        household="household",
        quasi=["age"],
        confidential=["sex"],
    )


def partition(values: list[object]) -> set[frozenset[int]]:
    """Which rows have equal values."""
    rows: dict[object, set[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(value, set()).add(row)
    return {frozenset(group) for group in rows.values()}


def test_the_same_households_under_other_numbers(survey: tc.Microdata) -> None:
    old = survey.table["household"].to_pylist()
    new = release_numbers(survey, 7).table["household"].to_pylist()
    assert partition(new) == partition(old)
    assert set(new) == set(range(1, 61))
    # neither the numbers nor their order are those of the office
    assert abs(np.corrcoef(old, new)[0, 1]) < 0.4
    assert release_numbers(survey, 7).table["household"].to_pylist() == new
    assert release_numbers(survey, 8).table["household"].to_pylist() != new


def test_persons_and_households_are_drawn_apart() -> None:
    """Who lives alone has two numbers, and one must not tell the other."""
    who = [f"p{i}" for i in range(40)]
    home = [f"h{i}" for i in range(40)]
    data = tc.Microdata.of({"who": who, "home": home}, person="who", household="home")
    new = release_numbers(data, 1).table
    assert new["who"].to_pylist() != new["home"].to_pylist()


def test_a_gap_stays_a_gap() -> None:
    data = tc.Microdata.of({"who": ["a", None, "b", "a"]}, person="who")
    new = release_numbers(data, 1).table["who"].to_pylist()
    assert new[1] is None
    assert new[0] == new[3] != new[2]


def test_every_face_of_a_plan_gives_release_numbers(
    survey: tc.Microdata, tmp_path: Path
) -> None:
    source, path = tmp_path / "in.csv", tmp_path / "out.csv"
    tc.write(survey, source)
    roles = {"household": "household", "quasi": ["age"], "confidential": ["sex"]}
    old = set(survey.table["household"].to_pylist())
    assert not old & set(PLAN.apply(survey).table["household"].to_pylist())
    for keep_order in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tc.release(PLAN, source, path, keep_order=keep_order, force=True, **roles)
        assert not old & set(tc.read(path).table["household"].to_pylist())
        assert verify(f"{path}.manifest.json")["verified"]
    tc.release(PLAN, source, path, release_as_is=["household"], force=True, **roles)
    assert old == set(tc.read(path).table["household"].to_pylist())


def test_a_release_number_is_not_raw_and_a_number_in_other_units_is(
    survey: tc.Microdata,
) -> None:
    """Nobody knows who has which release number; 7 hid + 3 can be undone."""
    masked = PLAN.apply(survey)
    some = {"attackers": ["nearest"], "risks": [], "losses": [], "truth": "rows"}
    assert "household" not in tc.assess(survey, masked, **some).contents.raw
    numbers = np.array(survey.table["household"].to_pylist())
    again = masked.with_column("household", 7 * numbers + 3)
    assert "household" in tc.assess(survey, again, **some).contents.raw


@pytest.mark.parametrize("units", [40, 1500])
@pytest.mark.parametrize(
    "kind",
    ["numbers", "text", "gaps", "text with gaps", "dates", "hashes", "hashes and gaps"],
)
def test_a_file_on_the_disk_gets_the_numbers_of_memory(
    kind: str, units: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 512)
    # units in several blocks of keys, and in one
    monkeypatch.setattr(row_keys, "BLOCK", 256)
    who = np.random.default_rng(1).integers(0, units, 3000)
    text = [f"person {i}" for i in who]
    column = {
        "numbers": pa.array(who * 3 - 70),
        "text": pa.array(text),
        "gaps": pa.array([None if i % 9 == 0 else float(i) for i in who]),
        "text with gaps": pa.array([None if i[-1] == "4" else i for i in text]),
        "dates": pa.array((who + 4000).astype("M8[D]")),
        # as floats many of them would be one
        "hashes": pa.array((who % 2 * 2**62 + who - 2**61).astype(np.int64)),
        "hashes and gaps": pa.array(
            [None if i % 9 == 0 else 2**63 + int(i) for i in who], pa.uint64()
        ),
    }[kind]
    table = pa.table({"x": np.arange(3000) / 7, "home": column})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=700)
    memory = tc.read(tmp_path / "in.parquet", household="home")
    disk = OnDisk.open(tmp_path / "in.parquet", tmp_path, household="home")
    one, other = release_numbers(memory, 7), release_numbers(disk, 7)
    assert isinstance(other, OnDisk)
    assert one.schema == other.schema
    new = one.table["home"].combine_chunks()
    assert other.disk.column("home").combine_chunks().equals(new)
    assert partition(new.to_pylist()) == partition(column.to_pylist())
