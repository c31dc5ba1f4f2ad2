"""Every page shows the verdict of the assessment and no rule of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tacit as tc
from tacit import report
from tacit.assess.assessment import Assessment, Failure
from tacit.compare.frontier import Frontier
from tacit.compare.trial import Trial
from tacit.compare.trials import Outcome
from tacit.report import comparison, external, internal, parts
from tacit.report.notebook import assessment as card
from tacit.report.notebook import frontier as frontier_card


@pytest.fixture(scope="module")
def weak() -> Assessment:
    """A release of 200 records, 20 % noise."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    masked = x + 0.8 * x.std(axis=0) * rng.normal(size=x.shape)
    return tc.assess(
        x, masked, attackers=["nearest"], risks=(), losses=("IL",), truth="rows"
    )


def states(weak: Assessment) -> dict[str, Assessment]:
    """One assessment for each state; attacks have the limit that leads there."""
    _, link = weak.strongest
    low, high = link.rate, link.interval[1]
    assert low < high
    broken = {**weak.attacks, "blocks": Failure("blocks", "cell 4711 is not a number")}
    return {
        "safe": replace(weak, thresholds={"attack": high + 0.01}),
        "borderline": replace(weak, thresholds={"attack": (low + high) / 2}),
        "not safe": replace(weak, thresholds={"attack": low - 0.01}),
        "not assessed": replace(
            weak, attacks=broken, thresholds={"attack": high + 0.01}
        ),
    }


COLOURS = {
    "safe": "good",
    "borderline": "warn",
    "not safe": "bad",
    "not assessed": "warn",
}


@pytest.mark.parametrize("state", COLOURS)
def test_the_headline_is_the_verdict(weak, state) -> None:
    result = states(weak)[state]
    assert result.verdict.state == state
    headline = parts.verdict(result)
    assert headline.state == COLOURS[state]
    assert headline.word.lower() == result.verdict.word
    assert result.verdict.next_step == headline.next_step
    assert "strongest intruder" in headline.sentence
    assert headline.word in card(result)
    # given as a bound it is the same verdict
    bound = result.thresholds["attack"]
    assert parts.verdict(replace(result, thresholds={}), bound) == headline


def test_borderline_says_how_far_it_may_go_and_is_not_called_within(weak) -> None:
    result = states(weak)["borderline"]
    sentence = parts.verdict(result).sentence
    assert "are possible, above" in sentence
    assert "within" not in sentence
    standing = [row["standing"] for row in parts.checks(result)]
    assert "borderline" in standing
    for page in (internal.content(result), external.content(result)):
        assert "borderline" in [row["standing"] for row in page.checks]


def test_what_is_in_the_release_counts_with_a_bound_too(weak) -> None:
    """The rows of contents were once lost where a bound was given."""
    raw = tc.assess(
        weak.original,
        weak.original,
        attackers=["nearest"],
        risks=(),
        losses=("IL",),
    )
    headline = parts.verdict(raw, 1.0)
    assert headline.state == "bad"
    assert "raw records" in headline.sentence.lower()


def test_a_failed_attack_is_told_without_its_reason_to_strangers(
    weak, tmp_path
) -> None:
    result = states(weak)["not assessed"]
    headline = parts.verdict(result)
    assert (
        "One check could not be made: that is no evidence of safety."
        in headline.sentence
    )
    report.write(result, tmp_path / "out.html", external=True)
    text = (tmp_path / "out.html").read_text()
    assert "4711" not in text
    assert "Not assessed" in text
    assert result.verdict.next_step not in text, "advice is for the owner of the data"


def test_no_attack_is_not_assessed(weak) -> None:
    none = replace(weak, attacks={})
    headline = parts.verdict(none)
    assert (headline.state, headline.word) == ("warn", "Not assessed")
    assert headline.sentence.startswith("No attack could be run")


def test_a_comparison_without_a_safe_plan_recommends_none(weak, tmp_path) -> None:
    plan = tc.Plan((tc.Step("noise", {"percent": 80}),))
    trial = Trial.of(plan, 200, [Outcome.of(weak)])
    for bound, word in ((0.001, "No plan is safe"), (0.9, "Recommended")):
        found = Frontier((trial,), "strongest attack", "IL", bound, 200)
        assert (found.recommended is None) == (bound < 0.5)
        assert comparison.verdict(found).word == word
        assert word in frontier_card(found)
        for name, is_external in (("in.html", False), ("out.html", True)):
            page = comparison.content(found, external=is_external)
            assert page.verdict.word == word
            assert bool(page.steps) == (found.recommended is not None)
            report.write_comparison(
                found, tmp_path / name, external=is_external, force=True
            )
            text = (tmp_path / name).read_text()
            assert ("No plan is recommended." in text) == (found.recommended is None)


def test_a_trial_with_a_failed_attack_is_off_the_map(weak) -> None:
    plan = tc.Plan((tc.Step("noise", {"percent": 80}),))
    outcome = Outcome.of(states(weak)["not assessed"])
    found = Frontier(
        (Trial.of(plan, 200, [outcome]),), "strongest attack", "IL", 0.99, 200
    )
    assert comparison.points(found) == []
    headline = comparison.verdict(found)
    assert headline.word == "No plan could be assessed"
    page = comparison.content(found)
    assert any(
        "was not assessed: attacks: blocks did not run" in r for r in page.remarks
    )
