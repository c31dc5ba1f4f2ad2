"""Groups of equal keys counted on the disk are those of memory, gaps and numbers included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.risk.k_anonymity import k_anonymity


@pytest.mark.parametrize("missing", ["any", "category"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("keys", [["word", "number"], ["number", "place", "word"]])
def test_sizes_of_groups_are_those_of_memory(
    keys: list[str],
    gaps: float,
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 70)
    rng = np.random.default_rng(4)
    n = 400
    lost = rng.random((3, n)) < gaps
    columns = {
        "word": pa.array(rng.choice(list("abcdef"), n), mask=lost[0]),
        "number": pa.array(rng.integers(-4, 5, n) / 2, mask=lost[1]),
        "place": pa.array(rng.integers(0, 4, n), mask=lost[2]),
    }
    pq.write_table(pa.table(columns), tmp_path / "file.parquet")
    roles = {"nominal": ["word"], "continuous": ["number"], "ordinal": ["place"]}
    held = io.read(tmp_path / "file.parquet", **roles)
    on_disk = OnDisk.open(tmp_path / "file.parquet", tmp_path, **roles)
    for k in (2, 5):
        memory = k_anonymity(held, held, k=k, keys=keys, missing=missing)
        disk = k_anonymity(on_disk, on_disk, k=k, keys=keys, missing=missing)
        assert 0 < memory.value < 1 or gaps
        assert disk.to_dict() == memory.to_dict()
