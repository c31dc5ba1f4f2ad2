"""One coordinate: sorted order against the dense solver, its prices on every pair, and ties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.optimize import linear_sum_assignment

from attack.plain import costs
from tacit.attack import assignment
from tacit.attack.assignment import Assignment
from tacit.attack.solver import on_a_line
from tacit.attack.solver.assign import assign
from tacit.attack.solver.neighbours import KIND
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata


@pytest.mark.parametrize("metric", ["euclidean", "squared", "manhattan"])
@pytest.mark.parametrize("rounded", [False, True])
def test_sorted_order_is_the_optimum_and_its_prices_prove_it(
    metric: str, rounded: bool
) -> None:
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 17, 300):
        x = rng.normal(size=(n, 1)) * 3 + 100
        y = rng.permutation(x) + rng.normal(size=(n, 1))
        if rounded:
            x, y = np.round(x), np.round(y)
        found = on_a_line.solve(x, y, KIND[metric])
        matrix = costs(x, y, metric)
        least = matrix[linear_sum_assignment(matrix)].sum()
        assert sorted(found.match) == list(range(n))
        own = matrix[np.arange(n), found.match].sum()
        assert own == pytest.approx(least, rel=1e-12, abs=1e-12)
        assert found.cost == found.bound == pytest.approx(least, rel=1e-12, abs=1e-12)
        reduced = matrix - found.u[:, None] - found.v[None, :]
        assert reduced.min() > -1e-9
        assert abs(reduced[np.arange(n), found.match]).max() < 1e-9
        # equal records have one price
        for values, price in ((x, found.u), (y, found.v)):
            for value in np.unique(values):
                same = price[values[:, 0] == value]
                assert np.ptp(same) < 1e-9
        # prices are half-way: of two records each forbidden link costs the same
        if n == 2 and not rounded:
            other = reduced[np.arange(2), found.match[::-1]]
            assert other[0] == pytest.approx(other[1], abs=1e-9)


def test_a_large_file_of_one_column_is_proven_at_once() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300_000, 1))
    y = rng.permutation(x + 0.5 * rng.normal(size=x.shape))
    # above the records up to which anybody else has the optimum proven
    found = assign(x, y, metric="squared", exact=1000)
    assert found.certified
    assert found.tolerance == 0
    assert (np.diff(y[found.match][np.argsort(x[:, 0]), 0]) >= 0).all()


def test_files_of_other_lengths_or_columns_are_no_line() -> None:
    x = np.zeros((4, 1))
    assert on_a_line.is_line(x, x)
    assert not on_a_line.is_line(x, x[:3])
    assert not on_a_line.is_line(np.zeros((4, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize("cost", ["distance", "squared"])
def test_ties_are_shared_whatever_the_order_of_rows(cost: str) -> None:
    """Averages of three: each original has a third of its own, in any order of both files."""
    rng = np.random.default_rng(2)
    n = 3000
    x = np.sort(rng.normal(size=n))
    z = np.repeat(x.reshape(-1, 3).mean(axis=1), 3)
    attacker = Assignment(cost=cost)  # type: ignore[arg-type]
    link = attacker.link(x[:, None], z[:, None])
    assert link.correct == pytest.approx(n / 3)
    ours, theirs = rng.permutation(n), rng.permutation(n)
    truth = np.argsort(theirs)[ours]
    moved = attacker.link(x[ours, None], z[theirs, None], truth=truth)
    assert moved.correct == link.correct
    np.testing.assert_allclose(moved.success, link.success[ours])


def test_one_column_from_the_disk_is_sorted_unless_it_has_gaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignment, "MARGINS", 500)
    rng = np.random.default_rng(3)
    x = rng.normal(size=2200)
    z = x + 0.1 * rng.normal(size=2200)
    for gaps in (False, True):
        if gaps:
            z[7] = np.nan
        files = []
        for name, values in (("x", x), ("z", z)):
            folder = tmp_path / f"{name}-{gaps}"
            folder.mkdir()
            path = folder / "file.parquet"
            pq.write_table(pa.table({"a": values}), path)
            files.append(OnDisk.open(path, folder, quasi=["a"], continuous=["a"]))
        link = Assignment().link(*files)
        assert link.certified
        assert ("sorted" in link.log[0]) is not gaps
        # the rounds over blocks say by what each was solved
        assert ("by" in link.log[0]) is gaps
        held = Assignment().link(*(Microdata.of({"a": v}) for v in (x, z)))
        assert link.cost == pytest.approx(held.cost, rel=1e-12)
