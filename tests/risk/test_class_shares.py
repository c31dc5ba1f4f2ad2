"""l-diversity and t-closeness inside classes, against loops and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.risk.class_shares import shares
from tacit.risk.l_diversity import distinct, entropy, recursive
from tacit.risk.t_closeness import distances

LABELS = np.array([0, 0, 0, 0, 1, 1, 2])
VALUES = np.array([0, 0, 1, 2, 1, 1, 2])


def test_diversity_by_hand():
    cells = shares(LABELS, 3, VALUES)
    assert distinct(cells).tolist() == [3, 1, 1]
    assert entropy(cells) == pytest.approx(
        [np.exp(0.5 * np.log(2) + 0.5 * np.log(4)), 1, 1]
    )
    # class 0 has counts 2, 1, 1: l = 2 needs 2 < c (1 + 1), l = 3 needs 2 < c * 1
    assert recursive(cells, 1.0).tolist() == [1, 1, 1]
    assert recursive(cells, 2.0).tolist() == [2, 1, 1]
    assert recursive(cells, 2.1).tolist() == [3, 1, 1]


def test_closeness_by_hand():
    cells = shares(LABELS, 3, VALUES)
    whole = np.array([2, 3, 2]) / 7
    shares_of = np.array([[0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]])
    assert distances(cells, ordered=False) == pytest.approx(
        np.abs(shares_of - whole).sum(axis=1) / 2
    )
    # ordered: cumulative gaps over two steps
    assert distances(cells, ordered=True)[2] == pytest.approx((2 / 7 + 5 / 7) / 2)


@given(
    arrays(
        np.int64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.integers(0, 4)
    ),
    st.floats(0.3, 4),
)
def test_equal_to_loops(table, c):
    _, labels = np.unique(table[:, 0], return_inverse=True)
    _, values = np.unique(table[:, 1], return_inverse=True)
    number = labels.max() + 1
    cells = shares(labels, number, values)
    whole = np.bincount(values) / len(values)
    for g in range(number):
        counts = np.bincount(values[labels == g], minlength=len(whole))
        share = counts / counts.sum()
        falling = np.sort(counts[counts > 0])[::-1]
        best = 1
        while best < len(falling) and falling[0] < c * falling[best:].sum():
            best += 1
        assert distinct(cells)[g] == (counts > 0).sum()
        assert recursive(cells, c)[g] == best
        assert entropy(cells)[g] == pytest.approx(
            np.exp(-sum(s * np.log(s) for s in share if s))
        )
        assert distances(cells, ordered=False)[g] == pytest.approx(
            abs(share - whole).sum() / 2, abs=1e-12
        )
        if len(whole) > 1:
            gap = np.abs(np.cumsum(share - whole)).sum() / (len(whole) - 1)
            assert distances(cells, ordered=True)[g] == pytest.approx(gap, abs=1e-12)
