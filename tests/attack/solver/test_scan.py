"""The nearest of few points, against sorting all distances."""

from __future__ import annotations

import numpy as np
import pytest

from attack.plain import FILES, costs, files
from tacit.attack.solver.scan import NAMES, Points, distances, scan
from tacit.kernels.trees import kdtree


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("what", FILES)
def test_the_smallest_values_are_those_of_a_sort(what: str, k: int) -> None:
    rng = np.random.default_rng(k)
    x, y = files(what, 40, 30, 2, rng)
    weights = rng.normal(size=30)
    limits = rng.normal(size=40) * 2 + 1
    got, index = scan(x, Points(y), k, kdtree.EUCLIDEAN, limits, weights, -1.0)
    matrix = distances(x, y, kdtree.EUCLIDEAN) - weights
    for i in range(40):
        # equal values by row
        order = np.lexsort((np.arange(30), matrix[i]))[:k]
        order = order[matrix[i, order] < limits[i]]
        wanted = [*order, *[-1] * (k - len(order))]
        assert index[i].tolist() == wanted
        assert got[i, : len(order)].tolist() == matrix[i, order].tolist()
        assert np.isinf(got[i, len(order) :]).all()


def test_more_are_asked_for_than_there_are() -> None:
    value, index = scan(
        np.zeros((1, 1)),
        Points(np.ones((1, 1))),
        2,
        kdtree.SQUARED,
        np.array([9.0]),
        None,
        -1,
    )
    assert index.tolist() == [[0, -1]]
    assert value.tolist() == [[1.0, np.inf]]


@pytest.mark.parametrize("kind", NAMES)
def test_distances_are_differences_first(kind: int) -> None:
    metric = {kdtree.SQUARED: "squared", kdtree.MANHATTAN: "manhattan"}.get(kind, "")
    x, y = files("normal", 9, 7, 3, np.random.default_rng(0))
    np.testing.assert_allclose(
        distances(x + 1e9, y + 1e9, kind), costs(x, y, metric), rtol=1e-5
    )
