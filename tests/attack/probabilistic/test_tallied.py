"""EM from counts over files on the disk finds the model that it finds in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.attack.probabilistic.fellegi_sunter import FellegiSunter
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces

ROLES: dict[str, Any] = {
    "quasi": ["age", "hours", "region"],
    "continuous": ["age", "hours"],
    "nominal": ["region"],
}


def test_from_the_disk_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 90)
    rng = np.random.default_rng(5)
    n = 400
    regions = np.array(["north", "south", "east", "west"])
    age = pa.array(rng.integers(20, 40, n).astype(float), mask=rng.random(n) < 0.05)
    region = regions[rng.integers(0, 3, n)]
    hours = rng.integers(20, 45, n).astype(float)
    original = pa.table({"age": age, "hours": hours, "region": region})
    # the release has a region that the original does not know
    other = np.where(rng.random(n) < 0.1, "west", region)
    noisy = hours + rng.integers(-1, 2, n)
    masked = pa.table({"age": age, "hours": noisy, "region": other})
    memory, disk = [], []
    for name, table in (("x", original), ("z", masked)):
        file = tmp_path / f"{name}.parquet"
        pq.write_table(table, file, row_group_size=150)
        (tmp_path / name).mkdir()
        memory.append(io.read(file, **ROLES))
        disk.append(OnDisk.open(file, tmp_path / name, **ROLES))
    attacker = FellegiSunter(similarities=(0.7,))
    expected, found = attacker.fitted(*memory), attacker.fitted(*disk)
    assert np.array_equal(found.levels, expected.levels)
    assert np.array_equal(found.counts, expected.counts)
    assert found.counts.sum() == n * n
    assert found.model.prior == expected.model.prior
    for ours, theirs in zip(found.model.m, expected.model.m, strict=True):
        assert np.array_equal(ours, theirs)
    assert found.thresholds == expected.thresholds
