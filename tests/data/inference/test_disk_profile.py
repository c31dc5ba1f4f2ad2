"""A column on the disk is guessed as it is in memory, without being held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.data import io
from tacit.data.inference import disk_profile
from tacit.data.io import disk_table, on_disk
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces

N = 6000
BATCH = 700


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    serial = np.arange(N) + 1
    slip = serial.copy()
    slip[-1] = 1
    words = rng.choice(["yes", "no"], N).astype(object)
    words[::9] = None
    gaps = rng.lognormal(9, 1, N).round(2)
    gaps[::5] = np.nan
    return {
        "serial": serial,
        "slip": slip,
        "late_fraction": np.append(rng.integers(0, 90, N - 1).astype(float), 0.5),
        "account": rng.permutation(N) * 7919 + 10**9,
        "far": rng.integers(0, 2**40, N),
        "debt_no": np.sort(rng.integers(0, N // 4, N)),
        # rises but where one batch ends and the next begins
        "saw_no": np.arange(N) % BATCH,
        "family_id": np.repeat(np.arange(N // 2), 2),
        "unsorted_id": rng.integers(0, N // 2, N),
        "children": rng.integers(0, 5, N),
        "birth_year": rng.integers(1920, 2000, N),
        "birth_month": rng.integers(1, 13, N),
        "income": gaps,
        "cents": rng.integers(0, 10**4, N) / 100,
        "third": rng.random(N),
        "single": rng.random(N).astype(np.float32).round(1),
        "nothing": np.full(N, np.nan),
        "sex": rng.integers(0, 2, N),
        "agree": words,
        "name": [f"person {i}" for i in rng.permutation(N)],
        "sentence": [f"they said {i} times that it was so" for i in range(N)],
        "day": [f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.2020" for i in range(N)],
        "postcode": [f"{i % 700:05d}" for i in range(N)],
        "stamp": pd.Timestamp("2020-01-01") + pd.to_timedelta(serial, unit="h"),
        "category": pd.Categorical(rng.choice(["a", "b", "c"], N)),
        "ranked": pd.Categorical(
            rng.choice(["low", "mid", "high"], N), ["low", "mid", "high"], ordered=True
        ),
        "truth": rng.random(N) < 0.5,
        "weights_final_wgt": rng.random(N) * 100,
    }


@pytest.mark.parametrize("held", [1 << 16, 50])
def test_a_column_on_the_disk_is_guessed_as_in_memory(
    held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_profile, "MOST_HELD", held)
    monkeypatch.setattr(disk_profile, "MOST_TEXTS", held * 20)
    monkeypatch.setattr(disk_profile, "MOST_BITS", 3 * held)
    monkeypatch.setattr(pieces, "PIECE", 1000)
    for module in (disk_table, on_disk):
        monkeypatch.setattr(module, "BATCH", BATCH)
    table = pa.Table.from_pandas(pd.DataFrame(columns()), preserve_index=False)
    path = tmp_path / "in.parquet"
    pq.write_table(table, path, row_group_size=2500)
    memory, disk = io.read(path).schema, OnDisk.open(path, tmp_path).schema
    for column in memory:
        assert disk[column.name] == column
