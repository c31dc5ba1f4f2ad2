"""Classes and frequencies against loops, and francdat by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from risk.tables import FRANCDAT_KEYS, FRANCDAT_WEIGHTS
from tacit.risk.classes import classes, codes, rank
from tacit.risk.counting import count


def compatible(a, b):
    return all(x == y or x < 0 or y < 0 for x, y in zip(a, b, strict=True))


def test_francdat_by_hand():
    f, F = count(codes(FRANCDAT_KEYS), FRANCDAT_WEIGHTS)
    assert f.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert F.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]


@given(
    arrays(
        np.int64,
        st.tuples(st.integers(1, 25), st.integers(1, 4)),
        elements=st.integers(-1, 2),
    )
)
def test_a_missing_value_matches_every_value(table):
    weights = np.arange(1.0, len(table) + 1)
    f, F = count(table, weights)
    for i, row in enumerate(table):
        match = [compatible(row, other) for other in table]
        assert f[i] == sum(match)
        assert F[i] == weights[match].sum()


def test_a_missing_value_as_a_category_of_its_own():
    table = np.array([[0, -1], [0, -1], [0, 1]])
    assert count(table, None, any_matches=False)[0].tolist() == [2, 2, 1]
    assert count(table, None)[0].tolist() == [3, 3, 3]


def test_packing_survives_more_categories_than_63_bits():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 50_000, (300, 7))
    table = table[rng.integers(0, 300, 900)]
    labels, number = classes(table)
    distinct, expected = np.unique(table, axis=0, return_inverse=True)
    assert number == len(distinct)
    assert labels.tolist() == expected.reshape(-1).tolist()


@pytest.mark.parametrize(
    "column",
    [
        [3.5, 1.25, np.nan, 3.5],
        [10.0, -7.0, np.nan, 10.0],
        [1e300, -1e300, np.nan, 1e300],
    ],
)
def test_codes_keep_value_order_and_mark_missing(column):
    assert codes(np.array([column]).T)[:, 0].tolist() == [1, 0, -1, 1]


@pytest.mark.parametrize("bits", [3, 16, 17, 32, 33, 48, 62])
def test_labels_are_those_of_sorted_numbers(bits):
    """However many digits are sorted, with numbers that differ in one of them only."""
    rng = np.random.default_rng(bits)
    few = rng.integers(0, 1 << bits, 40)
    packed = np.concatenate([few, few ^ (1 << (bits - 1)), [0, (1 << bits) - 1]])
    packed = rng.choice(packed, 500)
    labels, number = rank(packed)
    distinct, expected = np.unique(packed, return_inverse=True)
    assert number == len(distinct)
    assert labels.tolist() == expected.tolist()
