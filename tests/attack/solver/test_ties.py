"""The nearest rows, their ties and the second nearest, against the matrix of all distances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attack.plain import FILES, costs, files
from tacit.attack.solver.ties import nearest_and_second, nearest_with_ties
from tacit.base.errors import InputError
from tacit.base.typing import TIE
from tacit.kernels.trees import kdtree


@pytest.fixture(autouse=True, params=["tree", "scan"], scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Few points are searched in a tree where it is at hand, and scanned where not: the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kdtree.search, "pays", lambda _: request.param == "tree")
        yield


def _plain(
    x: np.ndarray, y: np.ndarray, metric: str
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """(least, margin, ties) by sorting every row of the matrix."""
    matrix = costs(x, y, metric)
    least = matrix.min(axis=1)
    tied = matrix <= least[:, None] * (1 + TIE)
    second = np.sort(matrix, axis=1)[:, 1] - least
    ties = [np.flatnonzero(row).tolist() for row in tied]
    return least, np.where(tied.sum(axis=1) > 1, 0.0, second), ties


@pytest.mark.parametrize("metric", ["euclidean", "squared", "manhattan"])
@pytest.mark.parametrize("what", FILES)
def test_ties_and_margins_are_those_of_the_matrix(what: str, metric: str) -> None:
    x, y = files(what, 60, 45, 3, np.random.default_rng(3))
    least, margin, ties = _plain(x, y, metric)
    got, gap, indptr, index = nearest_and_second(x, y, metric=metric)
    np.testing.assert_allclose(got, least, rtol=1e-12)
    np.testing.assert_allclose(gap, margin, atol=1e-12)
    found = [index[indptr[i] : indptr[i + 1]].tolist() for i in range(len(x))]
    assert found == ties
    again = nearest_with_ties(x, y, metric=metric)
    for one, other in zip(again, (got, indptr, index), strict=True):
        np.testing.assert_array_equal(one, other)


@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.integers(1, 4),
    st.sampled_from([1, 3, 20]),
)
def test_copies_are_all_found(seed: int, m: int, d: int, times: int) -> None:
    """Whole numbers give ties of all sizes; every row of Y stands there ``times`` times."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (30, d)).astype(float)
    y = np.repeat(rng.integers(0, 4, (m, d)).astype(float), times, axis=0)
    y = y[rng.permutation(len(y))]
    least, margin, ties = _plain(x, y, "euclidean")
    got, gap, indptr, index = nearest_and_second(x, y)
    assert got.tolist() == least.tolist()
    np.testing.assert_allclose(gap, margin, atol=1e-15)
    assert [index[indptr[i] : indptr[i + 1]].tolist() for i in range(30)] == ties
    assert nearest_with_ties(x, y)[2].tolist() == index.tolist()


def test_a_second_record_is_needed() -> None:
    with pytest.raises(InputError, match="two masked records"):
        nearest_and_second([[1.0]], [[1.0]])
    assert nearest_with_ties([[1.0]], [[1.0]])[2].tolist() == [0]
    with pytest.raises(InputError, match="no masked record"):
        nearest_with_ties([[1.0]], np.zeros((0, 1)))
