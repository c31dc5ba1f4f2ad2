"""Evidence: the rules against plain counts, solvers for large files against the small ones."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.base import scored
from tacit.attack.informed import evidence, evidence_assignment
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.evidence import Evidence, Part, link_by, nearest
from tacit.attack.informed.evidence_assignment import assignment
from tacit.attack.informed.evidence_graph import candidate_pairs
from tacit.attack.informed.listed_pairs import PairCosts
from tacit.attack.probabilistic.link_probabilities import LinkProbabilities
from tacit.base.errors import TacitWarning
from tacit.data.microdata import Microdata


def files(n=80, d=2, seed=0, grid=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    z = x + 0.4 * rng.normal(size=(n, d))
    return (np.round(x / grid) * grid, np.round(z / grid) * grid) if grid else (x, z)


@pytest.mark.parametrize("grid", [0.0, 0.5])
def test_the_likeliest_is_the_largest_share_of_its_column(grid):
    x, z = files(grid=grid)
    like = np.exp(-0.5 * ((x[:, None] - z[None]) ** 2).sum(2) / 0.16)
    share = like / like.sum(0)
    want = 0.0
    for i in range(len(x)):
        best = share[i] >= share[i].max() * (1 - 1e-9)
        want += best[i] / best.sum()
    got = scored(link_by(Evidence(x / 0.4, z / 0.4), "likeliest"), np.arange(len(x)))[
        0
    ].sum()
    assert got == pytest.approx(want)


def test_an_impossible_pair_is_never_linked():
    wall = Part(
        np.arange(3.0)[:, None],
        np.arange(3.0)[:, None],
        lambda p, q: np.where(p == q.T, np.inf, 0.0),
    )
    found = link_by(Evidence(np.zeros((3, 0)), np.zeros((3, 0)), [wall]), "assignment")
    assert not np.any(found.match == np.arange(3))
    alone = Part(
        np.zeros((1, 1)), np.zeros((1, 1)), lambda p, q: np.full((1, 1), np.inf)
    )
    for rule in ("assignment", "nearest"):
        assert link_by(
            Evidence(np.zeros((1, 0)), np.zeros((1, 0)), [alone]), rule
        ).match.tolist() == [-1]


@pytest.mark.parametrize("grid", [0.0, 0.5])
def test_solvers_for_large_files_agree_with_the_small_ones(monkeypatch, grid):
    x, z = files(200, 3, 1, grid)
    small = [f(Evidence(x, z)) for f in (nearest, assignment)]
    for room in (evidence, evidence_assignment):
        monkeypatch.setattr(room, "DENSE", 10)
    monkeypatch.setattr(evidence_assignment, "FEW", 10)
    large = [f(Evidence(x, z)) for f in (nearest, assignment)]
    truth = np.arange(200)
    assert scored(large[0], truth)[0] == pytest.approx(scored(small[0], truth)[0])
    assert large[1].cost == pytest.approx(small[1].cost)
    assert large[1].certified


def test_evidence_adds_up():
    x, z = files(20)
    both = Evidence(x[:, :1], z[:, :1]) + Evidence(x[:, 1:], z[:, 1:])
    assert np.allclose(both.block(x, z), Evidence(x, z).block(x, z))


def test_a_part_may_look_at_more_of_an_original_than_of_a_masked_record():
    """What comes after it must still be read at its own place, on both sides."""
    x, z = files(20)
    wide = Part(np.hstack([x, x + 1]), z[:, :1], lambda a, b: a[:, 2:3] + b[:, 0])
    last = Part(x[:, 1:2], z[:, 1:2], lambda a, b: np.abs(a - b[:, 0]))
    both = Evidence(x, z) + Evidence.of_part(wide) + Evidence.of_part(last)
    expected = Evidence(x, z).block(x, z)
    for part in (wide, last):
        expected = expected + part.cost(part.a, part.b)
    ours, theirs = both.classes()
    cost = both.block(ours.rows, theirs.rows)[ours.inverse][:, theirs.inverse]
    assert np.allclose(cost, expected)
    each = np.arange(20)
    pairs = PairCosts(both)(each, each)
    assert np.allclose(pairs, np.diag(expected))


@pytest.mark.parametrize("method", ["rank_swapping", "rounding", "pram"])
def test_candidates_of_parts_come_near_all_pairs(monkeypatch, method):
    rng = np.random.default_rng(3)
    n = 400
    data = Microdata.of({f"v{k}": rng.lognormal(0, 1.5, n) for k in range(4)})
    plan = {
        "rank_swapping": tc.protect.RankSwapping(p=4, random_state=1),
        "rounding": tc.protect.Rounding(),
    }.get(method)
    if plan is None:
        names = [f"c{k}" for k in range(5)]
        data = Microdata.of(
            {name: rng.choice(list("abcdefgh"), n) for name in names}, nominal=names
        )
        plan = tc.protect.PRAM(diagonal=0.8, matrix="uniform", random_state=1)
    masked = plan.fit_transform(data)
    attacker = Aware(plan)
    whole = attacker.link(data, masked)
    for room in (evidence, evidence_assignment):
        monkeypatch.setattr(room, "DENSE", 10)
    monkeypatch.setattr(evidence_assignment, "CLASS_PAIRS", 10)
    with pytest.warns(TacitWarning, match="not certified"):
        part = attacker.link(data, masked)
    assert part.correct > 0.9 * whole.correct
    assert not part.certified


def test_candidates_without_a_hint_are_the_cheapest_of_all_pairs():
    x, z = files(n=70, d=2, seed=3)

    def cost(a, b):
        return ((a[:, None] - b[None]) ** 2).sum(2)

    found = Evidence.of_part(Part(x, z, cost))
    ours, theirs = found.classes()
    rows, columns, costs = candidate_pairs(found, ours, theirs, 4)
    every = cost(ours.rows, theirs.rows)
    want = {(i, j) for i in range(70) for j in np.argsort(every[i])[:4]}
    want |= {(i, j) for j in range(70) for i in np.argsort(every[:, j])[:4]}
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == want
    assert costs == pytest.approx(every[rows, columns])


def test_link_probabilities_take_more_records_than_fit_in_a_dense_graph():
    rng = np.random.default_rng(4)
    names = {f"t{c}": rng.choice(list("abcde"), 90) for c in range(6)}
    pram = tc.protect.PRAM(diagonal=0.9, random_state=1)
    masked = pram.fit_transform(Microdata.of(names))
    small = LinkProbabilities(plan=pram, dense=10, candidates=6)
    whole = LinkProbabilities(plan=pram)
    rate = small.link(Microdata.of(names), masked).rate
    assert rate == pytest.approx(whole.link(Microdata.of(names), masked).rate, abs=0.1)
    assert rate > 0.5
