"""A sample of a file on the disk: the records of memory, with their weights and missing codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core import pieces
from tacit.protect import by_address


def written(path: Path, n: int) -> Path:
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "age": pa.array(rng.choice([20, 30, 99, 41], n)),
            "region": pa.array(rng.choice(["n", "s", "e"], n)).dictionary_encode(),
            "weight": rng.random(n) + 1,
        }
    )
    pq.write_table(table, path, row_group_size=170)
    return path


def read(path: Path, folder: Path | None) -> Microdata:
    schema = io.read(path).schema.set(weight="weight")
    if folder is None:
        return io.read(path, schema)
    return OnDisk.open(path, folder, schema)


@pytest.mark.parametrize("strata", [None, ["region"]])
def test_weights_stand_for_the_file_and_are_those_of_memory(
    strata: list[str] | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 256)
    monkeypatch.setattr(by_address, "BLOCK", 64)
    file = written(tmp_path / "in.parquet", 1100)
    method = tc.protect.Sampling(fraction=0.2, strata=strata, random_state=3)
    memory = method.fit_transform(read(file, None))
    disk = method.fit_transform(read(file, tmp_path))
    assert isinstance(disk, OnDisk)
    assert disk.n == memory.n == round(0.2 * 1100)
    assert disk.schema == memory.schema
    assert disk.disk.load(disk.names).equals(memory.table.combine_chunks())
    assert np.array_equal(
        memory.column("age"), read(file, None).take(method.rows_).column("age")
    )


@pytest.mark.slow
def test_every_record_is_drawn_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file of several blocks, too."""
    monkeypatch.setattr(by_address, "BLOCK", 8)
    data = np.arange(40.0)[:, None]
    drawn = np.zeros(40)
    for seed in range(2000):
        sample = tc.protect.Sampling(fraction=0.25, random_state=seed).fit_transform(
            data
        )
        drawn[sample[:, 0].astype(int)] += 1
    # binomial with 2,000 draws of a quarter: five standard errors
    assert np.abs(drawn / 2000 - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / 2000)
