"""Targeted record swapping: what it keeps, whom it moves, and its intruder."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit as tc
from tacit.attack.informed.aware import Aware
from tacit.base.errors import ColumnError, InputError, TacitWarning
from tacit.data import units
from tacit.data.datasets import make_households
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.pieces import mapped_by
from tacit.scale.engine import Threads

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
AREAS = ["region", "district"]
KEYS = ["sex", "age", "relation"]


def survey(homes: int = 150, seed: int = 1) -> Microdata:
    """Households in districts of regions."""
    table = make_households(homes, seed)
    household = np.asarray(table.column("household"))
    district = np.char.add(
        np.asarray(table.column("region").to_pylist(), dtype=str),
        (household % 3).astype(str),
    )
    table = table.append_column("district", [district.tolist()])
    return Microdata.of(table, household="household", quasi=[*AREAS, *KEYS])


def made(**more):
    given = {"columns": AREAS, "keys": KEYS, "random_state": 3} | more
    return tc.protect.RecordSwapping(**given)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 500), rate=st.sampled_from([0.0, 0.1, 0.4]))
def test_what_is_kept(seed, rate):
    data = survey(seed=seed)
    method = made(rate=rate, k=1, random_state=seed)
    masked = method.fit_transform(data)
    others = [name for name in data.names if name not in AREAS]
    assert masked.table.select(others).equals(data.table.select(others))
    homes = units.households(data)
    for area in AREAS:
        before, after = data.column(area), masked.column(area)
        assert not homes.split(after).any()
        first = homes.order[homes.starts]
        # as many households of each size in each area
        assert Counter(zip(before[first], homes.sizes, strict=True)) == Counter(
            zip(after[first], homes.sizes, strict=True)
        )
    # every district stays in its region
    pairs = set(zip(*(data.table.column(a).to_pylist() for a in AREAS), strict=True))
    assert pairs >= set(
        zip(*(masked.table.column(a).to_pylist() for a in AREAS), strict=True)
    )
    moved = (data.numbers(AREAS) != masked.numbers(AREAS)).any(axis=1)
    assert (moved == method.swapped_).all()
    assert homes.any(moved).mean() >= rate


def test_seed_law():
    data = survey()
    once = made().fit_transform(data)
    assert once.table.equals(made().fit(data).transform(data).table)
    assert not once.table.equals(made(random_state=4).fit_transform(data).table)


def test_households_that_stand_out_are_moved():
    data = survey()
    method = made(rate=0.0, k=2, keys=["age", "relation"])
    masked = method.fit_transform(data)
    frame = data.table.to_pandas()
    alone = frame.groupby(["region", "age", "relation"]).age.transform("size") < 2
    homes = units.households(data)
    risky = homes.any(alone.to_numpy())
    moved = homes.any(data.column("district") != masked.column("district"))
    # all but those for whom nobody was left
    assert (risky & ~moved).sum() <= method.unmatched_
    assert moved[risky].mean() > 0.8


def test_partners_are_similar():
    data = survey(400)
    method = made(rate=0.3, k=1, similar=["urban"])
    masked = method.fit_transform(data)
    counts = [
        Counter(
            zip(
                part.table.column("region").to_pylist(),
                data.table.column("urban").to_pylist(),
                strict=True,
            )
        )
        for part in (data, masked)
    ]
    assert counts[0] == counts[1]


def test_without_a_household_column_records_are_swapped():
    data = survey().drop(["household"])
    masked = made(rate=0.5, k=1).fit_transform(data)
    for area in AREAS:
        assert sorted(masked.column(area)) == sorted(data.column(area))
    assert (masked.column("district") != data.column("district")).mean() > 0.4


def test_bad_input_is_one_sentence():
    data = survey()
    with pytest.raises(ColumnError, match="needs the areas"):
        tc.protect.RecordSwapping().fit(data)
    with pytest.raises(ColumnError, match="'region' is both an area and a key"):
        made(keys=["region"]).fit(data)
    # two members of one household in two regions
    rows = units.households(data).rows(int(np.argmax(units.households(data).sizes)))
    values = data.table.column("region").to_pylist()
    values[rows[0]] = "nowhere"
    with pytest.raises(InputError, match="column 'region', row"):
        made().fit(data.with_column("region", values))
    one = data.with_column("district", ["d"] * data.n)
    with pytest.warns(TacitWarning, match="were swapped, and"):
        made(columns=["district"], rate=1.0).fit_transform(one)


def test_the_intruder_knows_who_is_likely_to_be_moved():
    """Of two records with the same keys, the one that stood out has been moved."""
    data = survey(200)
    method = made(rate=0.2, k=1)
    masked = method.fit_transform(data)
    aware = Aware(plan=method, columns=[*AREAS, *KEYS]).link(data, masked)
    # an intruder who takes the areas for unchanged finds no moved one
    plain = tc.attack.registry["nearest"](columns=[*AREAS, *KEYS]).link(data, masked)
    assert aware.rate >= plain.rate
    blind = Aware(plan=method, columns=KEYS).link(data, masked)
    assert aware.rate > blind.rate


def rows_in_no_order(seed: int) -> pa.Table:
    """Persons with several rows each, in no order; a few have no household, or no district."""
    table = survey(80, seed).table
    rng = np.random.default_rng(seed)
    n = table.num_rows
    table = table.append_column("person", pa.array(np.arange(n)))
    rows = np.concatenate([np.arange(n), rng.choice(n, n // 2)])
    table = table.take(pa.array(rng.permutation(rows)))
    person = np.asarray(table.column("person"))
    alone = pa.array(person % 11 == 0)
    home = table.column("household")
    for name in ("household", "district"):
        at = table.column_names.index(name)
        values = table.column(name).to_pylist()
        gone = alone if name == "household" else pa.array(np.arange(len(home)) % 7 == 0)
        kept = [None if g.as_py() else v for g, v in zip(gone, values, strict=True)]
        table = table.set_column(
            at, name, pa.array(kept, table.schema.field(name).type)
        )
    return table


UNITS = {
    "persons in households": {"household": "household", "person": "person"},
    "households": {"household": "household"},
    "persons": {"person": "person"},
    "records": {},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("similar", [None, ["urban"]], ids=["size alone", "similar"])
@pytest.mark.parametrize("roles", UNITS.values(), ids=UNITS)
def test_from_the_disk_as_in_memory(roles, similar, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 64)
    table = rows_in_no_order(5)
    if not roles:
        # districts differ within no unit then
        table = table.drop_columns(["household", "person"])
    path = tmp_path / "in.parquet"
    pq.write_table(table, path, row_group_size=90)
    quasi = {"quasi": [*AREAS, *KEYS], "nominal": ["urban"]}
    memory = Microdata.of(table, **quasi, **roles)
    given = {"rate": 0.3, "k": 2, "similar": similar}
    one, other = made(**given), made(**given)
    expected = one.fit_transform(memory)
    with mapped_by(Threads(2).map):
        data = OnDisk.open(path, tmp_path, **quasi, **roles)
        held = Microdata.column
        monkeypatch.setattr(
            Microdata,
            "column",
            lambda data, name: (
                held(data, name) if data.in_memory else pytest.fail(f"{name} is held")
            ),
        )
        found = other.fit_transform(data)
        monkeypatch.setattr(Microdata, "column", held)
    assert isinstance(found, OnDisk)
    released = found.disk.load(found.names)
    for name in expected.names:
        left, right = released.column(name), expected.table.column(name)
        assert left.combine_chunks().equals(right.combine_chunks()), name
    assert (one.swapped_ == other.swapped_).all()
    assert one.unmatched_ == other.unmatched_
    assert one.swapped_.any()
    held_bytes, why = other.holds(data)
    number = (units.households(memory) or units.persons(memory)).number
    assert held_bytes == 1 + 100 * number / table.num_rows
    assert "household" in why


def test_members_who_disagree_are_named_from_the_disk_as_in_memory(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(pieces, "PIECE", 64)
    data = survey()
    rows = units.households(data).rows(int(np.argmax(units.households(data).sizes)))
    values = data.table.column("region").to_pylist()
    values[rows[1]] = "nowhere"
    wrong = data.with_column("region", values)
    pq.write_table(wrong.table, tmp_path / "in.parquet")
    roles = {"household": "household", "quasi": [*AREAS, *KEYS]}
    disk = OnDisk.open(tmp_path / "in.parquet", tmp_path, **roles)
    sentences = []
    for one in (wrong, disk):
        with pytest.raises(InputError) as error:
            made().fit(one)
        sentences.append(str(error.value))
    assert sentences[0] == sentences[1]
    assert f"row {rows[1] + 1}: nowhere here" in sentences[0]


def test_districts_of_one_name_in_two_regions_are_two():
    """A partner in the other region's district of that name is elsewhere."""
    table = {
        "home": np.arange(40),
        "region": ["n"] * 20 + ["s"] * 20,
        "district": ["center"] * 40,
        "age": np.arange(40),
    }
    data = Microdata.of(table, household="home", quasi=["age"])
    method = made(keys=["age"], k=1, rate=1.0)
    masked = method.fit_transform(data)
    assert method.swapped_.all()
    assert (masked.column("region") != data.column("region")).all()
