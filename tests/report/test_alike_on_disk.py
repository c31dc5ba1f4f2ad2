"""How many look alike: of files on the disk, records are counted and not their combinations."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.report.alike import BANDS, Alike


@pytest.mark.parametrize("roles", [{}, {"person": "id"}], ids=["records", "persons"])
def test_shares_of_records_are_those_of_memory(
    roles: dict[str, str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    n = 300
    before = {
        "id": rng.integers(0, 150, n),
        "sex": rng.choice(list("fm"), n, p=[0.97, 0.03]),
        "region": rng.choice(list("abcdef"), n, p=[0.7, 0.1, 0.1, 0.08, 0.01, 0.01]),
    }
    before["region"][7] = "z"
    after = before | {
        "region": pa.array(before["region"], mask=np.arange(n) % 20 == 0),
    }
    quasi: dict[str, Any] = {"quasi": ["sex", "region"], **roles}
    pairs: list[list[Any]] = [[], []]
    for name, table in (("x", before), ("z", after)):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(table), path)
        (tmp_path / name).mkdir()
        pairs[0].append(io.read(path, **quasi))
        pairs[1].append(OnDisk.open(path, tmp_path / name, **quasi))
    memory, disk = (
        Alike.of(cast("Any", SimpleNamespace(original=x, masked=z))) for x, z in pairs
    )
    assert memory is not None
    assert disk is not None
    assert disk.smallest == memory.smallest
    assert disk.explained == memory.explained != ""
    for low, high in zip(BANDS, [*BANDS[1:], None], strict=True):
        for name in ("before", "after", "printed"):
            ours, theirs = getattr(memory, name), getattr(disk, name)
            assert theirs.share(low, high) == ours.share(low, high)
    assert disk.printed is not None
    assert disk.printed.alone > 0
