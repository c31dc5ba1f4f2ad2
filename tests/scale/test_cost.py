"""What a run will cost is said before it starts, and how far off that was afterwards."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.test_any_size import ROLES, run, table
from tacit.base import spark_tasks
from tacit.plan.plan import Plan
from tacit.scale import any_size, cost
from tacit.scale.partition import leaf_size

ASKED = ["--method", "rank_swapping", "--set", "columns=income,age", *ROLES]
ASKED += ["--allow-unprotected"]


def test_the_model_is_the_sum_that_its_docstring_says() -> None:
    rng = np.random.default_rng(0)
    data = tc.Microdata.of(
        pa.table(
            {"a": rng.normal(size=50), "b": rng.normal(size=50), "t": ["x", "y"] * 25}
        ),
        quasi=["a", "b"],
        confidential="t",
    )
    plan = Plan.of(
        [tc.protect.Noise(percent=1), tc.protect.LocalSuppression(columns=["a"])]
    )
    found = cost.cost_of(plan, data, 10**6, 1000, on_disk=True)
    rates = cost.DISK
    cost_way = tc.protect.LocalSuppression(columns=["a"]).passes_of(data)
    each = 3 * rates["look"] + rates["text"] + 3 * rates["write"]
    each += 2 * rates["records"] + rates[cost_way]
    assert found.cpu_seconds == pytest.approx(rates["start"] + each)
    assert found.bytes_beside == 8 * (3 + 2 + 1) * 10**6
    assert cost.cost_of(plan, data, 10**6, 1000, on_disk=False).bytes_beside == 0
    assert found.afterwards(found.cpu_seconds / 2).endswith("(+100 %).")
    # two columns are masked in one step, one in the other, and one says who is who
    people = data.with_schema(data.schema.set(person="t"))
    more = cost.cost_of(plan, people, 10**6, 1000, on_disk=True)
    added = more.cpu_seconds - found.cpu_seconds
    assert added == pytest.approx((2 + 1 + 2) * rates["units"])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_dry_run_writes_nothing(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if ending == "csv":
        pacsv.write_csv(table(50_000), "in.csv")
    else:
        pq.write_table(table(50_000), "in.parquet")
    asked = ["protect", f"in.{ending}", "out.parquet", *ASKED, "--dry-run"]
    run(monkeypatch, *asked)
    said = capsys.readouterr().out
    assert said.startswith("In memory: ")
    assert "CPU seconds" in said
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, *asked, "--json")
    found = json.loads(capsys.readouterr().out)
    # lines of text are about as long as the first ones
    assert found["records"] == pytest.approx(50_000, rel=0.02)
    assert found["bytes_beside"] > 0
    assert found["bytes_read"] == Path(f"in.{ending}").stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == [f"in.{ending}"]


def test_a_run_from_the_disk_says_how_far_off_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(9000), "in.parquet")
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", "in.parquet", "out.parquet", *ASKED)
    assert "Predicted 1.6 CPU seconds, took " in capsys.readouterr().out


def test_blocks_have_a_cost_of_their_own() -> None:
    rng = np.random.default_rng(0)
    data = tc.Microdata.of(rng.normal(size=(50, 2)))
    plan = Plan.of(tc.protect.Microaggregation(k=3))
    inside = cost.cost_of(plan, data, 10**6, 1000, on_disk=True, in_blocks={1: 5000})
    rates = cost.DISK
    each = 2 * rates["look"] + 2 * rates["write"] + 2 * cost.BLOCKED
    groups = leaf_size.seconds(10**6, 2, 5000)
    assert inside.cpu_seconds == pytest.approx(rates["start"] + each + groups)
    larger = cost.cost_of(plan, data, 10**6, 1000, on_disk=True, in_blocks={1: 50_000})
    assert larger.cpu_seconds > inside.cpu_seconds


def test_a_look_has_a_cost_before_and_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(9000), "in.parquet")
    asked = ["risk", "in.parquet", "--quasi", "age,sex"]
    run(monkeypatch, *asked, "--dry-run")
    assert capsys.readouterr().out.startswith("In memory: 9,000 records of ")
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, *asked, "--dry-run", "--memory", "2GB")
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Out of core: ")
    known = pq.read_table("in.parquet")
    values = [len(known.column(name).unique()) for name in ("age", "sex")]
    number = values[0] * values[1]
    assert f"Up to {number} different combinations of keys are expected" in said
    run(monkeypatch, *asked, "--dry-run", "--json")
    found = json.loads(capsys.readouterr().out)
    each = 0.06 * found["columns"] + 0.12 * 2
    seconds = 1.9 + (9000 * each + 4.0 * number) / 1e6
    assert found["cpu_seconds"] == pytest.approx(seconds)
    run(monkeypatch, *asked, "--memory", "2GB")
    assert "Predicted 1.9 CPU seconds, took " in capsys.readouterr().err
    (tmp_path / "in.sav").touch()
    run(monkeypatch, "risk", "in.sav", "--dry-run", code=2)
    assert "this is neither" in capsys.readouterr().err


def test_what_the_workers_took_is_said_beside() -> None:
    found = cost.Cost(1, 1, 1, 0, 1, 10.0)
    assert found.afterwards(2.0, 6.0) == (
        "Predicted 10.0 CPU seconds, took 8.0 (+25 %), 2.0 by this process and 6.0 by the "
        "workers."
    )


@pytest.mark.slow
@pytest.mark.needs("java")
def test_the_seconds_of_the_workers_are_counted(
    local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Of pieces, and of blocks."""
    before = spark_tasks.worker_seconds()
    own = time.process_time()

    def busy(seconds: float) -> float:
        start = time.process_time()
        while time.process_time() - start < seconds:
            pass
        return seconds

    assert len(list(local.map(busy, [0.4] * 5))) == 5
    took = spark_tasks.worker_seconds() - before
    assert 2.0 <= took < 8.0
    assert time.process_time() - own < 2.0
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(9000), "in.parquet")
    monkeypatch.setattr(any_size, "engine_of", lambda _: local)
    asked = ["--method", "microaggregation", "--set", "columns=income,age", *ROLES]
    asked += ["--allow-unprotected", "--blocks", "2000", "--engine", "local[2]"]
    capsys.readouterr()
    counted = spark_tasks.worker_seconds()
    run(monkeypatch, "protect", "in.parquet", "out.parquet", *asked)
    assert " by the workers." in " ".join(capsys.readouterr().out.split())
    assert spark_tasks.worker_seconds() > counted
