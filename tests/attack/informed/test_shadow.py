"""The shadow attacker: near the exact law, never weaker than the plain ones, no seed, no order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from attack.informed import shadow_files
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.evidence import Evidence, link_by
from tacit.attack.informed.plan_attackers import for_plan
from tacit.attack.informed.rule_choice import choose_rule
from tacit.attack.informed.shadow import Shadow
from tacit.attack.informed.shadow_density import CELLS, REACH, Shape, transforms
from tacit.attack.informed.shadow_states import state_law
from tacit.base.errors import InputError
from tacit.data.microdata import Microdata

N = 150
FILES = {
    "business": lambda seed: Microdata.of(shadow_files.business(N, seed)),
    "survey": lambda seed: shadow_files.survey(N, seed),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", list(shadow_files.plans("business", 0)))
@pytest.mark.parametrize("kind", list(FILES))
def test_never_weaker_than_the_plain_attackers(kind: str, name: str) -> None:
    """At least .95 of the best plain one over two releases; less only by what chance moves."""
    rates: dict[str, list[float]] = {}
    for seed in (0, 1):
        x = FILES[kind](seed)
        steps = shadow_files.plans(kind, 100 + seed)[name]
        z = shadow_files.masked(steps, x)
        intruders = {
            "nearest": tc.attack.Nearest(),
            "assignment": tc.attack.Assignment(),
            "aware": Aware(plan=steps),
            "shadow": Shadow(plan=shadow_files.plans(kind, None)[name]),
        }
        for who, intruder in intruders.items():
            rates.setdefault(who, []).append(intruder.link(x, z).rate)
    mean = {who: float(np.mean(each)) for who, each in rates.items()}
    shadow = mean.pop("shadow")
    best = max(mean.values())
    # one standard error of a rate over the records of both releases
    chance = np.sqrt(best * (1 - best) / (2 * N))
    assert shadow >= 0.95 * best - chance, (shadow, mean)


def test_coding_and_multiplied_noise_are_seen_through_as_by_the_exact_law() -> None:
    x = shadow_files.business(250, 3, columns=8, own=1.5)
    coding = tc.protect.TopBottomCoding()
    noise = tc.protect.Noise(percent=200, kind="multiplicative", random_state=5)
    y = coding.fit_transform(x)
    z = noise.fit_transform(y)
    variance = np.log1p(4.0)
    size = np.sqrt(variance)
    exact = Evidence(np.log(y) / size, (np.log(z) + variance / 2) / size)
    exact = Evidence(np.asarray(exact.u), np.asarray(exact.v))
    best = float((link_by(exact, "assignment").match == np.arange(250)).mean())
    found = Shadow(plan=[coding, noise]).link(x, z)
    assert found.rate > 0.85 * best
    assert found.rate > 3 * tc.attack.Assignment().link(x, z).rate
    assert found.rate > 0.25
    assert found.log[-1]["scales"]["v0"] in ("log", "score")


def test_labels_are_compared_as_labels() -> None:
    """Recoded to labels, suppressed and microaggregated: no distance between numbers applies."""
    x = shadow_files.survey(200, 4)
    plan = [
        tc.protect.Recoding(show="label", bins=8, columns=["age"]),
        tc.protect.LocalSuppression(k=3, columns=["age", "sex", "region"]),
        tc.protect.Microaggregation(
            k=3, groups=1, columns=["income", "rent", "wealth"]
        ),
    ]
    assert Shadow(plan=plan).link(x, shadow_files.masked(plan, x)).rate > 0.95


def test_seeds_of_the_plan_are_not_used_and_results_repeat() -> None:
    x = shadow_files.business(80, 1)
    z = shadow_files.masked(shadow_files.plans("business", 5)["swapped, noise"], x)
    links = [
        Shadow(plan=shadow_files.plans("business", seed)["swapped, noise"]).link(x, z)
        for seed in (5, 6, None)
    ]
    for other in links[1:]:
        np.testing.assert_array_equal(other.success, links[0].success)


@pytest.mark.parametrize("rule", ["chosen", "marginal", "assignment", "likeliest"])
def test_row_order_is_not_knowledge(rule: Any) -> None:
    rng = np.random.default_rng(2)
    x = np.round(rng.normal(size=(60, 2)), 1)  # with equal records
    x[30:40] = x[20:30]
    noise = tc.protect.Noise(percent=40, random_state=3)
    z = np.round(noise.fit_transform(x), 1)
    plain = Shadow(plan=noise, rule=rule, shadows=20).link(x, z)
    rows, others = rng.permutation(60), rng.permutation(60)
    truth = np.empty(60, dtype=int)
    truth[others] = np.arange(60)
    moved = Shadow(plan=noise, rule=rule, shadows=20).link(
        x[rows], z[others], truth=truth[rows]
    )
    if rule == "assignment":  # one of several best ones may be taken
        assert moved.cost == pytest.approx(plain.cost)
    else:
        np.testing.assert_allclose(moved.success, plain.success[rows], atol=1e-9)
    if rule in ("marginal", "likeliest"):  # equal originals are one to the intruder
        np.testing.assert_allclose(plain.score[30:40], plain.score[20:30])


@pytest.mark.parametrize(
    "first",
    [
        tc.protect.Sampling(fraction=0.3, random_state=2),
        tc.protect.MASSC(columns=["sex", "region"], random_state=2),
    ],
)
def test_samples_are_aligned(first: Any) -> None:
    """Which original a shadow record is comes with it, whatever was dropped."""
    x = shadow_files.survey(150, 1)
    noise = tc.protect.Noise(percent=10, columns=["income", "wealth"], random_state=1)
    z = noise.fit_transform(first.fit_transform(x))
    truth = np.full(x.n, -1)
    truth[first.rows_] = np.arange(z.n)
    found = Shadow([first, noise], rule="assignment").link(x, z, truth=truth)
    assert found.correct > 0.8 * z.n


def test_rows_in_random_order_are_not_learned_from() -> None:
    private = tc.protect.DPMicroaggregation(k=3, epsilon=1.0, bounds={"a": (0, 1)})
    noise = tc.protect.Noise(percent=10)
    kinds = [type(attacker) for attacker in for_plan([noise, private])]
    assert Shadow not in kinds
    assert Shadow in [type(attacker) for attacker in for_plan([noise, noise])]


def test_records_of_nobody_are_refused() -> None:
    class Invented(tc.protect.Noise):
        def _apply(self, data: Any, columns: Any, rng: Any) -> Any:
            return data.take(np.zeros(data.n, dtype=int))

    x = Microdata.of(shadow_files.business(20, 0))
    with pytest.raises(InputError, match="row by row"):
        Shadow(plan=Invented(random_state=1)).link(x, x)


def test_correlated_noise_needs_the_copula() -> None:
    rng = np.random.default_rng(1)
    shape = np.eye(4) + 3.0
    x = rng.multivariate_normal(np.zeros(4), shape, 200)
    noise = tc.protect.Noise(percent=60, kind="correlated", random_state=1)
    found = Shadow(plan=noise, rule="assignment").link(x, noise.fit_transform(x))
    assert found.log[-1]["columns_move_together"]
    assert (
        found.rate > 1.3 * tc.attack.Assignment().link(x, noise.fit_transform(x)).rate
    )


def test_choose_rule_finds_who_wins_on_own_releases() -> None:
    x = shadow_files.business(100, 2)
    plan = shadow_files.plans("business", None)["coded, multiplied"]
    who = {"nearest": tc.attack.Nearest(), "shadow": Shadow(plan, rule="marginal")}
    choice = choose_rule(x, plan, who)
    assert choice.name == "shadow"
    assert choice.order == ["shadow", "nearest"]
    assert choice.rates["shadow"] > choice.rates["nearest"] > 0


def test_the_law_of_states_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12), 15)
    state = np.where(rng.random(180) < 0.8, who % 3, rng.integers(0, 4, 180))
    law = np.exp(state_law(state, who, 12, 4))
    np.testing.assert_allclose(law.sum(1), 1.0, atol=1e-9)
    for i in range(12):
        assert law[i].argmax() == np.bincount(state[who == i], minlength=4).argmax()
    assert (law > 0).all()


def test_the_shape_is_a_density() -> None:
    e = np.random.default_rng(0).normal(size=20_000)
    shape = Shape.of(e)
    width = 2 * REACH / CELLS
    assert np.exp(shape.log_density).sum() * width == pytest.approx(1.0, abs=0.002)
    at = np.linspace(-2.5, 2.5, 11)
    log_density, score = shape.look(at)
    normal = -0.5 * at**2 - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(log_density, normal, atol=0.12)
    np.testing.assert_allclose(score, at, atol=0.15)  # the tail is heavier


def test_logarithms_are_tried_where_signs_are_kept() -> None:
    values = np.random.default_rng(0).normal(size=2_000)
    names = [[t.scale for t in transforms(values, signed)] for signed in (True, False)]
    assert names == [["raw", "log", "score"], ["raw", "score"]]


@pytest.mark.slow
@pytest.mark.needs("data")
@pytest.mark.parametrize(("grouped", "least"), [(False, 0.175), (True, 0.115)])
def test_census(reference_data: Path, grouped: bool, least: float) -> None:
    """Published in the issue: 19.9 % for multiplied noise of 100 %, 14 % after Mic3 with k = 5."""
    x = pd.read_csv(reference_data / "census.csv")
    steps: list[Any] = [tc.protect.Microaggregation(k=5, groups=3)] if grouped else []
    steps += [tc.protect.Noise(percent=100, kind="multiplicative", random_state=5)]
    assert Shadow(plan=steps).link(x, shadow_files.masked(steps, x)).rate > least
