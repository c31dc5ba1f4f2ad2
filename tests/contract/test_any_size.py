"""Any size: a file on the disk, in any pieces and by any worker, gives the bytes of memory.

Every registered protector is here. None is excused.
"""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from contract import examples
from tacit.base.errors import TacitWarning
from tacit.data import io
from tacit.data.io import codes_on_disk, disk_table, parquet_parts
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Microdata, Schema
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.pieces import mapped_by
from tacit.protect import by_address, on_disk_pieces, registry, strata_on_disk
from tacit.scale.engine import Processes, Spark, Threads

#: methods with parameters that go another way than their example does
ALSO: list[tuple[str, dict[str, Any]]] = [
    ("noise", {"kind": "correlated"}),
    ("noise", {"kind": "transformed", "bounds": {"age": [18, 90]}}),
    ("noise", {"kind": "multiplicative"}),
    ("rounding", {"kind": "nearest"}),
    ("massc", {"columns": ["age", "region"], "calibrate": ["debt", "tax"], "k": 6}),
    ("dp_microaggregation", {"form": "multivariate", "k": 7}),
    ("dp_microaggregation", {"k": 1400}),
    ("sampling", {"fraction": 0.1, "strata": ["region", "school"]}),
    ("sampling", {"fraction": 0.003, "strata": ["age"]}),
    ("top_bottom_coding", {"by": "mean"}),
    ("top_bottom_coding", {"by": "median"}),
    ("pram", {"matrix": "uniform"}),
    ("rank_swapping", {"exchange": "cycles"}),
    ("recoding", {"show": "label", "rare": 40}),
    ("recoding", {"columns": ["born"]}),
    *(
        ("recoding", {"intervals": {"born": cuts}, "columns": ["born", "age"]})
        # with and without dates beyond the ends, which have no middle
        for cuts in (["1949-01-01", "1980-01-01", "2010-01-01"], ["1960-01-01"])
    ),
    ("pseudonyms", {"columns": ["region", "age", "school"]}),
    ("date_shift", {"person": "age"}),
    ("microaggregation", {"partition": "individual"}),
    *(
        ("microaggregation", {"partition": "individual", "columns": names, **more})
        for names, more in (
            (
                ["age", "school", "tax"],
                {"k": [4, 50], "groups": [["tax"], ["school", "age"]]},
            ),
            (["age", "tax"], {"univariate": "fixed", "k": 3}),
            (
                ["age", "school", "born"],
                {"aggregate": "median", "groups": 1, "k": [2, 3, 700]},
            ),
        )
    ),
    *(
        ("ipso", {"variant": variant, "quasi": ["income", "tax"], "confidential": x})
        for variant, x in (("A", ["debt"]), ("B", []), ("C", ["debt", "age"]))
    ),
    *(
        ("record_swapping", {"columns": ["region", "school"], "keys": ["age"], **more})
        for more in ({"rate": 0.6}, {"k": 60, "similar": ["born"]})
    ),
    ("shuffling", {"columns": ["tax", "age", "school"], "given": ["debt", "income"]}),
    ("shuffling", {"columns": ["income", "age"], "given": ["tax"]}),
    ("local_suppression", {"k": 5, "columns": ["age", "region", "school"]}),
    *(
        ("generalisation", {"columns": ["age", "region", "school", "born"], **more})
        for more in (
            {"k": 5, "recoding": "local", "suppression_limit": 0.02},
            {
                "k": 4,
                "suppression_limit": 0.5,
                "levels": {"age": 0, "region": 0, "school": 0, "born": 5},
            },
            {"k": 2, "levels": {"age": 4, "born": 0}, "suppression_limit": 0.9},
            {"hierarchies": {"region": {"automatic": "cooccurrence"}}},
            {"hierarchies": {"age": {"automatic": "optimal"}}, "utility": "entropy"},
        )
    ),
    (
        "generalisation",
        {
            "columns": ["age", "region"],
            "l_diversity": {"distinct": 2, "columns": ["school"]},
            "t_closeness": {"t": 0.4, "columns": ["debt"]},
            "utility": "classification",
            "target": "school",
        },
    ),
]
#: the same by strata, whose parts are cut from the columns that are looked at
STRATA = [
    *(
        (name, {"by": ["region"], "columns": ["income", "age"]})
        for name in ("rank_swapping", "resampling", "shuffling", "microaggregation")
    ),
    ("rank_swapping", {"by": ["school", "region"], "columns": ["income", "born"]}),
    (
        "microaggregation",
        {"partition": "individual", "by": ["region"], "columns": ["tax", "age"]},
    ),
]
EVERY = [*((name, {}) for name in registry), *ALSO, *STRATA]
#: a method for each way through a file: what a worker is sent does not depend on more than that
WAYS = list({registry[name].passes: name for name in reversed(list(registry))}.values())


