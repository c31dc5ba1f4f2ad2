"""What a search has chosen is drawn afresh before it is believed; what failed is never safe."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.assignment import Assignment
from tacit.base import seeds
from tacit.base.errors import TacitError
from tacit.base.facts import Strength
from tacit.compare import lab as lab_module
from tacit.compare import until as until_module
from tacit.compare import workers
from tacit.compare.attacked import Attacked
from tacit.compare.fresh import fresh
from tacit.compare.frontier import Frontier
from tacit.compare.trial import Trial
from tacit.compare.trials import AS_IT_WAS, Outcome
from tacit.compare.until import MOST_REDRAWS, TURNS_AT_ONCE, protect_until
from tacit.plan.plan import Plan, Step

CHEAP = {
    "informed": False,
    "risks": ["interval"],
    "losses": ["IL", "SSE"],
    "attackers": ["nearest"],
    "workers": 1,
}
PLANS = [{"method": "noise", "percent": {"values": [60, 90, 130]}}]


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(150, 3)) @ rng.normal(size=(3, 3))


def until(data: np.ndarray, **options: object) -> until_module.Protected:
    return protect_until(
        data,
        "noise",
        "risk<=0.2",
        attackers=["nearest"],
        informed=False,
        **{"seed": 5, **options},
    )


def test_the_release_is_drawn_under_a_key_that_the_search_has_not_used(data) -> None:
    found = until(data)
    turn = len(found.redrawn) - 1
    assert found.plan.steps[0].seed == seeds.child(fresh(5, turn), 0)
    assert found.plan.steps[0].seed != seeds.child(5, 0)
    again = tc.attack.Nearest().link(data, found.masked)
    assert again.rate == found.risk
    assert again.interval[1] == found.upper <= 0.2
    assert found.redrawn[-1] == (found.value, found.upper)
    told = found.to_dict()
    assert told["searched"] == found.searched
    assert len(told["redrawn"]) == turn + 1
    assert "drawn afresh" in str(found)


def test_the_same_seed_gives_the_same_bytes(data) -> None:
    one, two = until(data), until(data)
    assert np.array_equal(one.masked.numbers(), two.masked.numbers())
    assert one.redrawn == two.redrawn
    assert not np.array_equal(
        one.masked.numbers(), until(data, seed=6).masked.numbers()
    )


def test_a_redraw_above_the_bound_strengthens_the_setting(data, monkeypatch) -> None:
    real = until_module.risk_of
    unlucky = {seeds.child(fresh(5, turn), 0) for turn in (0, 1)}

    def luck(original, masked, plan, *rest, **how):
        found = real(original, masked, plan, *rest, **how)
        if plan.steps[0].seed in unlucky:
            return Attacked(0.9, 0.95, "nearest", False)
        return found

    monkeypatch.setattr(until_module, "risk_of", luck)
    found = until(data)
    settings = [value for value, _ in found.redrawn]
    assert [upper for _, upper in found.redrawn[:2]] == [0.95, 0.95]
    assert settings[1] == pytest.approx(settings[0] * 1.05)
    assert settings[2] == pytest.approx(settings[1] * 1.10)
    assert found.upper <= 0.2
    assert found.searched < 0.2


def test_luck_alone_is_not_handed_over(data, monkeypatch) -> None:
    real = until_module.risk_of
    searched = seeds.child(5, 0)

    def luck(original, masked, plan, *rest, **how):
        if plan.steps[0].seed == searched:
            return real(original, masked, plan, *rest, **how)
        return Attacked(0.9, 0.95, "nearest", False)

    monkeypatch.setattr(until_module, "risk_of", luck)
    # where cheap attacks end, and then where everybody does
    redraws = TURNS_AT_ONCE + MOST_REDRAWS
    with pytest.raises(TacitError, match=f"in none of {redraws} releases"):
        until(data)


def test_the_strongest_setting_is_not_handed_over_for_lack_of_a_stronger(
    data, monkeypatch
) -> None:
    """It met the bound in the search by luck; drawn afresh it does not."""
    searched = seeds.child(5, 0)

    def luck(original, masked, plan, *rest, **how):
        strongest = plan.steps[0].parameters["percent"] == 50.0
        met = strongest and plan.steps[0].seed == searched
        return Attacked(0.1, 0.15, "nearest", met)

    monkeypatch.setattr(until_module, "risk_of", luck)
    with pytest.raises(TacitError, match=r"does not reach risk<=0.2: even percent=50"):
        until(data, start=10.0, end=50.0)


@pytest.mark.parametrize(
    ("knob", "value", "expected"),
    [
        (Strength("percent", 1.0, 100.0), 10.0, 10.5),
        (Strength("percent", 1.0, 100.0), 99.0, 100.0),
        (Strength("k", 2, 50, whole=True), 3, 4),
        (Strength("k", 2, 50, whole=True), 40, 42),
        (Strength("epsilon", 8.0, 0.1), 2.1, 2.0),
        (Strength("bins", 9, 1, whole=True), 3, 2),
        (Strength("bins", 90, 1, whole=True), 42, 40),
    ],
)
def test_a_little_stronger(knob, value, expected) -> None:
    assert until_module._a_little_stronger(knob, value, 0.05) == pytest.approx(expected)


def test_a_failed_attack_is_not_a_bound_that_holds(data, monkeypatch) -> None:
    monkeypatch.setattr(Assignment, "_link", _broken)
    with pytest.raises(TacitError, match="assignment did not run: ValueError: broken"):
        protect_until(data, "noise", attackers=["nearest", "assignment"], seed=1)


def _broken(*_: object) -> None:
    raise ValueError("broken")


def test_the_recommended_plan_is_reported_as_it_was_drawn_afresh(data) -> None:
    found = tc.compare(data, PLANS, seeds=2, seed=4, bound=0.2, **CHEAP)
    chosen = found.recommended
    assert chosen.searched is not None
    assert chosen.risk != chosen.searched
    # by hand: the same plan under the fresh keys
    rates = []
    for i in range(2):
        key = fresh(seeds.DRAWN | 4, i)
        masked = chosen.plan.seeded(key).apply(data)
        rates.append(tc.attack.Nearest().link(data, masked).rate)
    assert chosen.risk == pytest.approx(np.mean(rates))
    assert max(chosen.risk, chosen.risk_interval[1]) <= 0.2
    assert "drawn afresh" in found.why
    assert found.table[0]["recommended"] in (True, False)
    assert {row["name"] for row in found.table if row["recommended"]} == {chosen.name}
    again = tc.compare(data, PLANS, seeds=2, seed=4, bound=0.2, **CHEAP)
    assert [t.risk for t in again.trials] == [t.risk for t in found.trials]


def test_a_plan_that_was_lucky_gives_way_to_the_next(data, monkeypatch) -> None:
    honest = tc.compare(data, PLANS, seeds=1, seed=3, bound=0.2, **CHEAP).recommended
    real = workers.execute
    fresh_keys = {fresh(seeds.DRAWN | 3, 0)}
    spoiled: set[str] = {honest.name}

    def luck(file, run, settings):
        out = real(file, run, settings)
        if run.seed in fresh_keys and run.plan.name in spoiled:
            out.attacks = {"nearest": 0.5}
            out.intervals = {"nearest": (0.4, 0.6)}
        return out

    monkeypatch.setattr(workers, "execute", luck)
    found = tc.compare(data, PLANS, seeds=1, seed=3, bound=0.2, **CHEAP)
    assert found.recommended.name != honest.name
    assert found.recommended.loss > honest.loss
    assert any(note.startswith(f"{honest.name} kept the bound") for note in found.notes)
    spoiled.update(trial.name for trial in found.trials)
    none = tc.compare(data, PLANS, seeds=1, seed=3, bound=0.2, **CHEAP)
    assert none.recommended is None
    assert "none is recommended" in none.why
    assert none.to_html is not None
    assert "No plan is safe" in none._repr_html_()


def test_a_plan_that_draws_nothing_is_not_run_again(data, monkeypatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("drawn again")

    monkeypatch.setattr(lab_module.Lab, "again", never)
    plans = [{"method": "microaggregation", "k": 30}]
    found = tc.compare(data, plans, bound=0.2, **CHEAP)
    assert found.recommended.searched is None


def test_a_plan_with_a_failed_attack_is_not_assessed(data, monkeypatch) -> None:
    monkeypatch.setattr(Assignment, "_link", _broken)
    options = CHEAP | {"attackers": ["nearest", "assignment"]}
    found = tc.compare(data, PLANS, seeds=1, bound=0.9, **options)
    assert found.recommended is None
    assert found.best == []
    assert {found.verdict(trial).state for trial in found.trials} == {"not assessed"}
    assert "assignment did not run: ValueError: broken" in found.why
    assert {row["verdict"] for row in found.table} == {"not assessed"}
    assert "No plan could be assessed" in found._repr_html_()


def test_no_attack_at_all_is_not_assessed() -> None:
    plan = Plan((Step("noise", {"percent": 5}),))
    trial = Trial.of(
        plan, 10, [Outcome(measures={"interval": 0.0, "IL": 0.1})], "interval"
    )
    found = Frontier((trial,), "interval", "IL", 0.05, 10)
    assert found.verdict(trial).state == "not assessed"
    assert found.recommended is None


def test_a_plan_that_protects_nothing_is_not_recommended_at_any_bound(data) -> None:
    as_it_was = Outcome.of(tc.assess(data, data, risks=(), losses=("IL",)))
    assert AS_IT_WAS in as_it_was.exposed
    plan = Plan((Step("noise", {"percent": 5}),))
    trial = Trial.of(plan, 150, [as_it_was])
    found = Frontier((trial,), "strongest attack", "IL", 1.0, 150)
    assert found.verdict(trial).state == "not safe"
    assert found.recommended is None
    masked = plan.seeded(1).apply(data)
    changed = Outcome.of(tc.assess(data, masked, risks=(), losses=("IL",)))
    assert changed.exposed == {}


def test_the_interval_is_never_narrower_than_that_of_the_records(data) -> None:
    found = tc.compare(data, [{"method": "microaggregation", "k": 30}], **CHEAP)
    trial = found.trials[0]
    link = tc.attack.Nearest().link(data, trial.plan.apply(data))
    assert trial.risk_interval == pytest.approx(link.interval)


def test_a_plan_that_time_does_not_allow_to_draw_afresh_is_not_recommended(
    data, monkeypatch
) -> None:
    real = lab_module.Lab.trials

    def no_time_to_draw_afresh(lab, plans, *rest, afresh=False):
        return [] if afresh else real(lab, plans, *rest)

    monkeypatch.setattr(lab_module.Lab, "trials", no_time_to_draw_afresh)
    found = tc.compare(data, PLANS, bound=0.3, seeds=2, seed=5, **CHEAP)
    assert found.recommended is None
    late = [trial for trial in found.trials if trial.late]
    assert late
    assert found.candidate in late
    assert "before it was drawn afresh" in found.why
