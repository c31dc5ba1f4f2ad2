"""Comparisons: frontier by hand, resume, same result at any number of workers, budget, the map."""

import json
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import tacit as tc
from tacit.compare import workers
from tacit.compare.frontier import Frontier
from tacit.compare.journal import Journal
from tacit.compare.lab import Lab
from tacit.compare.over_seeds import spread
from tacit.compare.pareto import ranks
from tacit.compare.search import rungs
from tacit.compare.trial import Trial
from tacit.compare.trials import Settings, TrialRun
from tacit.compare.workers import Time
from tacit.plan.plan import Plan, Step

PLANS = [
    {"method": "noise", "percent": {"values": [5, 60]}},
    {"method": "microaggregation", "k": {"values": [3, 12]}},
]
CHEAP = {
    "informed": False,
    "risks": ["interval"],
    "losses": ["IL", "SSE"],
    "attackers": ["nearest"],
    "workers": 1,
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4))


def trial(name, risk, loss, score=1.0, failed=""):
    plan = Plan((Step("noise", {"percent": 5}),), name)
    return Trial(
        plan,
        10,
        1,
        risk,
        (risk, risk),
        loss,
        (loss, loss),
        score,
        "nearest",
        {"rate: nearest": risk},
        0.0,
        failed,
    )


def test_layers_by_hand():
    points = [
        (0.1, 0.9),
        (0.5, 0.5),
        (0.6, 0.6),
        (0.9, 0.1),
        (0.5, 0.6),
        (float("nan"), 0.1),
    ]
    assert ranks(points) == [0, 0, 2, 0, 1, 6]
    assert ranks([(1.0, 1.0), (1.0, 1.0)]) == [0, 0]


def test_the_interval_over_seeds_by_hand():
    low, high = spread([1.0, 2.0, 3.0])
    assert (low, high) == pytest.approx(
        (2 - 4.302653 / np.sqrt(3), 2 + 4.302653 / np.sqrt(3)), abs=1e-5
    )
    assert spread([0.5]) == (0.5, 0.5)


def test_the_recommended_plan_is_the_cheapest_safe_one():
    found = Frontier(
        (
            trial("a", 0.9, 0.1),
            trial("b", 0.04, 0.5),
            trial("c", 0.01, 0.7),
            trial("d", 0.03, 0.6),
        ),
        "r",
        "l",
        0.05,
        10,
    )
    assert found.recommended.name == "b"
    assert [t.name for t in found.best] == ["a", "b", "d", "c"]
    assert "3 keep r at 0.05 or less" in found.why


def test_no_safe_plan_is_said_loudly():
    found = Frontier(
        (trial("a", 0.9, 0.1, 30), trial("b", 0.4, 0.5, 20)), "r", "l", 0.05, 10
    )
    assert found.recommended is None
    assert found.closest.name == "b"
    assert found.why.startswith("NO plan keeps")
    assert "none is recommended" in found.why
    assert found.to_dict()["recommended"] is None


def test_every_plan_runs_and_the_stronger_protection_risks_less_and_loses_more(data):
    found = tc.compare(data, PLANS, seeds=2, **CHEAP)
    by_name = {t.name: t for t in found.trials}
    assert len(by_name) == 4
    assert by_name["noise(percent=60.0)"].risk < by_name["noise(percent=5.0)"].risk
    assert by_name["noise(percent=60.0)"].loss > by_name["noise(percent=5.0)"].loss
    assert by_name["microaggregation(k=12)"].risk <= 1 / 12 + 1e-9
    assert by_name["noise(percent=5.0)"].seeds == 2
    assert by_name["microaggregation(k=3)"].seeds == 1
    json.dumps(found.to_dict())


def test_workers_and_row_order_do_not_change_the_result(data):
    options = CHEAP | {"seeds": 1}
    one = tc.compare(data, PLANS[1:], **options)
    two = tc.compare(data, PLANS[1:], **(options | {"workers": 2}))
    mixed = tc.compare(
        data[np.random.default_rng(1).permutation(len(data))], PLANS[1:], **options
    )
    for other in (two, mixed):
        for a, b in zip(one.trials, other.trials, strict=True):
            assert (a.risk, a.loss) == pytest.approx((b.risk, b.loss), rel=1e-9)


