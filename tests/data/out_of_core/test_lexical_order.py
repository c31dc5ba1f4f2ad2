"""The order of several columns on the disk is that of ``numpy.lexsort`` in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.lexical_order import lexical_order
from tacit.data.out_of_core.number_files import ArrayNumbers


@pytest.mark.parametrize("width", [1, 2, 4])
def test_the_order_is_that_of_lexsort(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 64)
    rng = np.random.default_rng(width)
    n = 1000
    columns = rng.integers(-2, 3, (width, n)).astype(float)
    columns[0, rng.random(n) < 0.1] = np.nan
    columns[-1, rng.random(n) < 0.1] = -0.0
    sources = [ArrayNumbers(column) for column in columns]
    rows = lexical_order(sources, SpillFolder(tmp_path)).read(0, n)
    assert np.array_equal(rows, np.lexsort(columns[::-1] + 0.0))
