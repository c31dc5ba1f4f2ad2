"""Minimal sample uniques: kernel against plain subsets, francdat by hand, both scores."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from risk.tables import FRANCDAT_KEYS
from tacit.kernels.suda import minimal_uniques
from tacit.risk.classes import codes
from tacit.risk.suda_scores import dis, minimal_sample_uniques, worth


def plain(table, largest):
    """Every set of columns on which a record is alone and no smaller set already was."""
    n, m = table.shape
    out = set()
    for i in range(n):
        mine = []
        for size in range(1, largest + 1):
            for columns in combinations(range(m), size):
                if (table[i, list(columns)] < 0).any() or any(
                    set(s) <= set(columns) for s in mine
                ):
                    continue
                if (table[:, list(columns)] == table[i, list(columns)]).all(
                    axis=1
                ).sum() == 1:
                    mine.append(columns)
        out |= {(i, sum(1 << c for c in s)) for s in mine}
    return out


TABLES = arrays(
    np.int64,
    st.tuples(st.integers(0, 14), st.integers(1, 5)),
    elements=st.integers(-1, 3),
)


@given(TABLES, st.integers(1, 5))
def test_kernel_equals_plain_subsets(table, largest):
    """Distinct rows stand for several records each: only a row that stands for one can be alone."""
    distinct, first, counts = np.unique(
        table, axis=0, return_index=True, return_counts=True
    )
    # a row that stands for several records is of several persons
    person = np.where(counts == 1, np.arange(len(counts)), -1)
    row, columns = minimal_uniques(distinct, person, largest)
    found = set(zip(first[row].tolist(), columns.tolist(), strict=True))
    assert len(found) == len(row)
    assert found == plain(table, min(largest, table.shape[1]))


@given(TABLES, st.integers(1, 5))
def test_columns_keep_their_bits(table, largest):
    """The kernel gets the columns in another order; the sets come back in the table's."""
    found = set(
        zip(
            *(part.tolist() for part in minimal_sample_uniques(table, largest)),
            strict=True,
        )
    )
    assert found == plain(table, min(largest, table.shape[1]))


def test_many_uniques_grow_the_lists():
    table = np.random.default_rng(0).integers(0, 6, (900, 7))
    row, columns = minimal_sample_uniques(table)
    assert len(row) > 1024
    for i in np.random.default_rng(1).integers(0, 900, 5):
        for mask in columns[row == i]:
            chosen = [c for c in range(7) if mask >> c & 1]
            assert (table[:, chosen] == table[i, chosen]).all(axis=1).sum() == 1
            for left in chosen:
                fewer = [c for c in chosen if c != left]
                assert (
                    not fewer
                    or (table[:, fewer] == table[i, fewer]).all(axis=1).sum() > 1
                )


def test_francdat_by_hand():
    row, columns = minimal_sample_uniques(codes(FRANCDAT_KEYS))
    msu = sorted(zip(row.tolist(), columns.tolist(), strict=True))
    # records 4-7 of the file; bits: Key1 = 1, Key2 = 2, Key3 = 4, Key4 = 8
    assert msu == [(3, 1), (3, 10), (4, 8), (5, 9), (5, 10), (6, 1), (6, 10)]


def test_weights_of_both_definitions():
    assert [worth(4, s, "elliot") for s in (1, 2, 3, 4)] == [6, 2, 1, 1]
    assert [worth(4, s, "ihsn") for s in (1, 2, 3, 4)] == pytest.approx(
        [7 / 4, 3 / 6, 1 / 4, 0]
    )


def test_dis_by_hand():
    score = np.array([8.0, 6, 4, 8, 0])
    total = 2 * 8**-1.2 + 6**-1.2 + 4**-1.2
    assert dis(score, 4, 4, 0.1) == pytest.approx(
        [1 / (1 + 4 * 9 / (s**1.2 * total)) if s else 0 for s in score]
    )
