"""Measures that take values for the person's own count the keys that may be."""

from __future__ import annotations

import numpy as np

import tacit as tc
from assess.false_alarms import draws_of, health, survey
from tacit.assess.presumed import OWN_COLUMNS, Presumed

KEYED = ("k_anonymity", "individual", "suda", "prosecutor", "marketer")


def test_without_the_truth_everything_is_taken_for_own() -> None:
    ours, theirs = draws_of(survey, 2)
    both = tc.Microdata.of(ours), tc.Microdata.of(theirs)
    assert Presumed.of(*both, None) is None
    assert Presumed.of(*both, np.full(len(ours), -1)) is None
    result = tc.assess(*both, attackers=["nearest"], losses=(), risks=KEYED)
    assert result.presumed is None
    assert {row.name for row in result.verdict.failing} >= {"k_anonymity", "prosecutor"}


def test_keys_of_others_are_not_counted_and_the_reason_is_said() -> None:
    ours, theirs = draws_of(survey, 2)
    result = tc.assess(
        ours, theirs, attackers=["nearest"], losses=(), risks=KEYED, truth="rows"
    )
    assert result.verdict.state == "safe", str(result.verdict)
    for name in KEYED:
        measure = result.risk[name]
        assert np.isnan(measure.value)
        assert "not the values of the person" in str(measure.details)


def test_a_key_of_ones_own_is_counted_alone() -> None:
    ours, theirs = draws_of(survey, 2)
    kept = theirs.assign(work=ours["work"])
    result = tc.assess(
        ours, kept, attackers=["nearest"], losses=(), risks=KEYED, truth="rows"
    )
    assert result.presumed is not None
    assert result.presumed.settings("k_anonymity", {}) == {"keys": ["work"]}
    alone = tc.assess(
        ours[["work"]], kept[["work"]], attackers=["nearest"], losses=(), risks=KEYED,
        truth="rows",
    )  # fmt: skip
    for name in KEYED:
        assert result.risk[name].value == alone.risk[name].value


def test_keys_that_somebody_named_are_counted_as_they_are() -> None:
    ours, theirs = draws_of(survey, 2)
    rows = np.arange(len(ours), dtype=np.int64)
    presumed = Presumed.of(tc.Microdata.of(ours), tc.Microdata.of(theirs), rows)
    assert presumed is not None
    assert presumed.settings("k_anonymity", {"keys": ["sex"]}) == {}
    assert presumed.settings("interval", {}) == {}
    assert presumed.settings("k_anonymity", {}) == {"keys": []}


def test_a_confidential_value_that_goes_with_the_person_is_still_judged() -> None:
    """All keys are another's; who reads the disease still learns of the person's weight."""
    ours, theirs = draws_of(health, 2)
    # a disease that a known column tells
    told = np.where(ours["weight"] > ours["weight"].median(), "high", "low")
    kept = theirs.assign(disease=told)
    ours = ours.assign(disease=told)
    roles = {"confidential": ["disease"]}
    result = tc.assess(
        tc.Microdata.of(ours, **roles), kept, attackers=["nearest"], losses=(),
        risks=["l_diversity", "t_closeness", "k_anonymity"], truth="rows",
    )  # fmt: skip
    assert not np.isnan(result.risk["l_diversity"].value)
    assert np.isnan(result.risk["k_anonymity"].value)
    free = ours.assign(disease=np.random.default_rng(71).choice(["a", "b"], len(ours)))
    other = tc.assess(
        tc.Microdata.of(free, **roles), kept.assign(disease=free["disease"]),
        attackers=["nearest"], losses=(), risks=["l_diversity"], truth="rows",
    )  # fmt: skip
    assert np.isnan(other.risk["l_diversity"].value)


def test_who_links_leaves_out_what_is_anothers() -> None:
    """A column of one's own with some noise is drowned by four of others."""
    rng = np.random.default_rng(3)
    ours, theirs = draws_of(health, 2)
    ours = ours.select_dtypes("number").assign(income=rng.lognormal(9, 1, len(ours)))
    kept = theirs.select_dtypes("number").assign(income=ours["income"] * 1.001)
    result = tc.assess(
        ours, kept, losses=(), risks=(), truth="rows", attackers=["nearest"]
    )
    assert result.attacks[OWN_COLUMNS].columns == ("income",)
    assert result.attacks[OWN_COLUMNS].rate > 0.8
    # where all are one's own, or none, there is nothing to leave out
    for masked in (ours * 1.001, theirs.select_dtypes("number").assign(income=1.0)):
        plain = tc.assess(
            ours, masked, losses=(), risks=(), truth="rows", attackers=["nearest"]
        )
        assert OWN_COLUMNS not in plain.attacks


def test_somebody_who_gives_attackers_gets_no_others() -> None:
    ours, theirs = draws_of(health, 2)
    kept = theirs.assign(weight=ours["weight"] + 0.1)
    mine = {"mine": tc.attack.Nearest(columns=["age"])}
    result = tc.assess(ours, kept, losses=(), risks=(), truth="rows", attackers=mine)
    assert list(result.attacks) == ["mine"]
