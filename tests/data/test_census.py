"""The copula stands for the reference file: marginals, rank correlations, identity, determinism."""

import numpy as np
import pytest
from scipy.stats import rankdata

from tacit.data.datasets.census import COLUMNS, PAPER_ORDER, make_census


def matrix(table, names=COLUMNS):
    return np.column_stack([table[name].to_numpy() for name in names]).astype(float)


def rank_correlations(values):
    return np.corrcoef(np.apply_along_axis(rankdata, 0, values).T)


def test_same_seed_same_bytes_and_another_seed_differs():
    assert make_census(200, 3).equals(make_census(200, 3))
    assert not make_census(200, 3).equals(make_census(200, 4))


@pytest.mark.parametrize("n", [1, 2, 1080])
def test_shape_names_and_identity(n):
    table = make_census(n, 1)
    assert table.column_names == COLUMNS
    assert table.num_rows == n
    total, other, earned = (
        table[c].to_numpy() for c in ("PTOTVAL", "POTHVAL", "PEARNVAL")
    )
    np.testing.assert_array_equal(total, other + earned)
    assert matrix(table).min() >= 1


def test_rank_is_twelve_as_in_the_reference_file():
    values = matrix(make_census(1080, 1))
    values = (values - values.mean(0)) / values.std(0)
    assert np.linalg.matrix_rank(values) == 12


def test_the_papers_order_holds_the_same_columns():
    assert sorted(PAPER_ORDER) == sorted(COLUMNS)


def test_a_file_without_records_is_refused():
    pytest.importorskip("tacit.base.errors")
    from tacit.base.errors import ParameterError

    with pytest.raises(ParameterError, match="at least 1"):
        make_census(0)


@pytest.mark.needs("data")
def test_it_resembles_the_reference_file(reference_data):
    from pyarrow import csv

    ours, theirs = (
        matrix(make_census(13500, 0)),
        matrix(csv.read_csv(reference_data / "census.csv")),
    )
    assert np.abs(rank_correlations(ours) - rank_correlations(theirs)).max() < 0.12
    levels = [0.1, 0.25, 0.5, 0.75, 0.9]
    spread = theirs.std(axis=0)
    error = (
        np.abs(np.quantile(ours, levels, axis=0) - np.quantile(theirs, levels, axis=0))
        / spread
    )
    assert error.max() < 0.12


@pytest.mark.needs("data")
def test_no_record_of_the_reference_file_is_shipped(reference_data):
    from pyarrow import csv

    theirs = set(map(tuple, matrix(csv.read_csv(reference_data / "census.csv"))))
    assert not theirs & set(map(tuple, matrix(make_census(13500, 0))))
