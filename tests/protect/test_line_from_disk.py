"""Individual ranking of large files: the same along a line on the disk, in memory and in theory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import InputError, ParameterError
from tacit.data import io
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.number_files import ArrayNumbers
from tacit.kernels.mdav.univariate import fixed_groups, optimal_groups
from tacit.protect import by_address
from tacit.protect.grouping import aggregates
from tacit.protect.grouping.line_from_disk import (
    DiskLine,
    FixedBegins,
    ValueOrder,
    optimal_begins,
)
from tacit.protect.grouping.record_groups import along


def ties(n: int, seed: int) -> pa.Table:
    """Two columns with many equal values and gaps, and weights with many digits."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 40, n) * 1.25
    b = np.round(rng.normal(1e6, 3, n), 1)
    a[rng.random(n) < 0.05] = np.nan
    return pa.table(
        {"a": pa.array(a, from_pandas=True), "b": b, "w": rng.random(n) * 3 + 0.1}
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 2, 7, 200])
def test_groups_found_stretch_by_stretch_are_those_of_the_whole_line(
    k: int, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    values = ties(1000, seed)["b"].to_numpy()
    # shorter than a group of 200
    monkeypatch.setattr(pieces, "PIECE", 128)
    monkeypatch.setattr(by_address, "BLOCK", 64)
    folder = SpillFolder(tmp_path)
    source = ArrayNumbers(values)
    order = ValueOrder.of([source], folder)
    line = DiskLine.of(source, order, folder, fill=False)
    begins = optimal_begins(line, k, folder).read(0, line.n)
    scores = line.scale.scores(line.values.read(0, line.n))
    assert np.array_equal(np.cumsum(begins) - 1, optimal_groups(scores, k))
    fixed = FixedBegins(line.n, k).read(0, line.n)
    assert np.array_equal(np.cumsum(fixed) - 1, fixed_groups(line.n, k))


@pytest.mark.parametrize("gaps", ["keep", "fill"])
@pytest.mark.parametrize("aggregate", ["auto", "median"])
@pytest.mark.parametrize("weighted", [True, False])
def test_averages_from_the_disk_are_those_of_memory(
    aggregate: str,
    weighted: bool,
    gaps: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 256)
    monkeypatch.setattr(by_address, "BLOCK", 64)
    file = tmp_path / "in.parquet"
    pq.write_table(ties(1500, 1), file)
    method = tc.protect.Microaggregation(
        k=4, partition="individual", aggregate=aggregate, weighted=weighted, gaps=gaps
    )
    roles = {"quasi": ["a", "b"], "weight": "w", "continuous": ["a", "b", "w"]}
    memory = method.fit_transform(io.read(file, **roles))
    disk = method.fit_transform(OnDisk.open(file, tmp_path, **roles))
    assert isinstance(disk, OnDisk)
    for name in memory.names:
        assert disk.disk.load([name])[name].equals(memory.table[name]), name


def test_in_one_block_and_in_many_the_groups_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The plain path of small files is the reference."""
    values = np.random.default_rng(2).normal(1e6, 3, (800, 2))
    values[::17, 0] = np.nan
    method = tc.protect.Microaggregation(k=3, partition="individual")
    plain, labels, sse = method.fit_transform(values), method.labels_, method.sse_
    scores = aggregates.standardise(np.sort(values[:, [1]], axis=0))[:, 0]
    assert np.array_equal(np.sort(labels[:, 1]), along(scores, 3))
    monkeypatch.setattr(by_address, "BLOCK", 64)
    many = method.fit_transform(values)
    assert np.array_equal(method.labels_, labels)
    assert np.allclose(many, plain, rtol=1e-14, equal_nan=True)
    assert method.sse_ == pytest.approx(sse, rel=1e-12)


def test_the_order_of_rows_plays_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_address, "BLOCK", 64)
    table = ties(700, 3).drop_columns(["w"])
    data = tc.Microdata.of(table, continuous=["a", "b"])
    method = tc.protect.Microaggregation(k=3, partition="individual")
    shuffled = data.take(np.random.default_rng(0).permutation(data.n))

    def pairs(given: tc.Microdata) -> np.ndarray:
        """Records beside what became of them; equal records may change places."""
        both = np.hstack([given.numbers(), method.fit_transform(given).numbers()])
        return both[np.lexsort(both.T)]

    assert np.array_equal(pairs(data), pairs(shuffled), equal_nan=True)


def test_what_cannot_be_done_is_said_as_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(by_address, "BLOCK", 64)
    table = ties(300, 4)
    weights = table["w"].to_numpy().copy()
    weights[211] = -1.0
    table = table.set_column(2, "w", pa.array(weights))
    pq.write_table(table, tmp_path / "in.parquet")
    roles = {"quasi": ["a"], "weight": "w", "continuous": ["a", "b", "w"]}
    data = OnDisk.open(tmp_path / "in.parquet", tmp_path, **roles)
    method = tc.protect.Microaggregation(k=3, partition="individual")
    with pytest.raises(InputError, match="row 212"):
        method.fit_transform(data)
    with pytest.raises(ParameterError, match="larger than the number of records"):
        method.set_params(k=301, weighted=False).fit_transform(data)
