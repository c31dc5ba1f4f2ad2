"""Any size: every registered risk and loss measure gives on files on the disk what it gives in
memory, whoever does the pieces. None is excused.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from contract import examples
from tacit import loss, risk
from tacit.attack import nearest
from tacit.attack.nearest import Nearest
from tacit.attack.over_blocks import blocked_files, few_originals, laid_out
from tacit.base.errors import TacitWarning
from tacit.base.facts import facts_of
from tacit.base.measure import Measure
from tacit.data import io, runs
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core import disk_rows, pieces
from tacit.data.out_of_core.pieces import mapped_by
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.risk import averaged_linkage
from tacit.scale.engine import Spark, Threads
from tacit.scale.engine.standalone import standalone

MEASURES = [
    *((f"risk.{name}", risk.registry[name]) for name in risk.registry),
    *((f"loss.{name}", loss.registry[name]) for name in loss.registry),
]
Pairs = tuple[Microdata, Microdata]


def files(folder: Path, n: int) -> tuple[Path, Path]:
    """Columns of every kind, masked in several ways; some cells are suppressed."""
    frame = examples.frame(n)
    frame["person"] = [f"p{i // 2}" for i in range(n)]
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(whole, folder / "original.parquet", row_group_size=n // 3)
    steps = [
        tc.protect.Noise(percent=20, columns=["income", "tax"], random_state=1),
        tc.protect.PRAM(columns=["region"], random_state=2),
        tc.protect.Rounding(base=5, columns=["age"], random_state=3),
    ]
    masked: Any = io.read(folder / "original.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        for step in steps:
            masked = step.fit_transform(masked)
    table = masked.table
    school = table.column("school").to_pylist()
    school[::17] = [None] * len(school[::17])
    place = table.column_names.index("school")
    values = pa.array(school, pa.string()).cast(table.column("school").type)
    table = table.set_column(place, "school", values)
    pq.write_table(table, folder / "masked.parquet", row_group_size=n // 2)
    return folder / "original.parquet", folder / "masked.parquet"


ROLES: dict[str, Any] = {
    "quasi": ["income", "tax", "age", "region", "school"],
    "confidential": ["debt"],
    "ordinal": ["school"],
}


def in_memory(paths: tuple[Path, Path]) -> Pairs:
    return io.read(paths[0], **ROLES), io.read(paths[1], **ROLES)


def on_disk(paths: tuple[Path, Path], folder: Path) -> Pairs:
    places = folder / "x", folder / "z"
    for place in places:
        place.mkdir()
    return OnDisk.open(paths[0], places[0], **ROLES), OnDisk.open(
        paths[1], places[1], **ROLES
    )


def answer(measure: Callable[..., Measure], pair: Pairs) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        given: dict[str, Any] = {}
        # one attack is enough for what sums them up, and goes over blocks
        if "attacks" in signature(measure).parameters:
            given["attacks"] = {"nearest": Nearest().link(*pair)}
        found = measure(*pair, **given).to_dict()
    # what takes time takes another time
    found.get("details", {}).pop("seconds", None)
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return files(tmp_path_factory.mktemp("measured"), 400)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file has many pieces, runs and blocks; attacks go over blocks in it."""
    monkeypatch.setattr(pieces, "PIECE", 128)
    monkeypatch.setattr(disk_rows, "SPAN", 90)
    monkeypatch.setattr(runs, "RUN", 77)
    monkeypatch.setattr(nearest, "MARGINS", 50)
    monkeypatch.setattr(blocked_files, "BLOCK", 60)
    monkeypatch.setattr(laid_out, "PIECE", 250)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "measure",
    [measure for _, measure in MEASURES],
    ids=[name for name, _ in MEASURES],
)
def test_from_the_disk_as_in_memory(
    measure: Callable[..., Measure],
    small: tuple[Path, Path],
    small_pieces: None,
    tmp_path: Path,
) -> None:
    memory = answer(measure, in_memory(small))
    with mapped_by(Threads(2).map):
        assert same(answer(measure, on_disk(small, tmp_path)), memory)


UNITS: dict[str, dict[str, Any]] = {
    "persons": {"person": "person"},
    "households": {"household": "home"},
    "persons in households": {"person": "person", "household": "home"},
    "with weights": {"person": "person", "household": "home", "weight": "weight"},
}
COUNTED = [
    (name, measure)
    for name, measure in MEASURES
    if facts_of(measure).passes in ("keys", "cells", "units")
]


