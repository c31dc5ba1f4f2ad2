"""The attackers of the linkage engine: distances, directions, possible links, votes, reasons."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.attack.block_cuts import by_attribute, by_clusters, by_ranks
from tacit.attack.possible import mean_success, perfectly_matchable
from tacit.attack.votes import count_votes
from tacit.kernels.matching import pairs_within


def _noisy(
    n: int = 60, d: int = 3, sd: float = 0.3, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x, x + sd * rng.normal(size=x.shape)


def test_assignment_finds_more_than_nearest_and_is_certified(
    census_like: pd.DataFrame,
) -> None:
    """Noise of 25 %, columns over the larger maximum of both files (on Census itself about 664 and
    893).
    """
    x = census_like.to_numpy(float)
    z = x + np.random.default_rng(1).normal(size=x.shape) * 0.25 * x.std(axis=0, ddof=1)
    near, best = (
        tc.attack.registry[name](scale="max").link(x, z)
        for name in ("nearest", "assignment")
    )
    assert 620 < near.correct < 850
    assert near.correct + 100 < best.correct < 1080
    assert best.certified


def test_assignment_of_identical_masked_records_is_honest(
    census_like: pd.DataFrame,
) -> None:
    x = census_like.to_numpy(float)[:300]
    masked = tc.protect.Microaggregation(k=3).fit_transform(x)
    assert tc.attack.Assignment().link(x, masked).correct <= 100 + 1e-9


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "mahalanobis", "gower"])
@pytest.mark.parametrize("name", ["nearest", "assignment"])
def test_named_distances_equal_the_same_as_a_function(name: str, distance: str) -> None:
    x, z = _noisy()
    x[:, 2] *= 100
    z[:, 2] *= 100
    unit = x.std(axis=0, ddof=1)

    def compare(a: Any, b: Any) -> np.ndarray:
        gaps = np.abs(a[:, None] - b[None])
        if distance == "mahalanobis":
            return np.sqrt(
                np.einsum(
                    "ijk,kl,ijl->ij",
                    gaps := a[:, None] - b[None],
                    np.linalg.inv(np.cov(x.T)),
                    gaps,
                )
            )
        if distance == "gower":
            return (gaps / np.ptp(x, axis=0)).mean(axis=2)
        return (
            (gaps / unit).sum(axis=2)
            if distance == "manhattan"
            else np.sqrt(((gaps / unit) ** 2).sum(axis=2))
        )

    attacker = tc.attack.registry[name]
    named, own = (
        attacker(distance=distance).link(x, z),
        attacker(distance=compare).link(x, z),
    )
    np.testing.assert_array_equal(named.match, own.match)
    np.testing.assert_allclose(named.score, own.score, rtol=1e-9)


def test_weights_and_mixed_columns() -> None:
    import pandas as pd

    rng = np.random.default_rng(2)
    x = pd.DataFrame({"a": rng.normal(size=50), "c": rng.choice(list("uvw"), 50)})
    z = x.assign(a=x["a"] + rng.normal(size=50))
    plain = tc.attack.Nearest(scale="none").link(x, z)
    gap = np.abs(x["a"].to_numpy()[:, None] - z["a"].to_numpy()[None])
    wrong = x["c"].to_numpy()[:, None] != z["c"].to_numpy()[None]
    np.testing.assert_array_equal(plain.match, np.sqrt(gap**2 + wrong).argmin(axis=1))
    heavy = tc.attack.Nearest(scale="none", weights={"c": 100.0}).link(x, z)
    np.testing.assert_array_equal(
        heavy.match, np.sqrt(gap**2 + 100 * wrong).argmin(axis=1)
    )
    with pytest.raises(tc.errors.ColumnError, match="'b' is not compared"):
        tc.attack.Nearest(weights={"b": 1.0}).link(x, z)


def test_from_masked_to_original() -> None:
    x, z = _noisy()
    found = tc.attack.Nearest(direction="masked", scale="none").link(x, z)
    matrix = np.sqrt(((z[:, None] - x[None]) ** 2).sum(axis=2))
    assert found.correct == pytest.approx(
        (matrix.argmin(axis=1) == np.arange(len(x))).sum()
    )


def test_some_records_known_and_some_released() -> None:
    x, z = _noisy(80, sd=0.05)
    truth = np.arange(80)
    known = tc.attack.Assignment().link(x[:30], z, truth=truth[:30])
    assert known.certified
    assert known.correct > 25
    sample = tc.attack.Assignment().link(
        x, z[:50], truth=np.where(truth < 50, truth, -1)
    )
    assert (sample.match >= 0).sum() == 50
    assert sample.correct > 30


def test_margins_and_explanations() -> None:
    x, z = _noisy()
    for attacker in (tc.attack.Nearest(), tc.attack.Assignment()):
        found = attacker.link(x, z)
        assert (found.margin >= 0).all()
        told = found.explain(7)
        assert told["competitors"][0]["record"] == found.match[7] == told["named"]
        totals = [rival["total"] for rival in told["competitors"]]
        assert totals == sorted(totals)
        assert told["why"]
        # the second competitor is as far behind as the margin says
        assert totals[1] - totals[0] == pytest.approx(found.margin[7], abs=1e-9)


def test_an_assignment_by_a_function_is_explained_without_prices() -> None:
    def compare(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.abs(a[:, None] - b[None]).sum(axis=2)

    x, z = _noisy(20)
    found = tc.attack.Assignment(distance=compare).link(x, z)
    explanation = found.explain(3)
    assert explanation["named"] == found.match[3]
    assert "competitors" not in explanation


def test_forbidding_a_link_costs_at_least_its_margin() -> None:
    from scipy.optimize import linear_sum_assignment

    x, z = _noisy(25)
    found = tc.attack.Assignment(scale="none").link(x, z)
    for i in range(25):
        matrix = np.sqrt(((x[:, None] - z[None]) ** 2).sum(axis=2))
        matrix[i, found.match[i]] = 1e6
        rows, cols = linear_sum_assignment(matrix)
        assert matrix[rows, cols].sum() >= found.cost + found.margin[i] - 1e-9


def test_surviving_links_are_those_of_some_permutation() -> None:
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(60):
        n = int(rng.integers(2, 7))
        allowed = rng.random((n, n)) < 0.45
        worlds = [
            p for p in permutations(range(n)) if allowed[np.arange(n), list(p)].all()
        ]
        indptr = np.concatenate([[0], np.cumsum(allowed.sum(axis=1))])
        indices = np.nonzero(allowed)[1]
        if not worlds:
            with pytest.raises(tc.errors.InputError, match="widen"):
                perfectly_matchable(indptr, indices, n)
            continue
        seen += 1
        at, kept = perfectly_matchable(indptr, indices, n)
        wanted = np.zeros((n, n), bool)
        for p in worlds:
            wanted[np.arange(n), list(p)] = True
        np.testing.assert_array_equal(kept, np.nonzero(wanted)[1])
        assert mean_success(at) == pytest.approx((1 / wanted.sum(axis=1)).mean())
    assert seen > 10


def test_pairs_within_reach() -> None:
    rng = np.random.default_rng(4)
    a, b, reach = (
        rng.normal(size=(40, 3)),
        rng.normal(size=(50, 3)),
        np.array([0.5, 1.0, 2.0]),
    )
    indptr, indices = pairs_within(a, b, reach)
    owner, wanted = np.nonzero((np.abs(a[:, None] - b[None]) <= reach).all(axis=2))
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(np.repeat(np.arange(40), np.diff(indptr)), owner)


def test_possible_links_attack() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(80, 3))
    z = x + rng.uniform(-0.2, 0.2, size=x.shape)
    any_ = tc.attack.Possible(reach=0.2, scale="none").link(x, z)
    degree = 1 / any_.success
    assert (any_.success > 0).all()  # the truth is always possible
    assert any_.rate == pytest.approx((1 / degree).mean())
    assert any_.rate == pytest.approx(any_.log[0]["mean_inverse_degree"])
    best = tc.attack.Possible(reach=0.2, scale="none", strategy="best").link(x, z)
    assert best.correct >= any_.correct - 1
    with pytest.raises(tc.errors.InputError, match="widen"):
        tc.attack.Possible(reach=1e-6, scale="none").link(x, z)


def test_votes() -> None:
    choice = np.array([[1, 5, -1], [2, 5, -1], [2, 6, -1], [1, 7, -1]])
    distance = np.array([[4.0, 1.0, 0], [3.0, 2.0, 0], [9.0, 0.1, 0], [4.0, 9.0, 0]])
    indptr, named, share = count_votes(choice, distance, "basic")
    assert (indptr.tolist(), named.tolist(), share.tolist()) == (
        [0, 2, 3, 3],
        [1, 2, 5],
        [0.5, 0.5, 1.0],
    )
    indptr, named, _ = count_votes(choice, distance, "best")
    assert (indptr.tolist(), named.tolist()) == ([0, 1, 2, 2], [2, 5])
    indptr, named, _ = count_votes(choice, distance, "weighted")
    assert (indptr.tolist(), named.tolist()) == ([0, 1, 2, 2], [1, 6])


def test_partitions_cover_both_files_with_equal_blocks() -> None:
    x, z = _noisy(300)
    for cut in (by_attribute(x, z, 1, 70), by_ranks(x, z, 70), by_clusters(x, z, 70)):
        assert sorted(np.concatenate([a for a, _ in cut])) == list(range(300))
        assert sorted(np.concatenate([b for _, b in cut])) == list(range(300))
        assert all(len(a) == len(b) <= 70 for a, b in cut)


@pytest.mark.slow
def test_blocks_with_votes_beat_nearest_and_the_published_clusters_lose() -> None:
    """Tables 5.1 to 5.3 at a small size: votes above nearest record at sigma 15 and 25."""
    rng = np.random.default_rng(6)
    base = rng.normal(size=(900, 3))
    x = np.exp(0.5 * base @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(900, 8)))
    for sigma in (0.15, 0.25):
        z = x + sigma * x.std(axis=0, ddof=1) * rng.normal(size=x.shape)
        near = tc.attack.Nearest().link(x, z).correct
        votes = [
            tc.attack.Blocks(size=300, vote=v).link(x, z).correct
            for v in ("basic", "best", "weighted")
        ]  # type: ignore[arg-type]
        assert min(votes) > near
        ranks = tc.attack.Blocks(partition="ranks", size=300).link(x, z).correct
        clusters = tc.attack.Blocks(partition="clusters", size=300).link(x, z).correct
        assert clusters < min(votes)
        assert ranks > 0


def test_a_rate_at_the_bound_is_not_above_it() -> None:
    x = np.repeat(np.arange(100.0), 20)[:, None]
    link = tc.attack.Nearest().link(x, x)
    assert link.success.sum() != 100, (
        "the reason for the test: shares of 1/20 do not add up exactly"
    )
    assert link.correct == 100
    assert link.rate == 0.05


def _taxi(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.abs(x[:, None] - z[None]).sum(axis=2)


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", _taxi])
@pytest.mark.parametrize("farther", [1.005, 1.00001])
def test_a_record_that_is_a_little_farther_is_no_tie(
    distance: Any, farther: float
) -> None:
    """Half a per cent farther is farther: to count both as tied would halve what was found."""
    x = np.array([[0.0, 0.0], [1.0 + farther, 0.0], [50.0, 0.0]])
    # the first stands between two, and nearer to its own
    z = np.array([[1.0, 0.0], [1.0 + farther, 1.0], [51.0, 0.0]])
    for direction in ("original", "masked"):
        attack = tc.attack.Nearest(
            distance=distance,
            scale="none",
            direction=direction,  # type: ignore[arg-type]
        )
        assert attack.link(x, z).success.tolist() == [1.0] * 3
