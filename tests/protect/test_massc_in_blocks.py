"""MASSC of large files: neighbours by combination, and weights added block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.protect import by_address
from tacit.protect.grouping.key_classes import compress
from tacit.protect.massc import neighbours
from tacit.protect.massc_in_blocks import Classes


@pytest.mark.parametrize("seed", range(20))
def test_only_the_last_record_of_a_combination_has_another_neighbour(seed: int) -> None:
    """The records one by one are the reference."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 5, (int(rng.integers(1, 40)), 2))
    distinct, label, count = compress(codes)
    of_class = np.searchsorted([2, 3, 4], count, side="right")
    shuffled = rng.permutation(len(codes))
    donor = neighbours(label, of_class[label], shuffled)
    classes = Classes.of(distinct.astype(float), distinct, count, of_class)
    last = np.zeros(len(codes), dtype=bool)
    for one in range(len(distinct)):
        last[shuffled[label[shuffled] == one][-1]] = True
    expected = np.where(last, classes.donor[label], label)
    assert np.array_equal(label[donor], expected)


def test_weights_from_the_disk_are_those_of_memory_and_keep_totals(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 256)
    monkeypatch.setattr(by_address, "BLOCK", 64)
    rng = np.random.default_rng(0)
    n = 1300
    table = pa.table(
        {
            "age": rng.integers(0, 90, n),
            "sex": rng.integers(0, 2, n),
            "income": rng.lognormal(8, 1, n),
            "weight": rng.random(n) * 5 + 1,
        }
    )
    file = tmp_path / "in.parquet"
    pq.write_table(table, file, row_group_size=200)
    roles = {"quasi": ["age", "sex"], "confidential": ["income"], "weight": "weight"}
    method = tc.protect.MASSC(random_state=5)
    before = io.read(file, **roles)
    memory = method.fit_transform(before)
    disk = method.fit_transform(OnDisk.open(file, tmp_path, **roles))
    assert isinstance(disk, OnDisk)
    assert disk.schema == memory.schema
    assert (
        disk.disk.load(disk.names)
        .combine_chunks()
        .equals(memory.table.combine_chunks())
    )
    weights, base = memory.column("weight"), before.column("weight")
    assert weights.sum() == pytest.approx(base.sum())
    total = base @ before.column("income")
    assert weights @ memory.column("income") == pytest.approx(total)
    # some keys are another's, and no combination is new
    rows = before.take(method.rows_)
    both = memory.numbers(["age", "sex"]), rows.numbers(["age", "sex"])
    moved = (both[0] != both[1]).any(axis=1)
    assert 0 < moved.sum() < 0.6 * len(moved)
    known = {tuple(row) for row in before.numbers(["age", "sex"])}
    assert {tuple(row) for row in both[0]} <= known
