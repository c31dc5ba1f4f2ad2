"""Work from the disk gives what plain numpy gives of the same numbers in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.data.io.disk_table import DiskTable, SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.block_sums import block_sums
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.key_counts import (
    KeyArray,
    KeyColumns,
    bits_of,
    count_keys,
    numbers_of,
)
from tacit.data.out_of_core.number_files import ArrayNumbers
from tacit.data.out_of_core.placing import placed
from tacit.data.out_of_core.row_sort import in_key_order
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.scale.engine import Processes, Threads

N = 5000


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 512)


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    broken = rng.normal(size=N)
    broken[rng.random(N) < 0.1] = np.nan
    half = np.where(rng.random(N) < 0.5, 7.0, rng.integers(0, 20, N).astype(float))
    return {
        "all differ": rng.permutation(N).astype(float),
        "with gaps": broken,
        "few values": rng.integers(0, 4, N).astype(float),
        "one value has half": half,
        "constant": np.full(N, 2.5),
        "nothing there": np.full(N, np.nan),
        "rising": np.arange(N) // 3 * 1.0,
        "short": np.array([3.0, 1.0, np.nan, 1.0]),
    }


EVERY = pytest.mark.parametrize("values", columns().values(), ids=columns())


@EVERY
def test_the_order_is_that_of_a_stable_sort(values: Any, folder: SpillFolder) -> None:
    ordered = sorted_numbers(ArrayNumbers(values), folder)
    rows = np.flatnonzero(~np.isnan(values))
    rows = rows[np.argsort(values[rows], kind="stable")]
    found = list(ordered.in_turn(700))
    assert ordered.present == len(rows)
    assert np.array_equal(_joined([one for _, one in found]), rows)
    assert np.array_equal(_joined([one for one, _ in found]), values[rows])
    assert ordered.distinct == len(np.unique(values[rows]))


@EVERY
def test_no_range_is_much_larger_than_a_piece(values: Any, folder: SpillFolder) -> None:
    ordered = sorted_numbers(ArrayNumbers(values), folder)
    assert max(one.records for one in ordered.stretches) <= 1.3 * pieces.PIECE


def _ties(seed: int, first: int, stop: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2**63, N, dtype=np.uint64)[
        first:stop
    ]


@EVERY
def test_equal_values_in_the_order_of_their_tie_breakers(
    values: Any, folder: SpillFolder
) -> None:
    ordered = sorted_numbers(ArrayNumbers(values), folder, ties=partial(_ties, 4))
    rows = np.flatnonzero(~np.isnan(values))
    tie = _ties(4, 0, len(values))
    rows = rows[np.lexsort((tie[rows], values[rows]))]
    assert np.array_equal(ordered.rows.read(0, N), rows)
    assert max(one.records for one in ordered.stretches) <= 1.3 * pieces.PIECE


@EVERY
@pytest.mark.parametrize(
    ("of_equal", "method"),
    [
        ("first", "first"),
        ("average", "average"),
        ("low", "min"),
        ("high", "max"),
        ("dense", "dense"),
    ],
)
def test_ranks_are_those_of_pandas(
    values: Any, of_equal: Any, method: Any, folder: SpillFolder
) -> None:
    ranks = sorted_numbers(ArrayNumbers(values), folder).ranks(folder, of_equal)
    expected = pd.Series(values).rank(method=method).to_numpy() - 1
    assert np.array_equal(ranks.read(0, len(values)), expected, equal_nan=True)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.25, 0.5, 0.75, 0.981, 1.0])
@pytest.mark.parametrize("name", ["with gaps", "one value has half", "short"])
def test_quantiles_are_those_of_numpy(
    name: str, share: float, folder: SpillFolder
) -> None:
    values = columns()[name]
    found = sorted_numbers(ArrayNumbers(values), folder).quantile(share)
    assert found == pytest.approx(np.nanquantile(values, share), rel=1e-15)


def _moved(order: Any, numbers: Any, item: tuple[int, int]) -> Any:
    return order[slice(*item)], numbers[slice(*item)]


def test_numbers_go_to_their_rows(folder: SpillFolder) -> None:
    rng = np.random.default_rng(0)
    order, numbers = rng.permutation(N)[:4000], rng.random(4000)
    work = partial(_moved, order, numbers)
    found = placed(work, pieces.spans(4000, 300), N, folder)
    expected = np.full(N, np.nan)
    expected[order] = numbers
    assert np.array_equal(found.read(0, N), expected, equal_nan=True)
    assert np.array_equal(found.read(700, 1300), expected[700:1300], equal_nan=True)


def keys() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    skewed = rng.integers(0, 300, (N, 2))
    skewed[: N // 2] = 17
    return {
        "few": rng.integers(-1, 3, (N, 3)),
        "half are one": skewed,
        "all differ": np.arange(N)[:, None] * 7919,
        "wide": rng.integers(0, 2, (N, 12)),
        "bits": bits_of(np.round(rng.normal(size=(N, 2)), 1)),
    }


@pytest.mark.parametrize("keys", keys().values(), ids=keys())
def test_counts_are_those_of_numpy(keys: Any, folder: SpillFolder) -> None:
    counts = count_keys(KeyArray(keys), folder)
    distinct, label, size = np.unique(
        keys, axis=0, return_inverse=True, return_counts=True
    )
    assert counts.keys == len(distinct)
    assert np.array_equal(counts.of_records(folder).read(0, N), size[label.ravel()])
    assert counts.below(5) == (size[label.ravel()] < 5).sum()
    found = list(counts.in_turn())
    every, of_each = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort(every.T[::-1])
    assert np.array_equal(every[order], distinct)
    assert np.array_equal(of_each[order], size)
    # numbers name the rows of what comes in turn
    number = counts.numbers(folder).read(0, N)
    assert np.array_equal(every[number], keys)


def test_a_key_that_half_of_the_records_have_makes_no_target_large(
    folder: SpillFolder,
) -> None:
    counts = count_keys(KeyArray(keys()["half are one"]), folder)
    assert counts.grouped.records.max() < 1.5 * pieces.PIECE


def test_bits_and_back() -> None:
    numbers = np.array([0.0, -0.0, 1.5, -2.0, np.nan, 1e300])
    assert np.array_equal(numbers_of(bits_of(numbers)), numbers, equal_nan=True)


def _keys_of_rows(first: int, stop: int) -> Any:
    drawn = np.random.default_rng(8).integers(0, 2**64, N, dtype=np.uint64)
    drawn[::7] = drawn[0]
    return drawn[first:stop]


def mixed() -> pa.Table:
    rng = np.random.default_rng(1)
    words = np.array(["a", "bb", None, "ddd"], dtype=object)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=N),
            "whole": rng.integers(0, 9, N),
            "text": words[rng.integers(0, 4, N)],
            "gaps": np.where(rng.random(N) < 0.2, np.nan, 1.0),
            "category": pd.Categorical(words[rng.integers(0, 4, N)]),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 9, N), unit="D"),
        }
    )
    wide = {f"w{j}": rng.integers(0, 99, N) for j in range(20)}
    return pa.Table.from_pandas(frame.assign(**wide), preserve_index=False)


def on_disk(table: pa.Table, folder: SpillFolder) -> Path:
    path = folder.path / "in.parquet"
    pq.write_table(table, path, row_group_size=900)
    return path


def test_rows_in_the_order_of_their_keys(folder: SpillFolder) -> None:
    path = on_disk(mixed(), folder)
    table = DiskTable.of(ParquetParts.of(path), folder)
    moved = in_key_order(table, _keys_of_rows)
    order = np.argsort(_keys_of_rows(0, N), kind="stable")
    expected = table.load(table.column_names).take(pa.array(order))
    loaded = moved.load(moved.column_names)
    assert loaded.schema.equals(expected.schema)
    for name in expected.column_names:
        left, right = loaded.column(name), expected.column(name)
        assert left.to_pylist() == right.to_pylist(), name


def _sums(block: Any) -> Any:
    return np.concatenate([np.nansum(block, axis=0), [len(block)]])


def test_sums_have_the_bits_of_memory(folder: SpillFolder) -> None:
    path = on_disk(mixed(), folder)
    data = OnDisk.open(path, folder.path)
    names = ["number", "whole", "gaps"]
    in_memory = data.held(names)
    for length in (64, 100):
        found = block_sums(data, names, _sums, length)
        assert np.array_equal(found, block_sums(in_memory, names, _sums, length))
        assert found[-1] == N
        assert found[0] == pytest.approx(np.sum(in_memory.column("number")))


@contextmanager
def mapping(engine: Any) -> Iterator[None]:
    with pieces.mapped_by(engine.map):
        yield


@pytest.mark.parametrize(
    "engine",
    [Threads(3), pytest.param(Processes(2), marks=pytest.mark.slow)],
    ids=["threads", "processes"],
)
def test_whoever_does_the_pieces(engine: Any, folder: SpillFolder) -> None:
    path = on_disk(mixed(), folder)
    data = OnDisk.open(path, folder.path)
    with mapping(engine):
        ordered = sorted_numbers(ColumnNumbers.of(data, "number"), folder)
        counts = count_keys(KeyColumns.of(data, ["text", "whole", "gaps"]), folder)
        ranks = ordered.ranks(folder).read(0, N)
        found = counts.of_records(folder).read(0, N)
    values = data.column("number")
    assert np.array_equal(ranks, np.argsort(np.argsort(values)))
    in_memory = mixed().select(["text", "whole", "gaps"]).to_pandas()
    expected = in_memory.groupby(["text", "whole", "gaps"], dropna=False).transform(
        "size"
    )
    assert np.array_equal(found, expected.to_numpy())


def _joined(parts: list[Any]) -> Any:
    return np.concatenate(parts) if parts else np.empty(0)


def test_two_files_in_one_folder_do_not_write_over_each_other(tmp_path):
    first, second = SpillFolder(tmp_path), SpillFolder(tmp_path)
    ones = first.write([pa.table({"a": [1.0, 1.0]})])
    twos = second.write([pa.table({"a": [2.0, 2.0]})])
    assert ones.column("a").to_pylist() == [1.0, 1.0]
    assert twos.column("a").to_pylist() == [2.0, 2.0]
