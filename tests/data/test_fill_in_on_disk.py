"""What a reader fills in, from the disk in any pieces as in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.data.fill_in import filled
from tacit.data.fill_in_on_disk import read_on_disk
from tacit.data.io import read
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.moving import moving
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.pieces import mapped_by
from tacit.data.pair import read_as
from tacit.data.units import persons
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.scale.engine import Threads

NAMES = ["region", "sex", "age", "born", "rooms", "job"]
ROLES: dict[str, dict[str, Any]] = {
    "persons in households": {"person": "id", "household": "hid"},
    "persons": {"person": "id"},
    "households": {"household": "hid"},
}


def panel(folder: Path, seed: int, *, sorted_rows: bool) -> tuple[Path, Path]:
    """Persons of several years in households; some slips, and gaps that others fill."""
    rng = np.random.default_rng(seed)
    n = 240
    person = rng.integers(0, 60, n)
    if sorted_rows:
        person = np.sort(person)
    # some were elsewhere for a while, in the same region: what one household shows, the other needs
    home = (person // 3 + 4 * (rng.random(n) < 0.3)) % 20
    year = rng.integers(2000, 2006, n)
    table = {
        "id": pa.array([f"p{one:03}" for one in person]),
        "hid": home,
        "region": pa.array(np.array(list("nsew"))[home % 4]),
        "sex": np.array(["f", "m"])[person % 2],
        "year": year,
        "age": year - 1950 - person,
        "born": (1950 + person).astype(float),
        "rooms": (home % 2).astype(np.int64),
        "job": pa.array(np.array(list("abc"))[rng.integers(0, 3, n)]),
    }
    # a man who moved: the level has a slip
    values = table["region"].to_pylist()
    values[7] = "e" if values[7] != "e" else "n"
    table["region"] = pa.array(values)
    # what nobody answered is not suppressed
    table["sex"] = pa.array(table["sex"], mask=rng.random(n) < 0.1)
    original = folder / "x.parquet"
    pq.write_table(pa.table(table), original, row_group_size=70)
    masked = dict(table)
    for name in (*NAMES, "year"):
        share = {"year": 0.1, "region": 0.93}.get(name, 0.35)
        column = pa.array(masked[name])
        gone = pa.array(rng.random(n) < share)
        masked[name] = pa.compute.if_else(gone, pa.scalar(None, column.type), column)
    release = folder / "z.parquet"
    pq.write_table(pa.table(masked), release, row_group_size=90)
    return original, release


@pytest.mark.few(2)
@pytest.mark.parametrize("sorted_rows", [True, False], ids=["sorted", "in no order"])
@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_cells_are_filled_in_as_in_memory(
    seed: int,
    roles: dict[str, str],
    sorted_rows: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 50)
    paths = panel(tmp_path, seed, sorted_rows=sorted_rows)
    given: dict[str, Any] = {
        "quasi": NAMES,
        "nominal": ["region", "sex", "rooms", "job"],
        "ordinal": ["age"],
        "continuous": ["born", "year"],
        **roles,
    }
    known = read(paths[0], **given)
    release = read_as(known, read(paths[1], **given))
    memory = filled(release, known)
    for folder in ("x", "z"):
        (tmp_path / folder).mkdir()
    ours = OnDisk.open(paths[0], tmp_path / "x", **given)
    theirs = read_as(ours, OnDisk.open(paths[1], tmp_path / "z", **given))
    assert isinstance(theirs, OnDisk)
    held = Microdata.column
    monkeypatch.setattr(
        Microdata,
        "column",
        lambda data, name: (
            held(data, name) if data.in_memory else pytest.fail(f"{name} is held")
        ),
    )
    with mapped_by(Threads(2).map):
        found = read_on_disk(theirs, ours, NAMES, NAMES[:3])
    assert read_on_disk(theirs, ours, NAMES, NAMES[:3]) is found
    monkeypatch.setattr(Microdata, "column", held)
    assert memory.number > 50
    for name in NAMES:
        one = found.data.disk.load([name]).column(name).combine_chunks()
        other = memory.data.table.column(name).combine_chunks()
        assert one.equals(other), name
    suppressed = {
        name: release.missing(name) & ~known.missing(name) for name in NAMES[:3]
    }
    assert found.suppressed == sum(int(gone.sum()) for gone in suppressed.values())
    still = {name: memory.data.missing(name) for name in NAMES[:3]}
    assert found.read_off == sum(
        int((gone & ~still[name]).sum()) for name, gone in suppressed.items()
    )


def test_what_moves_together_is_found_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 50)
    path, _ = panel(tmp_path, 3, sorted_rows=False)
    given = {"person": "id", "household": "hid"}
    memory = read(path, **given)
    disk = OnDisk.open(path, tmp_path, **given)
    people = persons(disk)
    assert isinstance(people, UnitsOnDisk)
    expected = moving(memory, persons(memory))
    assert expected["age"] == "year"
    assert moving(disk, people) == expected


def test_what_a_household_shows_goes_on_with_a_man_who_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His wife's row tells his, his tells that of the next year, and that his new neighbours'."""
    monkeypatch.setattr(pieces, "PIECE", 3)
    table = {
        "id": [1, 1, 2, 3, 4, 4, 5, 5],
        "hid": [1, 2, 1, 2, 3, 3, 3, 3],
        "region": ["n", "n", "n", "n", "s", "s", "s", "s"],
    }
    shown = table | {"region": [None, None, "n", None, "s", None, None, "s"]}
    roles = {"person": "id", "household": "hid", "quasi": ["region"]}
    files = []
    for name, one in (("x", table), ("z", shown)):
        pq.write_table(pa.table(one), tmp_path / f"{name}.parquet")
        (tmp_path / name).mkdir()
        path = tmp_path / f"{name}.parquet"
        files.append(OnDisk.open(path, tmp_path / name, **roles))
    known, release = files
    found = read_on_disk(release, known, ["region"], ["region"])
    assert found.data.disk.load(["region"])["region"].to_pylist() == table["region"]
    assert (found.suppressed, found.read_off) == (5, 5)
    memory = Microdata.of(pa.table(shown), **roles)
    original = Microdata.of(pa.table(table), **roles)
    assert filled(memory, original).data.table["region"].to_pylist() == table["region"]
