"""What guessing finds is no finding; where it finds too much nobody can be protected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import tacit as tc
from assess.false_alarms import draws_of, health
from assess.test_verdict_by_row import link
from tacit.assess.verdict import TOO_FEW, _luck, verdict
from tacit.risk import strongest


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.001, 0.999))
def test_luck_is_the_upper_tail_of_the_binomial(found, people, chance) -> None:
    assert _luck(found, people, chance) == pytest.approx(
        binom.sf(found - 1, people, chance), abs=1e-9
    )


@pytest.mark.parametrize("people", [6, 12])
def test_so_few_people_can_never_pass(people: int) -> None:
    ours, theirs = draws_of(health, 2, n=people)
    result = tc.assess(
        ours, theirs, attackers=["nearest"], risks=(), losses=(), truth="rows"
    )
    assert result.verdict.state == "not safe"
    (row,) = [row for row in result.verdict.failing if row.name == TOO_FEW]
    assert f"only {people} people" in row.why
    assert "a release of so few can never pass" in result.verdict.reason
    assert TOO_FEW not in [
        row.name for row in verdict({"nearest": link([0.0] * 20)}, {}).rows
    ]


def rate(found: int, people: int) -> str:
    """The state of a release in which an attack found so many of so many."""
    success = np.zeros(people)
    success[:found] = 1
    attacks = {"nearest": link(success)}
    data = tc.Microdata.of({"a": np.arange(people, dtype=float)})
    summed = {"strongest": strongest(data, data, attacks=attacks)}
    return verdict(attacks, summed).state


def test_what_guessing_may_find_does_not_fail_and_more_does() -> None:
    # one in thirty is expected; three of thirty happen in eight of a hundred files
    assert rate(3, 30) == "borderline"
    assert rate(10, 30) == "not safe"
    # of many people guessing finds hardly one: a rate above the limit is no luck
    assert rate(60, 1000) == "not safe"
    assert rate(1, 1000) == "safe"
    # and what may be luck, but reaches far above chance, is no more than borderline
    assert rate(0, 30) == "borderline"


def test_a_row_of_keys_says_how_many_people_it_is_about() -> None:
    file = draws_of(health, 1)[0][["sex", "smokes", "disease"]]
    risks = ["k_anonymity", "prosecutor", "strongest"]
    result = tc.assess(file, file, attackers=["nearest"], risks=risks, losses=())
    told = {row.name: row.people for row in result.verdict.rows if row.name in risks}
    alone = int((file.groupby(list(file))["sex"].transform("size") < 3).sum())
    assert told["k_anonymity"] == f"{alone} of 300 records"
    assert told["prosecutor"].endswith("of 300 records")
    assert told["strongest"] == ""
    assert f"({alone} of 300 records)" in result.verdict.reason
