"""One test per masking method: who knows it links more, by a stated factor."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.informed import (
    AwareIPSO,
    AwareMicroaggregation,
    AwareNoise,
    AwareRankSwapping,
    Rerun,
    for_plan,
)
from tacit.data.microdata import Microdata


def correlated(n, d, rho, seed):
    rng = np.random.default_rng(seed)
    return rng.multivariate_normal(
        np.zeros(d), np.full((d, d), rho) + (1 - rho) * np.eye(d), n
    )


def euclid(x, z, rule="assignment"):
    return tc.attack.registry[rule]().link(x, z).correct


def business(n, seed):
    """Firms whose quasi-identifiers differ in small ways that released columns explain.

    As in the slides of Muralidhar and Domingo-Ferrer.
    """
    rng = np.random.default_rng(seed)
    size, small = rng.normal(size=n), rng.normal(size=(n, 5))
    quasi = size[:, None] + 0.1 * (small + 0.05 * rng.normal(size=(n, 5)))
    given = np.column_stack([size + rng.normal(size=n), small])
    columns = {f"q{k}": quasi[:, k] for k in range(5)} | {
        f"c{k}": given[:, k] for k in range(6)
    }
    return Microdata.of(
        columns,
        quasi=[f"q{k}" for k in range(5)],
        confidential=[f"c{k}" for k in range(6)],
    )


@pytest.mark.parametrize("variant", ["A", "B", "C"])
def test_ipso_the_modified_distance_beats_euclid_at_least_ten_times(variant):
    data = business(800, 4)
    masked = tc.protect.IPSO(variant=variant, random_state=1).fit_transform(data)
    for rule in ("nearest", "assignment"):
        plain = AwareIPSO(distance="euclidean", rule=rule).link(data, masked).correct
        old = AwareIPSO(distance="mahalanobis", rule=rule).link(data, masked).correct
        aware = AwareIPSO(rule=rule).link(data, masked).correct
        assert aware > 10 * plain
        assert aware > 1.5 * old


def test_ipso_uses_nothing_of_the_original_but_its_quasi_identifiers():
    data = business(300, 1)
    masked = tc.protect.IPSO(random_state=0).fit_transform(data)
    without = data.drop([f"c{k}" for k in range(6)])
    assert (
        AwareIPSO().link(data, masked).correct
        == AwareIPSO().link(without, masked).correct
    )


def test_correlated_noise_on_highly_correlated_data():
    x = correlated(800, 6, 0.95, 1)
    z = tc.protect.Noise(percent=50, kind="correlated", random_state=2).fit_transform(x)
    for rule in ("nearest", "assignment"):
        assert AwareNoise("correlated", rule=rule).link(x, z).correct > 2 * euclid(
            x, z, rule
        )


def test_transformed_noise_is_undone():
    x = correlated(500, 5, 0.9, 1)
    z = tc.protect.Noise(percent=60, kind="transformed", random_state=2).fit_transform(
        x
    )
    assert AwareNoise("transformed", percent=60).link(x, z).correct > 1.3 * euclid(x, z)


def test_independent_noise_never_loses_to_euclid():
    for rho in (0.1, 0.5, 0.9):
        x = correlated(600, 5, rho, 3)
        z = tc.protect.Noise(percent=40, random_state=1).fit_transform(x)
        aware = AwareNoise(percent=40).link(x, z)
        assert aware.correct >= euclid(x, z) - 2 * np.sqrt(
            600 * aware.rate * (1 - aware.rate)
        )


def test_multiplicative_noise_on_a_skewed_file():
    rng = np.random.default_rng(0)
    x = rng.lognormal(0, 2.0, (600, 3))
    z = tc.protect.Noise(
        percent=20, kind="multiplicative", random_state=1
    ).fit_transform(x)
    assert AwareNoise("multiplicative", percent=20).link(x, z).correct > 2 * euclid(
        x, z
    )
    z = tc.protect.Noise(
        percent=20, kind="multiplicative", factor="normal", random_state=1
    ).fit_transform(x)
    attacker = AwareNoise("multiplicative", percent=20, factor="normal")
    assert attacker.link(x, z).correct > 2 * euclid(x, z)


@pytest.mark.parametrize("p", [5, 15])
def test_rank_swapping_rank_intervals_beat_euclid(p):
    rng = np.random.default_rng(5)
    x = rng.lognormal(0, 1.5, (400, 4))
    z = tc.protect.RankSwapping(p=p, random_state=1).fit_transform(x)
    aware = AwareRankSwapping(p=p).link(x, z)
    assert aware.correct > 1.5 * euclid(x, z)
    assert aware.certified
    assert aware.correct > AwareRankSwapping(p=min(100, 4 * p)).link(x, z).correct


def test_the_true_record_is_always_a_candidate_of_rank_swapping():
    rng = np.random.default_rng(6)
    x = np.column_stack(
        [rng.normal(size=200), rng.integers(0, 5, 200), rng.integers(0, 40, 200)]
    ).astype(float)
    z = tc.protect.RankSwapping(p=10, random_state=3).fit_transform(x)
    original, masked = Microdata.of(x), Microdata.of(z)
    evidence = AwareRankSwapping(p=10).evidence(original, masked, original.names)
    part = evidence.parts[0]
    assert np.isfinite(np.diag(part.cost(part.a, part.b))).all()


def test_microaggregation_by_blocks_formed_on_raw_units():
    rng = np.random.default_rng(7)
    x = rng.lognormal(0, 0.5, (400, 6)) * [1, 5, 1000, 1, 5, 1000]
    data = Microdata.of({str(k): x[:, k] for k in range(6)})
    plan = tc.protect.Microaggregation(k=5, groups=3, scale="none")
    z = plan.fit_transform(data)
    aware = (
        AwareMicroaggregation(blocks=[["0", "1", "2"], ["3", "4", "5"]])
        .link(data, z)
        .correct
    )
    assert aware > 4 * euclid(data, z)
    assert AwareMicroaggregation().link(data, z).correct == pytest.approx(
        aware
    )  # the release shows its blocks
    assert for_plan(plan)[1].link(data, z).correct >= aware


def test_microaggregation_by_blocks_of_unequal_k():
    rng = np.random.default_rng(7)
    factor = np.repeat(rng.normal(size=(400, 2)), 3, axis=1)
    data = Microdata.of(
        {str(k): v for k, v in enumerate((factor + 0.5 * rng.normal(size=(400, 6))).T)}
    )
    z = tc.protect.Microaggregation(k=[3, 80], groups=3).fit_transform(data)
    assert AwareMicroaggregation().link(data, z).correct > 1.1 * euclid(data, z)


def test_individual_ranking_is_undone_by_ranks():
    rng = np.random.default_rng(8)
    x = rng.lognormal(0, 2.0, (500, 2))
    plan = tc.protect.Microaggregation(k=20, partition="individual")
    z = plan.fit_transform(x)
    aware = for_plan(plan)[0].set_params(rule="nearest").link(x, z).correct
    assert aware > 1.1 * euclid(x, z, "nearest")
    assert aware == pytest.approx(for_plan(plan)[1].link(x, z).correct, rel=0.02)


def test_one_block_of_microaggregation_stays_below_one_in_k():
    x = correlated(300, 4, 0.5, 9)
    z = tc.protect.Microaggregation(k=5).fit_transform(x)
    for attacker in for_plan(tc.protect.Microaggregation(k=5)):
        assert attacker.link(x, z).correct <= 60 + 1e-9
    assert Rerun(tc.protect.Microaggregation(k=5)).link(x, z).correct == pytest.approx(
        60, abs=1e-6
    )


def test_pram_with_known_probabilities():
    rng = np.random.default_rng(10)
    n = 300
    data = Microdata.of(
        {
            f"c{k}": rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
            for k in range(6)
        },
        nominal=[f"c{k}" for k in range(6)],
    )
    noisy = [
        [0.01 if i == j else 0.198 for j in range(6)] for i in range(6)
    ]  # a value almost never stays
    plan = tc.protect.PRAM(
        matrices={"c0": noisy, "c1": noisy, "c2": noisy}, diagonal=0.9, random_state=1
    )
    masked = plan.fit_transform(data)
    assert for_plan(plan)[0].link(data, masked).correct > 1.5 * euclid(data, masked)


@pytest.mark.parametrize("kind", ["random", "nearest"])
def test_rounding_by_containment(kind):
    rng = np.random.default_rng(11)
    x = rng.lognormal(0, 1.5, (400, 3))
    plan = tc.protect.Rounding(base=1.0, kind=kind, random_state=1)
    z = plan.fit_transform(x)
    aware = for_plan(plan)[0].link(x, z)
    assert aware.correct >= euclid(x, z) - 1e-6
    assert aware.correct > 0.98 * euclid(x, z) + 1


def test_shuffling_by_what_the_given_columns_predict():
    data = business(400, 2)
    masked = tc.protect.Shuffling(random_state=1).fit_transform(data)
    plan = tc.protect.Shuffling()
    assert for_plan(plan)[0].link(data, masked).correct > 5 * euclid(data, masked)


def test_sampling_is_rectangular():
    x = correlated(200, 3, 0.3, 12)
    plan = tc.protect.Sampling(fraction=0.4, random_state=0)
    z = plan.fit_transform(x)
    truth = np.full(200, -1)
    truth[plan.rows_] = np.arange(len(z))
    assert for_plan(plan)[0].link(x, z, truth=truth).correct == pytest.approx(80)


def test_recoding_is_run_again():
    x = correlated(200, 3, 0.3, 13)
    plan = tc.protect.Recoding(bins=6)
    z = plan.fit_transform(x)
    names = [type(a).__name__ for a in for_plan(plan)]
    assert names == ["Aware", "Rerun"]
    assert for_plan(plan)[0].link(x, z).correct >= euclid(x, z) - 1e-6


def test_two_steps_on_their_own_columns_add_up():
    rng = np.random.default_rng(14)
    x = rng.lognormal(0, 1.5, (300, 4))
    data = Microdata.of({f"v{k}": x[:, k] for k in range(4)})
    plan = tc.Plan.of(
        [
            tc.protect.RankSwapping(p=15, columns=["v0", "v1"], random_state=1),
            tc.protect.Noise(
                percent=40, kind="multiplicative", columns=["v2", "v3"], random_state=2
            ),
        ]
    )
    masked = plan.apply(data)
    assert for_plan(plan)[0].link(data, masked).correct > 1.5 * euclid(data, masked)


def test_two_steps_on_the_same_columns_still_link():
    x = correlated(300, 4, 0.6, 15)
    plan = tc.Plan.of(
        [
            tc.protect.Noise(percent=10, random_state=1),
            tc.protect.Noise(percent=10, random_state=2),
        ]
    )
    z = plan.apply(x)
    assert for_plan(plan)[0].link(x, z).correct > 0.9 * euclid(x, z)


def test_assess_runs_the_informed_attacker_when_the_plan_is_told():
    rng = np.random.default_rng(16)
    x = rng.lognormal(0, 1.5, (150, 3))
    plan = tc.protect.RankSwapping(p=10, random_state=1)
    z = plan.fit_transform(x)
    result = tc.assess(x, z, plan=plan, risks=[], losses=[])
    assert result.attacks["aware"].correct > result.attacks["assignment"].correct
    assert "rank_swapping" in result.attacks["aware"].knows
