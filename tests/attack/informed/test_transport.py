"""The cheapest linkage between classes, against scipy's solver with a row for every record."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tacit.attack.informed import transport as room
from tacit.attack.informed.transport import transport, transport_possible
from tacit.kernels.assignment.dense_pricing import helpful


def _least(costs, supply, demand):
    """The cost with a row and a column for every record."""
    every = np.repeat(np.repeat(costs, supply, axis=0), demand, axis=1)
    return every[linear_sum_assignment(every)].sum()


@pytest.mark.parametrize("values", [3, 10_000])
@pytest.mark.parametrize("longer", ["originals", "masked", "neither"])
@pytest.mark.parametrize("arcs", [0, 50_000])
def test_it_is_the_cheapest_of_all(monkeypatch, values, longer, arcs):
    """With few values nearly all linkages are equally good; with arcs=0 most are left out."""
    monkeypatch.setattr(room, "ALL_ARCS", arcs)
    rng = np.random.default_rng(values)
    costs = rng.integers(-values, values, (60, 40)) / values
    supply = rng.integers(1, 4, 60)
    demand = np.bincount(rng.integers(0, 40, supply.sum()), minlength=40)
    keep = demand > 0
    costs, demand = costs[:, keep], demand[keep]
    if longer == "originals":
        supply = supply + 1
    if longer == "masked":
        demand = demand + 1
    row, column, records = transport(costs, supply, demand)
    sent = np.bincount(row, records, len(supply))
    received = np.bincount(column, records, len(demand))
    assert (sent <= supply).all()
    assert (received <= demand).all()
    assert records.sum() == min(supply.sum(), demand.sum())
    assert (np.diff(row * len(demand) + column) > 0).all()
    total = (costs[row, column] * records).sum()
    assert total == pytest.approx(_least(costs, supply, demand), abs=1e-9)


@pytest.mark.parametrize("longer", ["originals", "masked", "neither"])
@pytest.mark.parametrize("seed", range(5))
def test_costs_of_few_values_are_solved_record_by_record(monkeypatch, longer, seed):
    """As cheap as any, without pricing."""
    monkeypatch.setattr(room, "ALL_ARCS", 0)
    monkeypatch.delattr(room, "_solved")
    rng = np.random.default_rng(seed)
    costs = rng.choice([-2.5, -1.0, 0.25], (50, 45), p=[0.02, 0.1, 0.88])
    supply = rng.integers(1, 4, 50)
    demand = np.bincount(rng.permutation(np.arange(supply.sum()) % 45), minlength=45)
    if longer == "originals":
        supply = supply + 1
    if longer == "masked":
        demand = demand + 1
    row, column, records = transport(costs, supply, demand)
    assert (np.bincount(row, records, 50) <= supply).all()
    assert (np.bincount(column, records, 45) <= demand).all()
    assert records.sum() == min(supply.sum(), demand.sum())
    assert (np.diff(row * 45 + column) > 0).all()
    total = (costs[row, column] * records).sum()
    assert total == pytest.approx(_least(costs, supply, demand), abs=1e-9)


@pytest.mark.parametrize("values", [3, 10_000])
def test_helpful_arcs_are_those_of_a_plain_search(values):
    """Of each part of a row the first of the best arcs, if it is below the row's limit."""
    rng = np.random.default_rng(values)
    costs = rng.integers(0, values, (30, 17)) / values
    v = rng.integers(0, values, 17) / values
    limit = rng.integers(-values, values, 30) / values
    cuts = np.array([0, 5, 6, 17])
    got = list(zip(*helpful(costs, limit, v, cuts), strict=True))
    want = []
    for i in range(30):
        for first, last in pairwise(cuts):
            best = first + (costs[i] - v)[first:last].argmin()
            if costs[i, best] - v[best] < limit[i]:
                want.append((i, best))
    assert got == want


@pytest.mark.parametrize("share", [0.02, 0.1, 0.9])
@pytest.mark.parametrize("longer", ["originals", "masked", "neither"])
def test_few_possible_pairs_are_linked_as_with_walls(share, longer):
    """As many possible links as there can be, and the cheapest of those; above MOST by walls."""
    rng = np.random.default_rng(5)
    possible = rng.random((50, 45)) < share
    costs = np.where(possible, rng.integers(0, 9, possible.shape) / 3, np.inf)
    supply = rng.integers(1, 4, 50)
    demand = rng.integers(1, 4, 45)
    short = supply.sum() - demand.sum()
    demand[0] += max(0, short)
    supply[0] += max(0, -short)
    supply[1] += 5 * (longer == "originals")
    demand[1] += 5 * (longer == "masked")
    wall = 1e4
    row, column, records = transport_possible(costs, supply, demand, possible, wall)
    assert (np.bincount(row, records, 50) <= supply).all()
    assert (np.bincount(column, records, 45) <= demand).all()
    assert records.sum() == min(supply.sum(), demand.sum())
    assert (np.diff(row * 45 + column) > 0).all()
    walled = np.where(possible, costs, wall)
    total = (walled[row, column] * records).sum()
    assert total == pytest.approx(_least(walled, supply, demand), abs=1e-6)
