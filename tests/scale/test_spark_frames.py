"""A Spark DataFrame goes in and a Spark DataFrame comes out, by the session that it has."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from contract import examples
from scale.conftest import LOCAL, _stop_session
from scale.test_any_size import run
from tacit.base.errors import TacitWarning
from tacit.base.spark_tasks import spread
from tacit.data.io.on_disk import OnDisk
from tacit.data.lazy import reading
from tacit.protect import by_address, registry
from tacit.scale.engine import Spark

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "spark.md"
pytestmark = pytest.mark.needs("java")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """One for all tests of this file: a person's own, with nothing of ours in it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    yield Spark("local[2]", LOCAL).session()
    _stop_session()


@pytest.fixture(params=["memory", "disk"])
def where(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path))
    with reading.limited_to(10**12 if request.param == "memory" else 0):
        yield request.param


def numbers(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(1)
    income = rng.lognormal(10, 0.5, n).round(2)
    return pa.table({"income": income, "age": rng.integers(18, 90, n)})


@pytest.mark.few(1)
def test_rank_swapping_of_a_dataframe_is_that_of_its_table(
    session: Any, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces by the workers of the session where it does not fit, with the same bytes."""
    monkeypatch.setattr(by_address, "BLOCK", 64)
    table = numbers()
    swapping = tc.protect.RankSwapping(p=5, random_state=1)
    frame = session.createDataFrame(table)
    masked = swapping.fit_transform(frame)
    assert type(masked) is type(frame)
    assert masked.sparkSession is frame.sparkSession
    assert masked.schema == frame.schema
    plain = swapping.fit_transform(table)
    assert masked.toArrow().equals(plain)
    assert isinstance(tc.Microdata.of(frame), OnDisk) == (where == "disk")
    # what comes back can be used as any DataFrame
    assert masked.filter("age >= 50").count() == int(
        (plain["age"].to_numpy() >= 50).sum()
    )


def test_assess_risk_and_plans_take_dataframes(session: Any) -> None:
    table = numbers(100)
    frame = session.createDataFrame(table).repartition(3)
    plan = tc.Plan.of(tc.protect.Noise(percent=10, random_state=1))
    masked = plan.apply(frame)
    read = tc.Microdata.of(frame).table
    assert sorted(read["income"].to_pylist()) == sorted(table["income"].to_pylist())
    found = tc.assess(
        frame, masked, attackers=["nearest"], risks=["dld"], losses=["IL"]
    )
    known = tc.assess(
        read, plan.apply(read), attackers=["nearest"], risks=["dld"], losses=["IL"]
    )
    assert found.attacks["nearest"].correct == known.attacks["nearest"].correct
    assert found.loss["IL"].value == known.loss["IL"].value
    counts = tc.risk.frequencies(frame, keys=["age"]).sample
    assert list(counts) == list(tc.risk.frequencies(read, keys=["age"]).sample)


@pytest.mark.few(1)
def test_types_nulls_odd_names_and_nested_columns(session: Any, where: str) -> None:
    fields = (
        "row bigint, block string, `a.b c` double, `ti``ck` boolean, day date, "
        "at timestamp, wall timestamp_ntz, money decimal(12,2), small tinyint, "
        "visits array<int>, scan binary"
    )
    when = dt.datetime(2024, 10, 27, 1, 30)
    rows = []
    for i in range(39):
        day = dt.date(2000, 1, 1 + i % 28)
        values = (i % 20, f"b{i % 3}", i / 4, i % 2 == 0, day, when, when)
        rows.append((*values, Decimal(i), i % 5, [i], b"x"))
    frame = session.createDataFrame([*rows, (None,) * 11], fields)
    noise = tc.protect.Noise(percent=10, columns=["a.b c", "money"], random_state=2)
    with pytest.warns(TacitWarning, match=r"left out.*visits \(lists.*scan \(bytes"):
        masked = noise.fit_transform(frame)
    kept = [
        field for field in frame.schema.fields if field.name not in ("visits", "scan")
    ]
    assert masked.schema.fields == kept
    before, after = frame.toArrow(), masked.toArrow()
    for name in ("row", "block", "ti`ck", "day", "at", "wall", "small"):
        assert after[name].equals(before[name]), name
    for name in ("a.b c", "money"):
        assert after[name].null_count == 1
        assert not after[name].equals(before[name])


def test_the_settings_of_the_session_are_what_they_were(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path))
    name = "spark.sql.parquet.outputTimestampType"
    before = session.conf.get(name)
    with reading.limited_to(0):
        tc.Microdata.of(session.createDataFrame(numbers(20)))
    assert session.conf.get(name) == before


@pytest.mark.slow
def test_a_table_of_the_catalog_by_its_name(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    session.createDataFrame(numbers(900)).createOrReplaceTempView("people")
    how = ["--method", "rank_swapping", "--quasi", "income,age", "--seed", 3]
    how += ["--engine", "local[2]"]
    run(monkeypatch, "protect", "table:people", "a.parquet", *how)
    assert "Out of core, by local[2]" in capsys.readouterr().err
    pq.write_table(numbers(900), "in.parquet")
    run(monkeypatch, "protect", "in.parquet", "b.parquet", *how[:-2])
    assert pq.read_table("a.parquet").equals(pq.read_table("b.parquet"))
    run(monkeypatch, "verify", "a.parquet.manifest.json", "--engine", "local[2]")
    assert "yes  verified" in capsys.readouterr().out
    run(monkeypatch, "protect", "table:nobody", "c.parquet", *how, code=2)
    said = capsys.readouterr().err
    assert "`nobody` cannot be found" in said
    assert "\n" not in said.strip()


@pytest.mark.slow
def test_from_a_dataframe_to_an_assessed_release_in_eight_lines(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The how-to, run as it stands, but for the folder: Spark's is where its session began."""
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    page = page.replace('read.parquet("', f'read.parquet("{tmp_path}/')
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made, eight, again = blocks[:3]
    assert len([line for line in eight.splitlines() if line]) == 8
    space: dict[str, Any] = {}
    for block in (made, eight, again):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            exec(block, space)
    assert space["result"].verdict.word in ("safe", "borderline", "not safe")
    # rows of the release were shuffled: only who puts them back finds so many
    assert space["result"].linkages["nearest"].rate > 0.2
    assert Path("report.html").stat().st_size > 10_000
    assert space["checks"]["verified"]


@pytest.mark.slow
def test_the_how_to_runs_as_the_documentation_runs_it() -> None:
    """In a process of its own, which starts its own session."""
    script = PAGE.parents[1] / "execute.py"
    done = subprocess.run(
        [sys.executable, str(script), str(PAGE)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("where", ["disk"], indirect=True)
@pytest.mark.parametrize("name", list(registry))
def test_every_protector_takes_a_dataframe(session: Any, where: str, name: str) -> None:
    table = pa.Table.from_pandas(examples.frame(9000), preserve_index=False)
    # an area is a category, which a DataFrame has as text
    if name != "record_swapping":
        table = table.drop(["school"])
    columns = table.column_names
    frame = session.createDataFrame(table)
    method = examples.seeded(name, 7)
    if "columns" in method.get_params():
        wanted = method.get_params()["columns"]
        method.set_params(columns=[one for one in wanted or columns if one in columns])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        plain = method.fit_transform(table)
        masked = method.fit_transform(frame)
    assert type(masked) is type(frame)
    assert masked.columns == plain.column_names
    got = masked.toArrow()
    for column in plain.column_names:
        there = plain[column].combine_chunks()
        if pa.types.is_dictionary(there.type):
            there = there.cast(there.type.value_type)
        assert got[column].combine_chunks().cast(there.type).equals(there), column


@pytest.mark.slow
def test_every_item_is_a_task_of_its_own(session: Any) -> None:
    """Items that share a task are done one after the other while workers wait."""

    def task_of(item: int) -> tuple[int, int]:
        from pyspark import TaskContext

        return item, TaskContext.get().partitionId()

    places = [1, 2, 5, 6, 7, 9, 10, 11]
    found = dict(spread(session, task_of, list(range(0, 120, 10)), places))
    assert {place: item for place, (item, _) in found.items()} == {
        place: 10 * place for place in places
    }
    assert len({task for _, task in found.values()}) == len(places)