def written(path: Path, n: int, row_group: int) -> Path:
    table = pa.Table.from_pandas(examples.frame(n), preserve_index=False)
    pq.write_table(table, path, row_group_size=row_group)
    return path


def masked(name: str, parameters: dict[str, Any], data: Microdata) -> Microdata:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        release: Microdata = examples.seeded(name, 7, **parameters).fit_transform(data)
    return release


def same(one: Microdata, other: Microdata) -> None:
    """Equal bits, types and schema; and the first is still on the disk."""
    assert isinstance(one, OnDisk)
    assert one.schema == other.schema
    assert one.names == other.names
    table = one.disk.load(one.names)
    for column in other.names:
        left, right = table.column(column), other.table.column(column)
        assert left.type == right.type, column
        assert left.combine_chunks().equals(right.combine_chunks()), column


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 512 and files of two blocks, so that a small file has many of both."""
    monkeypatch.setattr(by_address, "BLOCK", 512)
    monkeypatch.setattr(on_disk_pieces, "BLOCKS", 2)
    monkeypatch.setattr(pieces, "PIECE", 1024)
    # of three strata two are held, and one is not
    monkeypatch.setattr(strata_on_disk, "FEW", 1000)


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "parameters"), EVERY, ids=str)
def test_out_of_core_gives_the_bytes_of_memory(
    name: str,
    parameters: dict[str, Any],
    small_pieces: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    memory = None
    for row_group, batch in ((700, 65_536), (3000, 97)):
        monkeypatch.setattr(parquet_parts, "BATCH", batch)
        monkeypatch.setattr(disk_table, "BATCH", batch)
        file = written(tmp_path / f"{batch}.parquet", 3000, row_group)
        if memory is None:
            memory = masked(name, parameters, io.read(file))
        folder = tmp_path / str(batch)
        folder.mkdir()
        same(masked(name, parameters, OnDisk.open(file, folder)), memory)


def of_people(n: int, slip: float = 0.005) -> pd.DataFrame:
    """Persons of several rows, in no order, in households of which some have no number.

    A region is the household's and a school the person's; some slip.
    """
    frame = examples.frame(n)
    rng = np.random.default_rng(8)
    person = rng.permutation(np.sort(rng.integers(0, n // 3, n)))
    home = person // 3
    for name, unit in (("region", home), ("debt", home), ("school", person)):
        frame[name] = frame[name].to_numpy()[unit]
    frame["school"] = pd.Categorical(frame["school"], ["low", "mid", "high"], True)
    frame["born"] = frame["born"].to_numpy()[person]
    slips = rng.random(n) < slip
    frame.loc[slips, "region"] = "west"
    frame.loc[rng.random(n) < 0.003, "debt"] = np.nan
    # an age that moves with the year
    frame["year"] = 2000 + rng.integers(0, 3, n)
    frame["age"] = rng.integers(18, 90, n)[person] + frame["year"] - 2000
    frame["person"] = [f"p{i * 7919 % 100_003}" for i in person]
    frame["home"] = pd.array(np.where(home % 5, home, -1), dtype="Int64")
    frame.loc[frame["home"] < 0, "home"] = pd.NA
    return frame


#: what else goes another way where several rows are one person's
OF_PEOPLE: list[tuple[str, dict[str, Any]]] = [
    ("noise", {"columns": ["income", "debt"], "kind": "correlated"}),
    ("rank_swapping", {"columns": ["debt", "income", "born"], "by": ["region"]}),
    ("rank_swapping", {"columns": ["born", "income"], "by": ["school", "region"]}),
    ("resampling", {"columns": ["debt", "age"], "by": ["school"]}),
    ("microaggregation", {"partition": "individual", "columns": ["debt", "income"]}),
    ("microaggregation", {"columns": ["debt"], "by": ["region"]}),
    ("pram", {"columns": ["region", "school"], "matrix": "uniform"}),
    ("recoding", {"columns": ["region", "born", "age"], "rare": 40}),
    ("top_bottom_coding", {"by": "mean", "columns": ["debt", "income"]}),
    ("pseudonyms", {"columns": ["person", "home", "region"]}),
    ("date_shift", {"columns": ["born"]}),
    ("local_suppression", {"k": 2, "columns": ["age", "year", "region", "born"]}),
    ("local_suppression", {"k": 3, "columns": ["region", "debt"]}),
    ("sampling", {"fraction": 0.1, "strata": ["region"]}),
]


def said_or_masked(
    name: str, parameters: dict[str, Any], data: Microdata
) -> Microdata | str:
    try:
        return masked(name, parameters, data)
    except tc.TacitError as error:
        return str(error)


PERSONS = {"person": "person", "household": "home"}
#: fewer columns than the example has, where a search takes long
FEWER: dict[str, dict[str, Any]] = {
    "shuffling": {"columns": ["debt", "income"], "given": ["age", "tax"]},
    "local_suppression": {"k": 5, "columns": ["age", "region", "school"]},
    "generalisation": {"k": 4, "columns": ["age", "region"]},
}
WITH_UNITS = [
    *((name, FEWER.get(name, {}), PERSONS) for name in registry),
    *((name, parameters, PERSONS) for name, parameters in OF_PEOPLE),
    # one row per person: what else is refused
    *(
        (name, {"columns": ["income", "age"]}, {"household": "home"})
        for name in ("massc", "laplace", "dp_microaggregation", "dp_generalisation")
    ),
    ("record_swapping", {}, {"household": "home"}),
    ("record_swapping", {}, PERSONS),
    ("ipso", {}, {"household": "home"}),
    ("generalisation", {"columns": ["age", "school"], "k": 3}, {"person": "income"}),
    ("local_suppression", {"columns": ["age", "school"]}, {"person": "income"}),
    ("microaggregation", {"partition": "individual"}, {"person": "income"}),
]


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "parameters", "roles"), WITH_UNITS, ids=str)
def test_persons_and_households_out_of_core_are_those_of_memory(
    name: str,
    parameters: dict[str, Any],
    roles: dict[str, str],
    small_pieces: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 400)
    monkeypatch.setattr(disk_table, "BATCH", 97)
    with_units(tmp_path, 1500, name, parameters, roles)


def with_units(
    folder: Path, n: int, name: str, parameters: dict[str, Any], roles: dict[str, str]
) -> None:
    """The release of a file with persons and households from the disk is that of memory."""
    # record swapping refuses an area that slips
    people = of_people(n, 0.0 if name == "record_swapping" else 0.005)
    table = pa.Table.from_pandas(people, preserve_index=False)
    pq.write_table(table, folder / "in.parquet", row_group_size=700)
    memory = said_or_masked(name, parameters, io.read(folder / "in.parquet", **roles))
    on_disk = OnDisk.open(folder / "in.parquet", folder, **roles)
    release = said_or_masked(name, parameters, on_disk)
    if isinstance(memory, str) or isinstance(release, str):
        assert release == memory
    else:
        same(release, memory)


def coded(path: Path, n: int) -> Path:
    """A file with missing codes in columns of every type, among the values and beside them."""
    frame = examples.frame(n)
    rng = np.random.default_rng(5)

    def often() -> Any:
        # the first pieces have none, and do not speak for the others
        return (rng.random(n) < 0.1) & (np.arange(n) > 1300)

    frame.loc[often(), "age"] = 99
    frame["debt"] = frame["debt"].round(1)
    frame.loc[often(), "debt"] = -9
    frame["region"] = frame["region"].where(~often(), "?")
    frame["born"] = frame["born"].dt.strftime("%d.%m.%Y").where(~often(), "unknown")
    # text that is whole numbers in its first records, and others later
    rooms = [str(i % 7 + 1) if i < n - 5 else "2.5" for i in range(n)]
    frame["rooms"] = pd.Series(rooms, index=frame.index).where(~often(), "x")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, path, row_group_size=700)
    return path


CODES = {
    "age": [99, [70, 74]],
    "debt": [-9],
    "region": ["?"],
    "born": ["unknown"],
    "rooms": ["x"],
}
CODED: list[tuple[str, dict[str, Any]]] = [
    ("noise", {"columns": ["age", "debt", "rooms"]}),
    ("rounding", {"columns": ["age", "debt"]}),
    ("rank_swapping", {"columns": ["age", "region", "rooms"]}),
    ("resampling", {"columns": ["age", "debt"]}),
    ("shuffling", {"columns": ["age", "debt"], "given": ["income"]}),
    ("recoding", {"columns": ["age", "region", "born"]}),
    ("top_bottom_coding", {"by": "mean", "columns": ["age", "debt"]}),
    ("pseudonyms", {"columns": ["region", "age"]}),
    ("date_shift", {"columns": ["born"]}),
    ("date_truncation", {"columns": ["born"]}),
    ("local_suppression", {"columns": ["age", "region", "rooms"], "k": 5}),
    ("generalisation", {"columns": ["age", "region", "born"], "k": 9}),
    ("generalisation", {"columns": ["age", "region"], "levels": {"age": 0}, "k": 12}),
    ("microaggregation", {"partition": "individual", "columns": ["age", "debt"]}),
    ("sampling", {"strata": ["region"]}),
    ("rank_swapping", {"by": ["region"], "columns": ["age", "debt"]}),
]


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "parameters"), CODED, ids=str)
def test_missing_codes_out_of_core_are_those_of_memory(
    name: str,
    parameters: dict[str, Any],
    small_pieces: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(disk_table, "BATCH", 640)
    monkeypatch.setattr(codes_on_disk, "BATCH", 640)
    file = coded(tmp_path / "in.parquet", 3000)
    schema = Schema(
        tuple(
            Column.from_entry(name, {"missing": codes}) for name, codes in CODES.items()
        )
    )
    before = io.read(file, schema)
    on_disk = OnDisk.open(file, tmp_path, schema)
    assert on_disk.schema == before.schema
    if name == "generalisation":
        parameters = {"suppression_limit": 0.6, **parameters}
    memory, release = (masked(name, parameters, one) for one in (before, on_disk))
    same(release, memory)
    assert isinstance(release, OnDisk)
    written = release.written().load(release.names)
    assert written.schema.equals(memory.written().schema)
    assert written.combine_chunks().equals(memory.written().combine_chunks())


def test_a_number_beside_a_code_moves_by_the_step_that_the_column_has_by_then(
    small_pieces: None, tmp_path: Path
) -> None:
    values = np.random.default_rng(0).integers(20_000, 60_000, 3000) / 10
    pq.write_table(pa.table({"x": values}), tmp_path / "in.parquet")
    schema = Schema((Column.from_entry("x", {"missing": [[990, 1010]]}),))
    out = []
    for data in (
        io.read(tmp_path / "in.parquet", schema),
        OnDisk.open(tmp_path / "in.parquet", tmp_path, schema),
    ):
        # steps of 0.1, and of 1 once all are multiples of ten
        rounding = tc.protect.Rounding(base=10.0, kind="nearest", columns=["x"])
        release = rounding.fit_transform(data)
        coding = tc.protect.TopBottomCoding(high={"x": 1000.0}, columns=["x"])
        out.append(coding.fit_transform(release))
    same(out[1], out[0])
    assert set(out[0].column("x")) == {989.0}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("engine", "name"),
    [
        pytest.param(Threads(3), "noise", id="threads-noise"),
        pytest.param(Threads(3), "rank_swapping", id="threads-rank swapping"),
        *(
            pytest.param(Threads(3), name, id=f"threads-{name}")
            for name in ("sampling", "massc", "laplace", "dp_microaggregation")
        ),
        pytest.param(Processes(2), "noise", id="processes-noise"),
        # every pass starts processes of its own
        pytest.param(
            *(Processes(2), "rank_swapping"),
            marks=pytest.mark.slow,
            id="processes-rank swapping",
        ),
    ],
)
def test_whoever_treats_the_pieces(
    engine: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_disk_pieces, "BLOCKS", 1)
    file = written(tmp_path / "in.parquet", 20_000, 7000)
    with mapped_by(engine.map):
        on_disk = masked(name, {}, OnDisk.open(file, tmp_path))
    same(on_disk, masked(name, {}, io.read(file)))


@pytest.mark.slow
@pytest.mark.needs("java")
@pytest.mark.parametrize("name", WAYS)
def test_spark_gives_the_bytes_of_memory_for_20_000_records(
    name: str, tmp_path: Path
) -> None:
    """Every method on a real master: tests/scale/test_cluster_contract.py."""
    file = written(tmp_path / "in.parquet", 20_000, 7000)
    memory = masked(name, {}, io.read(file))
    (tmp_path / "here").mkdir()
    same(masked(name, {}, OnDisk.open(file, tmp_path / "here")), memory)
    (tmp_path / "spark").mkdir()
    with mapped_by(Spark("local[2]").map):
        same(masked(name, {}, OnDisk.open(file, tmp_path / "spark")), memory)


def test_every_block_and_every_column_draws_numbers_of_its_own() -> None:
    """Equal draws in two places would let a known record undo the noise of another."""
    n = 3 * by_address.BLOCK
    nothing = np.zeros((n, 2))
    noise = tc.protect.Noise(percent=100, random_state=1).fit_transform(nothing)
    blocks = noise.reshape(3, by_address.BLOCK, 2)
    pieces = [blocks[b, :, c] for b in range(3) for c in range(2)]
    for i, one in enumerate(pieces):
        for other in pieces[:i]:
            # of 8,192 independent pairs: six standard errors of a correlation of zero
            assert abs(np.corrcoef(one, other)[0, 1]) < 6 / np.sqrt(by_address.BLOCK)
    order = np.tile(np.arange(n, dtype=float)[:, None], 2)
    swapped = tc.protect.RankSwapping(p=10, random_state=1).fit_transform(order)
    assert (swapped[:, 0] != swapped[:, 1]).mean() > 0.9


def test_a_record_draws_by_its_address_and_not_by_the_length_of_the_file() -> None:
    """Given the base, a value is rounded alike in a longer file: nothing before it was used up."""
    rounding = tc.protect.Rounding(base=1.0, random_state=5)
    values = np.random.default_rng(0).uniform(0, 100, (4 * by_address.BLOCK, 2))
    longer = rounding.fit_transform(values)
    shorter = rounding.fit_transform(values[: 2 * by_address.BLOCK + 17])
    whole = 2 * by_address.BLOCK
    assert np.array_equal(longer[:whole], shorter[:whole])


def test_a_small_file_is_one_piece_and_has_the_bytes_that_it_always_had() -> None:
    values = np.arange(20.0).reshape(10, 2)
    noise = tc.protect.Noise(percent=10, random_state=3)
    sd = values.std(axis=0, ddof=1)
    drawn = np.random.default_rng(3).standard_normal((10, 2))
    expected = values + drawn * (sd * 0.1)
    assert np.allclose(noise.fit_transform(values), expected, rtol=1e-15)


def sent(work: Any, items: Any) -> Any:
    """Pieces done by somebody who gets nothing but bytes, the last one first."""
    for place, item in reversed(list(enumerate(items))):
        there, given = pickle.loads(pickle.dumps((work, item)))
        yield place, pickle.loads(pickle.dumps(there(given)))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("noise", {"columns": ["income", "debt"]}),
        ("rank_swapping", {"columns": ["debt", "born"], "by": ["region"]}),
        ("local_suppression", {"k": 5, "columns": ["age", "region", "school"]}),
    ],
    ids=str,
)
def test_pieces_of_persons_and_households_can_be_sent_to_a_worker(
    name: str, parameters: dict[str, Any], small_pieces: None, tmp_path: Path
) -> None:
    with mapped_by(sent):
        with_units(tmp_path, 1500, name, parameters, PERSONS)


@pytest.mark.slow
@pytest.mark.needs("java")
@pytest.mark.parametrize("name", ["noise", "rank_swapping"])
def test_spark_gives_persons_and_households_the_bytes_of_memory(
    name: str, tmp_path: Path
) -> None:
    with mapped_by(Spark("local[2]").map):
        with_units(tmp_path, 20_000, name, FEWER.get(name, {}), PERSONS)


def test_what_is_held_of_a_file_with_persons_is_what_the_method_holds() -> None:
    table = {"id": [1, 1, 2, 2], "sex": [0, 0, 1, 1], "wage": [1.0, 2.5, 3.0, 4.5]}
    kinds = {"quasi": ["sex", "wage"], "continuous": ["sex", "wage"]}
    data = tc.Microdata.of(table, person="id", **kinds)
    assert tc.protect.Noise(columns=["wage"]).holds(data)[0] == 0
    assert tc.protect.Noise(columns=["sex"]).holds(data)[0] == 0
    assert tc.protect.Resampling(columns=["sex"], by=["wage"]).holds(data)[0] == 0
    together = tc.protect.Microaggregation(k=2, columns=["sex"])
    assert together.holds(data)[0] == 80 * 3
    alone = tc.Microdata.of({"wage": table["wage"]}, quasi=["wage"])
    assert tc.protect.Noise().holds(alone)[0] == 0


def test_every_method_says_how_it_goes_through_a_file() -> None:
    ways = {name: registry[name].passes for name in registry}
    assert set(ways.values()) == {
        "records",
        "values",
        "ranks",
        "sorts",
        "sums",
        "keys",
        "together",
    }
    assert ways["noise"] == "records"
    assert ways["rank_swapping"] == "ranks"
    assert ways["local_suppression"] == "together"
