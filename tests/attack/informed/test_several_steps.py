"""Plans of several steps: what can be computed is run again, the rest is learned once."""

from __future__ import annotations

import numpy as np

import tacit as tc
from tacit.attack.informed import learned_law as memory
from tacit.attack.informed.learned_law import learned_law
from tacit.attack.informed.shadow_states import _atoms, told_by_state
from tacit.attack.informed.steps import computed_part
from tacit.data.microdata import Microdata

P = tc.protect


def people(n: int = 90, columns: int = 3) -> Microdata:
    return Microdata.of(np.random.default_rng(4).normal(size=(n, columns)))


def test_steps_before_the_first_random_one_are_run_again() -> None:
    x = people()
    mdav, noise = P.Microaggregation(k=3), P.Noise(percent=10, random_state=1)
    given, rest = computed_part([mdav, noise, mdav], x)
    assert given.table.equals(mdav.fit_transform(x).table)
    assert [type(step) for step in rest] == [P.Noise, P.Microaggregation]
    # the attacker of a single method knows more of it than one run tells
    given, rest = computed_part(mdav, x)
    assert given is x
    assert rest == [mdav]


def test_groups_are_known_where_only_a_sample_is_released() -> None:
    x = people(120)
    steps = [P.Microaggregation(k=4), P.Sampling(fraction=0.5, random_state=1)]
    marked = Microdata.of(
        x.table.append_column("row", [np.arange(120.0)]), other=["row"]
    )
    released = marked
    for step in steps:
        released = step.fit_transform(released)
    truth = np.full(120, -1)
    truth[released.column("row").astype(int)] = np.arange(released.n)
    masked = released.drop(["row"])
    own = tc.attack.Aware(plan=steps).link(x, masked, truth=truth)
    # nobody is linked to another group than their own
    groups = steps[0].fit_transform(x).numbers(x.names)
    named = own.match >= 0
    assert np.allclose(groups[named], masked.numbers(x.names)[own.match[named]])


def test_a_law_is_learned_once_for_all_who_ask(monkeypatch) -> None:
    x = people(60)
    steps = [P.Noise(percent=30, random_state=1), P.Rounding(base=0.5, random_state=2)]
    masked = steps[1].fit_transform(steps[0].fit_transform(x))
    first = learned_law(steps, x, masked, x.names)
    monkeypatch.setattr(memory, "_run", None)  # a second run would fail
    assert learned_law(steps, x, masked, x.names) is first
    # other seeds are the same plan, another percentage is not
    other = [P.Noise(percent=30, random_state=9), steps[1]]
    assert learned_law(other, x, masked, x.names) is first


def test_a_limit_that_each_release_sets_for_itself_is_no_atom() -> None:
    rng = np.random.default_rng(1)
    runs = []
    for _ in range(20):
        values = rng.normal(size=100)
        runs.append(np.minimum(values, np.quantile(values, 0.6)))
    assert len(_atoms(runs, 1e-9)) == 0
    fixed = [np.minimum(run, 0.1) for run in runs]
    assert _atoms(fixed, 1e-9).tolist() == [0.1]


def test_what_states_tell_is_judged_by_draws_that_were_left_out() -> None:
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(50), 40)
    # forty draws over a hundred states that say nothing of whose they are
    assert told_by_state(rng.integers(0, 100, who.size), who, 50, 100) < 0.05
    assert told_by_state(who % 5, who, 50, 5) > 1.0
