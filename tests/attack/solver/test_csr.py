"""Flat lists of lists against lists of lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tacit.attack.solver.csr import owners, pointers, pointers_of, take_rows
from tacit.attack.solver.solution import Solution


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_taken_as_from_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    degree = rng.integers(0, 4, size=8)
    indptr = pointers(degree)
    values = rng.integers(0, 100, size=indptr[-1])
    lists = [values[a:b].tolist() for a, b in pairwise(indptr)]
    rows = rng.integers(0, 8, size=12)
    taken, entries = take_rows(indptr, rows)
    got = [values[entries[a:b]].tolist() for a, b in pairwise(taken)]
    assert got == [lists[row] for row in rows]


def test_owners_and_pointers_undo_each_other() -> None:
    indptr = pointers(np.array([0, 3, 0, 1, 0]))
    assert owners(indptr).tolist() == [1, 1, 1, 3]
    assert pointers_of(owners(indptr), 5).tolist() == indptr.tolist()
    assert pointers_of(np.zeros(0, np.int64), 2).tolist() == [0, 0, 0]


def test_a_solution_says_its_gap_and_whether_it_has_duals() -> None:
    solution = Solution(np.array([0]), 2.0, 1.5, certified=False)
    assert solution.gap == 0.25
    with pytest.raises(AttributeError, match="without duals"):
        _ = solution.u
    nothing = Solution(np.zeros(0, np.int64), 0.0, 0.0, certified=True)
    assert nothing.gap == 0.0
