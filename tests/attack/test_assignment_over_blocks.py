"""Certified assignment over blocks: the cost, the proof and the links of the file in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attack.test_over_blocks import pair
from tacit.attack.assignment import Assignment
from tacit.attack.base import scored
from tacit.attack.over_blocks import block_rounds, blocked_files, least_values
from tacit.attack.over_blocks.blocked_files import blocked_files as in_blocks
from tacit.attack.over_blocks.candidate_pairs import CandidatePairs
from tacit.attack.over_blocks.classes import Classes
from tacit.attack.over_blocks.sparse_graph import HeldPairs, SparseGraph
from tacit.attack.solver.near_optimal import PHASES as LARGE
from tacit.attack.solver.neighbours import KIND
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import ParameterError, TacitError
from tacit.base.scipy_parts import cdist
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.pieces import mapped_by
from tacit.protect.microaggregation import Microaggregation
from tacit.scale.engine.local import Threads

NAMES = ["x", "y", "z"]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks and parts of a small file."""
    monkeypatch.setattr(blocked_files, "BLOCK", 60)
    monkeypatch.setattr(least_values, "PART", 17)


def files(X: Floats, Y: Floats) -> tuple[Microdata, Microdata]:
    names = [f"c{i}" for i in range(X.shape[1])]
    return (
        Microdata.of(dict(zip(names, X.T, strict=True))),
        Microdata.of(dict(zip(names, Y.T, strict=True))),
    )


def noisy(n: int = 700, noise: float = 0.4) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    return X, X + noise * rng.normal(size=X.shape)


@pytest.mark.few(1)
@pytest.mark.parametrize("cost", ["distance", "squared"])
def test_links_are_those_of_memory(cost: Any) -> None:
    original, masked = files(*noisy())
    attacker = Assignment(cost=cost)
    plain = attacker.link(original, masked)
    for engine in (None, Threads(3)):
        if engine is None:
            found = attacker.linked_over_blocks(original, masked, plain.columns)
        else:
            with mapped_by(engine.map):
                found = attacker.linked_over_blocks(original, masked, plain.columns)
        links = found.matching
        assert found.blocks > 5
        assert found.apart > 100
        assert links.certified
        assert links.cost == pytest.approx(plain.cost, rel=1e-12)
        assert np.array_equal(links.match, plain.match)
        assert links.score == pytest.approx(plain.score, rel=1e-12)
        success, _ = scored(links, plain.truth)
        assert success.sum() == pytest.approx(plain.correct, abs=1e-9)


def test_groups_of_identical_masked_records_are_one_place_each() -> None:
    X, _ = noisy()
    masked_values = np.asarray(Microaggregation(k=5).fit_transform(X))
    original, masked = files(X, masked_values)
    attacker = Assignment()
    plain = attacker.link(original, masked)
    found = attacker.linked_over_blocks(original, masked, list(plain.columns))
    assert found.matching.certified
    assert found.matching.cost == pytest.approx(plain.cost, rel=1e-12)
    success, ties = scored(found.matching, plain.truth)
    assert success == pytest.approx(plain.success)
    assert ties == pytest.approx(plain.ties)
    assert success.max() <= 0.2 + 1e-9


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", [1, 2, 3, 5])
@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "gower"])
def test_ties_gaps_and_categories_cost_the_same(seed: int, distance: Any) -> None:
    """Several linkages are as good here: their cost is the same, the links need not be."""
    ours, theirs = pair(seed, 450)
    kinds: dict[str, Any] = {"nominal": ["w"], "continuous": NAMES}
    original, masked = Microdata.of(ours, **kinds), Microdata.of(theirs, **kinds)
    attacker = Assignment(distance=distance)
    names = list(ours)
    plain = attacker.link(original, masked)
    found = attacker.linked_over_blocks(original, masked, names).matching
    assert found.certified
    assert found.cost == pytest.approx(plain.cost, rel=1e-12)
    assert found.bound == pytest.approx(plain.bound, rel=1e-11)
    # everybody is linked once: no class is named more often than it has records
    classes = int(found.masked_class.max()) + 1
    _, _, target, chance = found.named
    named = np.bincount(target, weights=chance, minlength=classes)
    assert named == pytest.approx(np.bincount(found.masked_class).astype(float))


@pytest.mark.parametrize("turned", [False, True])
def test_the_shorter_file_is_linked_completely(turned: bool) -> None:
    X, Y = noisy()
    X, Y = (X, Y[:400]) if turned else (X[:400], Y)
    original, masked = files(X, Y)
    truth = np.where(np.arange(len(X)) < len(Y), np.arange(len(X)), -1)
    attacker = Assignment(scale="none")
    plain = attacker.link(original, masked, truth=truth)
    found = attacker.linked_over_blocks(original, masked, list(plain.columns)).matching
    assert found.certified
    assert found.cost == pytest.approx(plain.cost, rel=1e-12)
    assert np.array_equal(found.match, plain.match)
    assert (found.match >= 0).sum() == 400


