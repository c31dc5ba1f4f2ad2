"""Resampling, MASSC and private microaggregation have attackers who know them; so has every
method."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.informed import AwareDPMicroaggregation, AwareMASSC, AwareResampling
from tacit.attack.informed.plan_attackers import for_plan
from tacit.data.datasets.census import make_census
from tacit.data.microdata import Microdata
from tacit.protect.base import Protector

# Why a method has no attacker of its own
NONE_NEEDED = {
    "sampling": "values are released as they are: every attacker of raw values applies",
    "pseudonyms": "it replaces identifiers, which are not compared",
}


@pytest.fixture(scope="module")
def census():
    table = make_census(400, 1)
    return Microdata.of(table.select(table.column_names[:8]))


def bounds_of(data):
    values = data.numbers(data.quasi)
    ends = zip(data.quasi, values.min(0), values.max(0), strict=True)
    return {name: (float(low), float(high) + 1) for name, low, high in ends}


def permuted(attacker, original, masked, truth=None, seed=0):
    """The same attack on files in another order."""
    rng = np.random.default_rng(seed)
    rows, others = rng.permutation(original.n), rng.permutation(masked.n)
    place = np.empty(masked.n, int)
    place[others] = np.arange(masked.n)
    truth = np.arange(original.n) if truth is None else truth
    new = np.where(truth >= 0, place[np.maximum(truth, 0)], -1)[rows]
    return attacker.link(original.take(rows), masked.take(others), truth=new)


@pytest.mark.parametrize("name", list(tc.protect.registry))
def test_every_method_has_an_attacker_of_its_own(name):
    method = tc.protect.registry[name]
    if name in NONE_NEEDED:
        assert not method.attacker
    else:
        assert method.attacker
        assert method.attacker != Protector.attacker


class InPlace(tc.protect.DPMicroaggregation):
    """What version 0.1 offered as ``rows="kept"``: the published method, with rows in place."""

    rows = "kept"

    def _shuffled(self, masked, rng):
        return masked


@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_rows_kept_by_private_microaggregation_are_all_found(census, epsilon):
    plan = InPlace(
        k=10, epsilon=epsilon, bounds=bounds_of(census),
        random_state=1, test_seed=True,
    )  # fmt: skip
    masked = plan.fit_transform(census)
    assert tc.attack.registry["nearest"]().link(census, masked).rate < 0.1
    found = for_plan(plan)[0].link(census, masked)
    assert found.rate > (0.95 if epsilon == 5.0 else 0.5)


def test_private_rows_that_were_shuffled_are_not_found(census):
    plan = tc.protect.DPMicroaggregation(
        k=10, epsilon=5.0, bounds=bounds_of(census), random_state=1, test_seed=True
    )
    masked = plan.fit_transform(census)
    found = for_plan(plan)[0].link(census, masked)
    assert found.rate == pytest.approx(1 / census.n)


def test_several_columns_in_one_order_leave_at_most_one_in_k(census):
    plan = InPlace(
        k=10, epsilon=1e5, bounds=bounds_of(census), form="multivariate",
        random_state=1, test_seed=True,
    )  # fmt: skip
    found = for_plan(plan)[0].link(census, plan.fit_transform(census))
    assert 0.8 / 10 < found.rate <= 0.1 + 1e-9


def test_resampled_ranks_are_those_of_the_originals():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 2))
    plan = tc.protect.Resampling(samples=1, random_state=1)
    z = plan.fit_transform(x)
    plain = tc.attack.registry["nearest"]().link(x, z).rate
    assert for_plan(plan)[0].link(x, z).rate > max(1.1 * plain, 0.9)


def test_resampled_ranks_with_ties_and_gaps_rule_out_no_true_link():
    rng = np.random.default_rng(2)
    x = np.round(rng.normal(size=(300, 4)), 1)
    x[rng.random(x.shape) < 0.05] = np.nan
    plan = tc.protect.Resampling(random_state=1)
    z = plan.fit_transform(x)
    data, masked = Microdata.of(x), Microdata.of(z)
    evidence = AwareResampling().evidence(data, masked, data.names)
    ours, theirs = evidence.classes()
    cost = evidence.block(ours.rows, theirs.rows)
    assert np.isfinite(cost[ours.inverse, theirs.inverse]).all()


def test_a_sample_of_a_resampled_file_is_linked_by_its_places():
    x = np.random.default_rng(3).normal(size=(400, 6))
    z = tc.protect.Resampling(samples=5, random_state=1).fit_transform(x)
    truth = np.full(400, -1)
    truth[:300] = np.arange(300)
    found = AwareResampling(samples=5).link(x, z[:300], truth=truth)
    assert found.correct > 0.9 * 300


def survey(n=600, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n).astype(float)
    region = rng.choice(list("abcdef"), n)
    return Microdata.of(
        {"age": age, "region": region, "sex": rng.choice(["f", "m"], n)}
    )


def massc_truth(plan, n):
    truth = np.full(n, -1)
    truth[plan.rows_] = np.arange(len(plan.rows_))
    return truth


def test_massc_likelihood_is_how_often_it_happens():
    """The probabilities of the docstring, counted over many releases."""
    data = survey(60)
    key = ["age", "sex"]
    share = (1.0,) * 4
    kept = []
    for seed in range(200):
        plan = tc.protect.MASSC(share=share, columns=key, random_state=seed)
        masked = plan.fit_transform(data)
        kept.append((masked.numbers(key) == data.numbers(key)).all(axis=1).mean())
        evidence = AwareMASSC(share=share).evidence(data, masked, key)
        ours, theirs = evidence.classes()
        cost = evidence.block(ours.rows, theirs.rows)
        # no true link is impossible
        assert np.isfinite(cost[ours.inverse, theirs.inverse]).all()
    part = AwareMASSC(share=share).evidence(data, data, key).parts[0]
    cost = np.diag(part.cost(part.a, part.b)) + part.a[:, -1]
    assert np.mean(kept) == pytest.approx(np.exp(-cost).mean(), abs=0.02)


def test_massc_knows_more_than_the_nearest_record():
    data = Microdata.of(np.random.default_rng(1).normal(size=(500, 4)))
    plan = tc.protect.MASSC(random_state=2)
    masked = plan.fit_transform(data)
    truth = massc_truth(plan, data.n)
    plain = tc.attack.registry["nearest"]().link(data, masked, truth=truth).correct
    found = for_plan(plan)[0].link(data, masked, truth=truth).correct
    assert found > 1.1 * plain
    assert found > 0.45 * masked.n


def test_row_order_is_not_knowledge(census):
    dp = InPlace(
        k=10, epsilon=5.0, bounds=bounds_of(census),
        random_state=1, test_seed=True,
    )  # fmt: skip
    data = survey(200)
    massc = tc.protect.MASSC(random_state=1)
    released = massc.fit_transform(data)
    truth = massc_truth(massc, data.n)
    resampling = tc.protect.Resampling(samples=1, random_state=1)
    cases = [
        (AwareDPMicroaggregation.knowing(dp, census), census, dp.fit_transform(census), None),
        (AwareMASSC.knowing(massc, data), data, released, truth),
        (AwareResampling(1), census, resampling.fit_transform(census), None),
    ]  # fmt: skip
    for attacker, original, masked, true in cases:
        once = attacker.link(original, masked, truth=true).correct
        again = permuted(attacker, original, masked, true).correct
        assert once == pytest.approx(again, abs=1e-9)
