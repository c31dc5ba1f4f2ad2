"""Counts in a sorted column on the disk are those of ``numpy.searchsorted`` in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.number_files import ArrayNumbers, NumberFiles, write_numbers
from tacit.data.out_of_core.order_counts import OrderCounts, at_rising, distinct
from tacit.data.out_of_core.sorting import sorted_numbers


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 100)


COLUMNS = {
    "all differ": np.random.default_rng(1).normal(size=1000),
    "few values": np.random.default_rng(2).integers(0, 4, 1000).astype(float),
    "constant": np.full(1000, 2.0),
    "gaps": np.where(np.arange(1000) % 3, np.arange(1000) / 7, np.nan),
    "nothing there": np.full(300, np.nan),
}


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("width", [3, 100])
def test_counts_are_those_of_the_whole_column(
    values: np.ndarray, width: int, tmp_path: Path
) -> None:
    counts = OrderCounts.of(sorted_numbers(ArrayNumbers(values), SpillFolder(tmp_path)))
    whole = np.sort(values[~np.isnan(values)])
    assert counts.n == len(whole)
    asked = np.sort(np.concatenate([whole, np.linspace(-4, 150, 200)]))
    for first in range(0, len(asked), width):
        some = asked[first : first + width]
        assert np.array_equal(counts.below(some), np.searchsorted(whole, some))
        up_to = np.searchsorted(whole, some, side="right")
        assert np.array_equal(counts.up_to(some), up_to)
    assert not len(counts.below(np.empty(0)))


def test_numbers_at_rising_places(tmp_path: Path) -> None:
    numbers = np.arange(1000) * 3
    paths = tmp_path / "a", tmp_path / "b"
    lengths = (
        write_numbers(paths[0], numbers[:700]),
        write_numbers(paths[1], numbers[700:]),
    )
    files = NumberFiles(paths, lengths, "<i8")
    places = np.array([0, 0, 3, 98, 99, 100, 550, 699, 700, 701, 999])
    assert np.array_equal(at_rising(files, places), numbers[places])
    assert not len(at_rising(files, places[:0]))


def test_each_value_once() -> None:
    assert distinct(np.array([1.0, 1.0, 2.0, 5.0, 5.0])).tolist() == [1, 2, 5]
