"""Pairings of small groups against scipy, on matrices padded by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tacit.kernels.assignment.small import group_costs, group_pairing, member_pairs


def _plain(cells: np.ndarray, left_out: np.ndarray, charge: float) -> float:
    """The same cost by scipy: strangers below, left-over originals to the right."""
    rows, cols = cells.shape
    k = max(rows, cols)
    square = np.full((k, k), charge)
    square[:rows, :cols] = cells
    if cols > rows:
        square[rows:] = left_out
    wall = 1e6
    i, j = linear_sum_assignment(np.where(np.isinf(square), wall, square))
    return float(square[i, j].sum())


@pytest.mark.parametrize("seed", range(40))
def test_cost_of_two_groups_is_that_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrices, left = [], []
    for _ in range(8):
        cells = rng.normal(size=rng.integers(1, 9, 2)) * 3
        cells[rng.random(cells.shape) < 0.15] = np.inf
        matrices.append(cells)
        left.append(rng.normal(size=cells.shape[1]))
    rows = np.array([m.shape[0] for m in matrices])
    cols = np.array([m.shape[1] for m in matrices])
    size = rows * cols
    found = group_costs(
        np.concatenate([m.ravel() for m in matrices]),
        np.cumsum(size) - size,
        rows,
        cols,
        np.concatenate(left),
        np.cumsum(cols) - cols,
        0.7,
    )
    wanted = [_plain(m, s, 0.7) for m, s in zip(matrices, left, strict=True)]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_pairing_gives_the_cost_and_leaves_impossible_members_alone() -> None:
    cells = np.array([[1.0, np.inf], [0.5, np.inf], [3.0, np.inf]])
    column = group_pairing(cells.ravel(), 3, 2, np.zeros(2), 0.0)
    assert column.tolist() == [-1, 0, -1]


def test_all_members_of_one_group_meet_all_of_the_other() -> None:
    start_a, start_b = np.array([0, 2, 3]), np.array([0, 1, 4])
    row_a, row_b = np.array([7, 8, 9]), np.array([4, 3, 2, 1])
    a, b = np.array([1, 0]), np.array([1, 0])
    left, right = member_pairs(a, b, start_a, start_b, row_a, row_b)
    assert left.tolist() == [9, 9, 9, 7, 8]
    assert right.tolist() == [3, 2, 1, 4, 4]
