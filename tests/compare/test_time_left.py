"""What a search does with the time that it has left: which plan is run next, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tacit.base.stopping import Stop
from tacit.compare import time_left
from tacit.compare.time_left import Known, go_on
from tacit.compare.trial import STRONGEST, Trial
from tacit.compare.trials import Outcome
from tacit.plan.plan import Plan, Step

BOUND = 0.05


def plan(k: int, method: str = "microaggregation") -> Plan:
    return Plan((Step(method, {"k": k} if method[0] == "m" else {"percent": k}),))


def trial(one: Plan, risk: float, loss: float, records: int = 1000) -> Trial:
    outcome = Outcome(
        attacks={"rerun": risk},
        intervals={"rerun": (risk, risk)},
        measures={"IL": loss},
        score=1.0,
        seconds=2.0,
    )
    return Trial.of(one, records, [outcome])


def sample(*ks: int, method: str = "microaggregation") -> dict[str, Trial]:
    """Larger k: less risk, more loss; samples are twice as easy to attack as the file."""
    tried = [trial(plan(k, method), min(1.0, 2 / k), k / 100) for k in ks]
    return {each.name: each for each in tried}


def whole(k: int, method: str = "microaggregation") -> Trial:
    return trial(plan(k, method), 1 / k, k / 100, 50_000)


def known(ks: Sequence[int], on_file: Sequence[int]) -> Known:
    found = Known([plan(k) for k in ks], BOUND, STRONGEST, sample(*ks))
    found.whole = {(one := whole(k)).name: one for k in on_file}
    return found


def numbers(plans: Sequence[Plan]) -> list[Any]:
    return [one.steps[0].parameters["k"] for one in plans]


def test_the_middle_of_what_loses_less_than_the_safe_one_comes_next() -> None:
    found = known(range(5, 55, 5), [50])
    assert numbers(found.next(1)) == [25]
    assert numbers(found.next(2)) == [20, 35]
    # not safe: those of the same method that lose less are not looked at
    found.whole[whole(15).name] = whole(15)
    assert numbers(found.next(9)) == [20, 25, 30, 35, 40, 45]
    # safe: those that lose more are not
    found.whole[whole(25).name] = whole(25)
    assert numbers(found.next(9)) == [20]
    found.whole[whole(20).name] = whole(20)
    assert found.next(9) == []


def test_another_method_is_not_judged_by_one_that_failed() -> None:
    found = known([5, 50], [5, 50])
    found.sampled |= sample(4, method="noise")
    assert [str(one) for one in found.next(3)] == ["noise(percent=4.0)"]


def test_where_none_is_safe_yet_the_least_risk_comes_first() -> None:
    found = known([5, 10, 15, 30], [5])
    assert numbers(found.next(2)) == [30, 15]


def test_a_sample_of_which_an_attack_is_missing_decides_nothing() -> None:
    found = known([5, 50], [50])
    unknown = Outcome(attacks={}, measures={"IL": 0.05}, unknown=["did not run"])
    found.sampled[str(plan(5))] = Trial.of(plan(5), 1000, [unknown])
    assert found.next(3) == []


def lab(workers: int, tell: Callable[[list[Plan], int], None]) -> Any:
    """Runs that take no time and give what ``whole`` and ``sample`` say."""

    def trials(
        plans: Sequence[Plan], records: int, seeds: int, limit: Any
    ) -> list[Trial]:
        tell(list(plans), records)
        large = records == 50_000
        return [whole(k) if large else sample(k)[str(plan(k))] for k in numbers(plans)]

    return SimpleNamespace(
        data=SimpleNamespace(n=50_000),
        workers=workers,
        seeds=1,
        stop=Stop(),
        trials=trials,
        runs=lambda one, records, seeds: [one],
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_the_least_loss_that_is_safe_is_found(workers: int) -> None:
    found = known(range(5, 105, 5), [100])
    seen: list[int] = []
    go_on(
        lab(workers, lambda plans, _: seen.extend(numbers(plans))),
        found,
        1000,
        time.perf_counter() + 1000,
    )
    assert whole(20).name in found.whole
    assert found.is_safe(whole(20))
    assert not found.is_safe(whole(15))
    # from the middle: a few runs, not all
    assert len(seen) <= 6


def test_plans_without_a_run_have_one_on_a_sample_first() -> None:
    found = known([5, 100], [100])
    found.plans = [plan(k) for k in range(5, 105, 5)]
    asked: list[tuple[int, int]] = []
    go_on(
        lab(1, lambda plans, records: asked.append((len(plans), records))),
        found,
        1000,
        time.perf_counter() + 1000,
    )
    assert asked[0] == (18, 1000)
    assert found.untried == []
    assert whole(20).name in found.whole


@pytest.mark.parametrize(("left", "some"), [(2.0, False), (60.0, True)])
def test_no_run_is_begun_that_would_not_end_in_time(left: float, some: bool) -> None:
    """Runs took two seconds, so that 2.6 are allowed for the next."""
    assert time_left.LONGER * 2.0 > 2.0
    found = known(range(5, 105, 5), [100])
    asked: list[int] = []
    go_on(
        lab(1, lambda plans, records: asked.append(records)),
        found,
        1000,
        time.perf_counter() + left,
    )
    assert bool(asked) is some
