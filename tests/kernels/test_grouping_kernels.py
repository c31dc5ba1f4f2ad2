"""Grouping equal keys: the compiled table and numpy, which small files use."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.kernels import grouping
from tacit.protect.lattice import class_cells as cells


@pytest.mark.parametrize("seed", range(12))
def test_a_table_and_sorting_give_the_same_labels(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few and many keys, runs of neighbours, keys of 62 bits, none at all."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 400))
    highest = int(rng.choice([1, 5, 1000, 2**62]))
    keys = rng.integers(0, highest, n, dtype=np.int64)
    labels, first = grouping.group(keys)
    monkeypatch.setattr(type(grouping.group), "pays", lambda self, seconds: False)
    plain_labels, plain_first = cells.grouped(keys)
    np.testing.assert_array_equal(labels, plain_labels)
    np.testing.assert_array_equal(first, plain_first)
    # the invariant: labels by first occurrence
    seen: dict[int, int] = {}
    expected = [seen.setdefault(key, len(seen)) for key in keys.tolist()]
    assert labels.tolist() == expected
    assert first.tolist() == [keys.tolist().index(key) for key in seen]


def test_codes_that_fill_more_than_62_bits_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 2**20, 300) % 7 for _ in range(9)]
    label, first = cells.labelled([(codes, 2**20) for codes in columns], 300)
    rows = list(zip(*[codes.tolist() for codes in columns], strict=True))
    assert len(first) == len(set(rows))
    assert all(rows[i] == rows[int(first[label[i]])] for i in range(300))