def test_a_crash_loses_nothing_that_was_finished(data, tmp_path, monkeypatch):
    journal = tmp_path / "runs.jsonl"
    calls = []
    real = workers.execute

    def crash(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(workers, "execute", crash)
    with pytest.raises(KeyboardInterrupt):
        tc.compare(data, PLANS, seeds=1, resume=journal, **CHEAP)
    assert journal.read_text().count("outcome") == 2
    with journal.open("a") as file:
        file.write('{"key": "half a li')
    monkeypatch.setattr(
        workers, "execute", lambda *args: (calls.append(1), real(*args))[1]
    )
    calls.clear()
    found = tc.compare(data, PLANS, seeds=1, resume=journal, **CHEAP)
    assert len(calls) == 2
    assert len(found.trials) == 4
    calls.clear()
    again = tc.compare(data, PLANS, seeds=1, resume=journal, **CHEAP)
    assert not calls
    assert [t.to_dict() for t in again.trials] == [t.to_dict() for t in found.trials]
    renamed = [entry | {"name": f"plan {i}"} for i, entry in enumerate(PLANS)]
    tc.compare(data, renamed, seeds=1, resume=journal, **CHEAP)
    assert not calls
    tc.compare(data + 1.0, PLANS, seeds=1, resume=journal, **CHEAP)
    assert len(calls) == 4  # other data, other runs


def test_a_plan_that_cannot_run_is_reported_and_does_not_stop_the_others(data):
    found = tc.compare(
        data,
        [{"method": "microaggregation", "k": {"values": [3, 500]}}],
        bound=0.6,
        **CHEAP,
    )
    failed = [t for t in found.trials if t.failed]
    assert [t.name for t in failed] == ["microaggregation(k=500)"]
    assert found.recommended.name == "microaggregation(k=3)"


def test_a_budget_searches_small_samples_first():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(600, 3))
    plans = [
        {"method": "microaggregation", "k": {"values": [3, 5, 8, 12]}},
        {"method": "noise", "percent": "10..400..100"},
    ]
    found = tc.compare(data, plans, budget=60, seeds=1, seed=1, **CHEAP)
    assert found.dropped
    assert all(t.records < 600 for t in found.dropped)
    assert all(t.records == 600 for t in found.trials)
    assert len(found.trials) + len(found.dropped) == 8


def test_a_budget_that_is_too_short_recommends_nothing_and_says_why():
    data = np.random.default_rng(0).normal(size=(600, 3))
    found = tc.compare(data, PLANS, budget=1e-9, seeds=2, **CHEAP)
    assert len(found.trials) == 4
    assert found.recommended is None
    assert "time ran out before the first run had ended" in found.why
    assert {found.verdict(trial).state for trial in found.trials} == {"not assessed"}


def test_what_only_a_sample_has_seen_is_the_answer_and_not_recommended(monkeypatch):
    data = np.random.default_rng(0).normal(size=(600, 3))
    real = Lab.trials

    def no_time_for_the_whole_file(lab, plans, records, seeds, limit, **others):
        limit = limit if records < 600 else Time(0.0, 0.0)
        return real(lab, plans, records, seeds, limit, **others)

    monkeypatch.setattr(Lab, "trials", no_time_for_the_whole_file)
    plans = [{"method": "noise", "percent": {"values": [5, 5000]}}]
    found = tc.compare(data, plans, budget=600, seeds=1, **CHEAP)
    assert {trial.records for trial in found.trials} == {300}
    assert found.recommended is None
    assert found.best == []
    assert found.candidate.name == "noise(percent=5000.0)"
    assert "time ran out after 300 of 600 records" in found.why
    assert "noise(percent=5000.0) keeps the bound and loses least" in found.why
    assert {row["verdict"] for row in found.table} <= {"not assessed", "not safe"}
    assert "Time ran out" in found._repr_html_()


@pytest.mark.slow
def test_a_run_that_does_not_end_in_time_is_given_up(monkeypatch):
    data = tc.Microdata.of(np.random.default_rng(0).normal(size=(60, 2)))
    plan = Plan((Step("noise", {"percent": 5.0}),)).seeded(1, test_seed=True)
    slow = TrialRun(plan, 60, 1)
    monkeypatch.setattr(workers, "_remote", _sleeping)
    began = time.perf_counter()
    end = Time(began + 600, began + 2)
    settings = Settings(("nearest",), (), (), informed=False)
    found = workers.run_all(data, [slow], settings, Journal(None), limit=end)
    assert found == [None]
    # an hour was asked for
    assert time.perf_counter() - began < 600


def _sleeping(*_):
    time.sleep(3600)


def test_stages_grow_up_to_the_whole_file():
    assert rungs(1080) == [270, 540, 1080]
    assert rungs(400) == [400]
    assert rungs(16_000) == [1000, 2000, 4000, 8000, 16_000]
    assert rungs(1_000_000) == [1000, 5623, 31_623, 177_828, 1_000_000]


def test_the_map_is_a_picture_that_names_every_plan(data, tmp_path):
    found = tc.compare(data, PLANS, seeds=2, **CHEAP)
    text = found.to_svg(tmp_path / "map.svg")
    root = ElementTree.fromstring(text)
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 4
    assert any("noise(percent=60.0)" in t for t in titles)
    assert (tmp_path / "map.svg").read_text() == text
    assert "<svg" in found._repr_html_()


def test_unknown_names_are_refused_before_anything_runs(data):
    with pytest.raises(ValueError, match="no loss method 'ILL'"):
        tc.compare(data, PLANS, loss="ILL", workers=1)
    with pytest.raises(ValueError, match="no attack method 'x'"):
        tc.compare(data, PLANS, attackers=["x"], workers=1)