@pytest.mark.few(2)
@pytest.mark.parametrize("gaps", [False, True], ids=["no gaps", "gaps"])
@pytest.mark.parametrize("roles", UNITS.values(), ids=UNITS)
def test_persons_and_households_are_counted_as_in_memory(
    roles: dict[str, Any],
    gaps: bool,
    small_pieces: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = grouped_files(tmp_path, gaps=gaps)
    keys = ["region", "school", "size"]
    with_roles = {"quasi": keys, "confidential": ["debt", "ill"], **roles}
    monkeypatch.setattr("contract.test_measures_any_size.ROLES", with_roles)
    memory = {name: answer(measure, in_memory(paths)) for name, measure in COUNTED}
    values = [memory[name]["value"] for name in memory]
    # those of households or histories have none where there are no such units
    assert sum(value is not None for value in values) >= 10
    pair = on_disk(paths, tmp_path)
    held = Microdata.column

    def column(data: Microdata, name: str) -> Any:
        assert data.in_memory, f"column {name} is held"
        return held(data, name)

    monkeypatch.setattr(Microdata, "column", column)
    # nor is it held whose record each is
    whose = property(lambda _: pytest.fail("labels of all records are held"))
    monkeypatch.setattr(UnitsOnDisk, "labels", whose)
    with mapped_by(Threads(2).map):
        for name, measure in COUNTED:
            assert same(answer(measure, pair), memory[name]), name


def grouped_files(folder: Path, *, gaps: bool) -> tuple[Path, Path]:
    """Persons with several rows each, in households, in no order; keys of few values."""
    rng = np.random.default_rng(11)
    n = 300
    person = rng.permutation(np.arange(n) // 3)
    table: dict[str, Any] = {
        "person": pa.array([f"p{one}" for one in person]),
        "home": person // 3,
        "weight": rng.integers(2, 9, n).astype(float),
        "region": pa.array(np.array(["n", "s", "e"])[rng.integers(0, 3, n)]),
        "school": pa.array(np.array(["a", "b"])[rng.integers(0, 2, n)]),
        "size": pa.array(np.array(["1", "2", "3", "4"])[rng.integers(0, 4, n)]),
        "debt": rng.integers(0, 50, n).astype(float),
        "ill": pa.array(np.array(["x", "y", "z"])[rng.integers(0, 3, n)]),
    }
    paths = folder / "original.parquet", folder / "masked.parquet"
    if gaps:
        # rows of a household show each other's region, but for one who has moved
        region = np.array(["n", "s", "e"])[table["home"] % 3]
        region[5] = "s" if region[5] != "s" else "n"
        table["region"] = pa.array(region)
    pq.write_table(pa.table(table), paths[0], row_group_size=100)
    if gaps:
        for name in ("region", "size"):
            cells = table[name].to_pylist()
            cells[::9] = [None] * len(cells[::9])
            table[name] = pa.array(cells, pa.string())
    pq.write_table(pa.table(table), paths[1], row_group_size=120)
    return paths


def test_what_is_not_done_by_passes_says_why() -> None:
    for name, measure in MEASURES:
        found = facts_of(measure)
        by_passes = found.passes not in ("links", "together")
        assert by_passes == (found.holds == ""), name


def same(one: Any, other: Any) -> bool:
    """Equal, and figures to 1e-12: a mean over combinations of keys adds in another order."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return bool(one == other)


@pytest.mark.slow
@pytest.mark.needs("java")
def test_a_master_with_two_workers_gives_the_measures_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces of this process: `test_from_the_disk_as_in_memory`."""
    monkeypatch.setattr(pieces, "PIECE", 1500)
    monkeypatch.setattr(nearest, "MARGINS", 1500)
    monkeypatch.setattr(blocked_files, "BLOCK", 1500)
    paths = files(tmp_path, 4000)
    memory = {name: answer(measure, in_memory(paths)) for name, measure in MEASURES}

    def check(where: str) -> None:
        folder = tmp_path / where
        folder.mkdir()
        pair = on_disk(paths, folder)
        for name, measure in MEASURES:
            assert same(answer(measure, pair), memory[name]), (where, name)

    from pyspark.sql import SparkSession

    def stop() -> None:
        session = SparkSession.getActiveSession()
        if session is not None:
            session.stop()

    # a session that other tests have left would keep its master
    stop()
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    with standalone(tmp_path / "spark") as cluster:
        settings = {"spark.executor.memory": "800m", "spark.cores.max": "2"}
        with mapped_by(Spark(cluster.url, settings).map):
            check("standalone")
        stop()


@pytest.mark.slow
@pytest.mark.needs("java")
def test_persons_and_households_on_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 128)
    paths = grouped_files(tmp_path, gaps=True)
    roles = {"quasi": ["region", "school", "size"], "confidential": ["debt", "ill"]}
    with_roles = {**roles, **UNITS["with weights"]}
    monkeypatch.setattr("contract.test_measures_any_size.ROLES", with_roles)
    memory = {name: answer(measure, in_memory(paths)) for name, measure in COUNTED}
    with mapped_by(Spark("local[2]").map):
        pair = on_disk(paths, tmp_path)
        for name, measure in COUNTED:
            assert same(answer(measure, pair), memory[name]), name


@pytest.mark.parametrize(
    "models", [["income ~ tax + age"], ["debt ~ income + tax + school", "tax ~ age"]]
)
def test_regressions_of_files_on_the_disk(
    models: list[str], small: tuple[Path, Path], small_pieces: None, tmp_path: Path
) -> None:
    found = loss.regression(*on_disk(small, tmp_path), models=models)
    assert same(
        found.to_dict(), loss.regression(*in_memory(small), models=models).to_dict()
    )


def test_averaged_linkage_of_a_sample_goes_through_the_release_by_pieces(
    small: tuple[Path, Path],
    small_pieces: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(averaged_linkage, "LARGEST_SAMPLE", 50)
    monkeypatch.setattr(few_originals, "PIECE", 60)
    # rows of persons fill each other's gaps, and are held
    monkeypatch.setitem(ROLES, "other", ["person"])
    memory = answer(risk.dld, in_memory(small))
    assert memory["details"]["originals linked"] == 50
    assert memory["value"] > 0
    with mapped_by(Threads(2).map):
        pair = on_disk(small, tmp_path)
        monkeypatch.setattr(
            OnDisk, "column", lambda *_: pytest.fail("a column is held")
        )
        assert same(answer(risk.dld, pair), memory)
