"""The kd-tree search against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from attack.plain import FILES, costs, files
from tacit.attack.solver import scan
from tacit.attack.solver.neighbours import Stopper, neighbours, search
from tacit.attack.solver.ties import nearest_with_ties
from tacit.base.errors import InputError
from tacit.kernels.trees import kdtree

METRICS = ["euclidean", "squared", "manhattan"]


@pytest.fixture(autouse=True, params=["tree", "scan"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree, and the scan of few points."""
    if request.param == "tree":
        monkeypatch.setattr(scan, "FEW", 0)


@pytest.mark.few(9)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("what", FILES)
def test_neighbours_are_the_nearest(what: str, metric: str) -> None:
    """The distances of a full sort."""
    rng = np.random.default_rng(3)
    for n, m, d, k in [(1, 1, 1, 1), (7, 40, 2, 5), (90, 333, 6, 12), (50, 1500, 4, 1)]:
        x, y = files(what, n, m, d, rng)
        distance, index = neighbours(x, y, k, metric=metric)  # type: ignore[arg-type]
        matrix = costs(x, y, metric)
        np.testing.assert_allclose(
            distance, np.sort(matrix, axis=1)[:, :k], rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            np.take_along_axis(matrix, index, 1), distance, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("what", FILES)
def test_all_ties_are_found(what: str, metric: str) -> None:
    """Everything at the least distance, and nothing else."""
    rng = np.random.default_rng(4)
    for n, m, d in [(3, 1, 2), (40, 60, 3), (30, 700, 2)]:
        x, y = files(what, n, m, d, rng)
        distance, indptr, index = nearest_with_ties(x, y, metric=metric)  # type: ignore[arg-type]
        matrix = costs(x, y, metric)
        best = matrix.min(axis=1)
        np.testing.assert_allclose(distance, best, rtol=1e-12, atol=1e-14)
        owner, wanted = np.nonzero(matrix <= best[:, None] * (1 + 1e-12))
        np.testing.assert_array_equal(np.repeat(np.arange(n), np.diff(indptr)), owner)
        np.testing.assert_array_equal(index, wanted)


@pytest.mark.parametrize("kind", [kdtree.SQUARED, kdtree.EUCLIDEAN, kdtree.MANHATTAN])
def test_weighted_search_below_a_limit(kind: int) -> None:
    """The least distance - weight, as a full sort has it."""
    rng = np.random.default_rng(5)
    x, y, v = rng.normal(size=(40, 5)), rng.normal(size=(700, 5)), -rng.random(700)
    limits = rng.random(40) * 3
    value, index = search(
        x, scan.Points(y), 4, kind, Stopper(), limits=limits, weights=v
    )
    key = costs(x, y, ["squared", "euclidean", "manhattan"][kind]) - v
    for i in range(40):
        wanted = np.sort(key[i])[:4]
        wanted = wanted[wanted < limits[i]]
        found = index[i] >= 0
        assert found.sum() == len(wanted)
        np.testing.assert_allclose(value[i][found], wanted, rtol=1e-12)
        np.testing.assert_allclose(key[i][index[i][found]], wanted, rtol=1e-12)


def test_a_large_offset_costs_no_digits() -> None:
    """Nearest records stay nearest far from zero."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(300, 3))
    z = x + rng.normal(size=x.shape) * 1e-3
    offset = np.array([1e9, 0.0, -1e7])
    _, index = neighbours(x + offset, z + offset, 1)
    assert (index[:, 0] == np.arange(300)).mean() > 0.99


def test_every_cell_holds_its_points() -> None:
    """Boxes bound the points of their leaves."""
    y = np.random.default_rng(7).normal(size=(5000, 3))
    tree = kdtree.build(y)
    assert sorted(tree.order) == list(range(5000))
    for i, j in enumerate(tree.order):
        block, lane = divmod(i, kdtree.LANES)
        node, arm = divmod(block, kdtree.ARMS)
        np.testing.assert_array_equal(tree.leaves[block, :, lane], y[j])
        assert (tree.boxes[node, :, 0, arm] <= y[j]).all()
        assert (tree.boxes[node, :, 1, arm] >= y[j]).all()


def test_bad_vectors_are_refused() -> None:
    """With a sentence that says what is wrong."""
    with pytest.raises(InputError, match="finite"):
        neighbours([[np.nan]], [[1.0]])
    with pytest.raises(InputError, match="same number of columns"):
        neighbours([[1.0, 2.0]], [[1.0]])
    with pytest.raises(InputError, match="k=3"):
        neighbours([[1.0]], [[1.0]], 3)