@pytest.mark.slow
def test_it_stops_at_the_gap_that_is_asked_for() -> None:
    original, masked = files(*noisy(1500, 0.8))
    names = ["c0", "c1", "c2"]
    exact = Assignment().linked_over_blocks(original, masked, names).matching
    rough = Assignment(gap=0.2).linked_over_blocks(original, masked, names).matching
    assert len(rough.log) < len(exact.log)
    assert not rough.certified
    assert rough.cost is not None
    assert exact.cost is not None
    assert rough.bound is not None
    # what is proven holds
    assert rough.bound <= exact.cost <= rough.cost
    assert rough.cost - rough.bound <= 0.2 * rough.cost


def test_above_exact_one_round_is_enough_and_the_interval_is_longer() -> None:
    original, masked = files(*noisy(1500, 0.8))
    names = ["c0", "c1", "c2"]
    found = Assignment(exact=100).linked_over_blocks(original, masked, names).matching
    assert len(found.log) == 1
    assert not found.certified
    assert found.tolerance > 0


def test_stopped_before_a_first_linkage_is_an_error() -> None:
    original, masked = files(*noisy())
    with pytest.raises(TacitError, match="before its first linkage"):
        Assignment(time_limit=1e-9).linked_over_blocks(original, masked, ["c0", "c1"])


def test_a_square_of_sums_is_refused() -> None:
    original, masked = files(*noisy(50))
    attacker = Assignment(cost="squared", distance="manhattan")
    with pytest.raises(ParameterError, match="euclidean and mahalanobis"):
        attacker.linked_over_blocks(original, masked, ["c0"])


@pytest.mark.parametrize("kind", [KIND["euclidean"], KIND["squared"]])
def test_priced_pairs_are_all_that_are_violated(kind: int) -> None:
    X, Y = noisy(300)
    original, masked = files(X, Y)
    names = list(original.quasi)
    rng = np.random.default_rng(8)
    with in_blocks(original, masked, names, "euclidean", "none", None) as both:
        frame = both.space.frame
        ours, theirs = (
            Classes.of(both.original, frame, 300),
            Classes.of(both.masked, frame, 300),
        )
        pairs = CandidatePairs(both, (both.original, ours), (both.masked, theirs), kind)
        # some are not asked, and the weights of some are high enough to bring far ones near
        v = 3 * rng.random(300)
        limits = np.where(rng.random(300) < 0.2, -np.inf, rng.uniform(-2, 0, 300))
        found = pairs.priced(300, limits, v, Stopper())
        assert found is not None
        rows, cols, cost = (
            np.concatenate([part.read()[i] for part in found.parts]) for i in range(3)
        )
    x = X[ours.records.first] - X.mean(axis=0)
    y = Y[theirs.records.first] - X.mean(axis=0)
    full = cdist(x, y, "sqeuclidean" if kind == KIND["squared"] else "euclidean")
    wanted = {(i, j) for i, j in np.argwhere(full - v < limits[:, None]).tolist()}
    assert len(wanted) > 300
    assert set(zip(rows.tolist(), cols.tolist(), strict=True)) == wanted
    assert cost == pytest.approx(full[rows, cols])
    is_asked = np.array(sorted({i for i, _ in wanted}))
    assert found.least[is_asked] == pytest.approx((full - v).min(axis=1)[is_asked])


def test_a_graph_keeps_each_pair_once() -> None:
    first = np.array([1, 0, 1]), np.array([2, 1, 2]), np.array([5.0, 3.0, 5.0])
    graph = SparseGraph.of([HeldPairs(first)], 3, 4)
    more = np.array([1, 2, 0]), np.array([0, 3, 1]), np.array([7.0, 8.0, 3.0])
    graph = graph.with_pairs([HeldPairs(more)])
    assert graph.indptr.tolist() == [0, 1, 3, 4]
    assert graph.cols.tolist() == [1, 0, 2, 3]
    assert graph.cost.tolist() == [3.0, 7.0, 5.0, 8.0]


def test_it_is_solved_exactly_without_any_auction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, masked = files(*noisy())
    names = ["c0", "c1", "c2"]
    usual = Assignment().linked_over_blocks(original, masked, names).matching
    monkeypatch.setattr(block_rounds, "AUCTIONS", 0)
    found = Assignment().linked_over_blocks(original, masked, names).matching
    assert {entry["by"] for entry in found.log} == {"paths"}
    assert found.certified
    assert np.array_equal(found.match, usual.match)


def test_one_auction_of_a_large_file_begins_with_high_bids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With low ones records far outside outbid each other until the bids are used up, and nobody
    links who is left over: there is no second round."""
    X, Y = noisy(300)
    X[:20] += 50.0
    Y[:20] -= 50.0
    auction, seen = block_rounds.kernel.auction, []

    def watched(*given: Any) -> Any:
        seen.append(given[6])
        return auction(*given)

    monkeypatch.setattr(block_rounds.kernel, "auction", watched)
    original, masked = files(X, Y)
    attacker = Assignment(scale="none", exact=100)
    found = attacker.linked_over_blocks(original, masked, original.names).matching
    assert (found.match >= 0).all()
    assert seen[0] == max(seen)
    assert seen[0] / min(seen) == pytest.approx(LARGE[0] / LARGE[-1])
