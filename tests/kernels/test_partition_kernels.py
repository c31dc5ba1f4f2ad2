"""Small kernels against plain numpy: tree and shell queries with deletions, exact sums."""

import numpy as np
import pytest

from tacit.kernels.mdav.live_tree import build_nearest, delete, split, unit
from tacit.kernels.mdav.nearest import nearest
from tacit.kernels.mdav.shells import build_shells, farthest
from tacit.kernels.mdav.squared_error import squared_error
from tacit.kernels.trees.orthtree import codes, moments, sums_by_leaf


def squared(x: np.ndarray, rows: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """Squared distances, summed in column order as the kernels do."""
    total = np.zeros(len(rows))
    for j in range(x.shape[1]):
        total += (x[rows, j] - pole[j]) ** 2
    return total


def shape(seed: int, n: int, d: int) -> np.ndarray:
    """Values that try the rounding of single precision.

    Few distinct, plain, far from 0, of very different sizes.
    """
    rng = np.random.default_rng([seed, n, d])
    match seed % 4:
        case 0:
            return rng.integers(0, 12, size=(n, d)).astype(float)
        case 1:
            return rng.normal(size=(n, d))
        case 2:
            return 1e9 + rng.normal(size=(n, d))
        case _:
            return np.exp(8 * rng.normal(size=(n, d)))


@pytest.mark.parametrize("seed", range(8))
def test_nearest_and_farthest_with_deletions_equal_full_scans(seed: int) -> None:
    """Ranks and distances, to the last digit."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 3000)), int(rng.integers(1, 8))
    x = shape(seed, n, d)
    centre = x.mean(axis=0)
    tree = build_nearest(x, np.arange(n), centre, unit(x, centre))
    shells = build_shells(x, np.arange(n), centre, unit(x, centre))
    live = np.arange(n)
    found, distance = np.empty(5, np.int64), np.empty(5)
    for _ in range(30):
        pole = x[rng.integers(n)] + rng.normal(size=d) * (seed % 3)
        away = squared(x, live, pole)
        count = nearest(tree, x, pole, found, distance, np.inf)
        expected = np.lexsort((live, away))[:5]
        assert found[:count].tolist() == live[expected].tolist()
        assert distance[:count].tolist() == away[expected].tolist()
        assert farthest(shells, x, pole) == live[np.argmax(away)]
        for r in rng.choice(
            live, size=min(len(live) - 1, int(rng.integers(0, 90))), replace=False
        ):
            delete(tree, r)
            delete(shells[0], r)
            live = live[live != r]


@pytest.mark.parametrize("seed", range(4))
def test_split_halves_the_widest_column(seed: int) -> None:
    """Four parts of equal size, cut where the file is widest."""
    x = shape(seed, 700, 3)
    order, bounds = np.arange(700), np.array([0, 0, 0, 0, 700])
    split(order, x, bounds, 0, 4)
    assert bounds.tolist() == [0, 175, 350, 525, 700]
    assert sorted(order) == list(range(700))
    for first, middle, last in ((0, 350, 700), (0, 175, 350), (350, 525, 700)):
        widest = np.argmax(np.ptp(x[order[first:last]], axis=0))
        assert (
            x[order[first:middle], widest].max() <= x[order[middle:last], widest].min()
        )


def test_unit_is_a_power_of_two_that_brings_distances_to_one() -> None:
    """And 1 for a single point."""
    x = np.array([[-3.0, 0.1], [5.0, 0.2]])
    assert unit(x, np.array([1.0, 0.0])) == 0.25
    assert unit(x[:1], x[0]) == 1.0


def test_exact_sums() -> None:
    """Codes and their sums against whole numbers of Python."""
    rng = np.random.default_rng(0)
    x = rng.lognormal(size=(500, 3))
    code = codes(x, x.min(axis=0), x.max(axis=0))
    plain = np.minimum(
        np.floor((x - x.min(axis=0)) / np.ptp(x, axis=0) * 2.0**32), 2.0**32 - 1
    ).astype(np.uint32)
    assert np.array_equal(code, plain)
    total, squares = np.zeros(3, np.int64), np.zeros((3, 3), np.int64)
    moments(code, total, squares)
    for j in range(3):
        column = [int(c) for c in code[:, j]]
        assert int(total[j]) == sum(column)
        aa, ab, bb = (int(v) for v in squares[j])
        assert (aa << 32) + (ab << 17) + bb == sum(c * c for c in column)
    leaf = rng.integers(0, 7, 500)
    count, sums = np.zeros(7, np.int64), np.zeros((7, 3), np.int64)
    sums_by_leaf(code, leaf, count, sums)
    assert count.tolist() == np.bincount(leaf, minlength=7).tolist()
    assert sums.tolist() == [
        [sum(int(c) for c in code[leaf == b, j]) for j in range(3)] for b in range(7)
    ]


def test_squared_error() -> None:
    """Missing values have no error."""
    rng = np.random.default_rng(1)
    x, label, scale = rng.normal(size=(90, 2)), np.arange(90) % 9, np.array([2.0, 0.5])
    x[rng.random((90, 2)) < 0.2] = np.nan
    means = np.array([np.nanmean(x[label == g], axis=0) for g in range(9)])
    plain = np.nansum(((x - means[label]) / scale) ** 2)
    assert squared_error(x, means, label, scale) == pytest.approx(plain)
