"""What a run will cost is said before it starts, and how far off that was afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.test_any_size import ROLES, run, table
from tacit.plan.plan import Plan
from tacit.scale import any_size, cost

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
