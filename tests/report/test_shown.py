"""What a reader of a report is shown, and what a stranger is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tacit as tc
from tacit.assess.assessment import Assessment, Failure
from tacit.assess.verdict import thresholds_of_measures
from tacit.attack.linkage import Linkage
from tacit.base.facts import facts_of
from tacit.base.measure import Measure
from tacit.report import (
    codebook,
    external,
    internal,
    measured,
    parts,
    record_parts,
    render,
)
from tacit.report.words import NONE, one_in
from tacit.risk import registry as risks


def link(success: list[float]) -> Linkage:
    rows = np.arange(len(success))
    zero = np.zeros(len(success))
    return Linkage(
        attacker="nearest",
        knows="secrets of the method",
        columns=("a",),
        match=rows,
        score=zero,
        margin=zero,
        success=np.array(success),
        ties=zero + 1,
        truth=rows,
        masked_records=len(success),
        seconds=0.0,
    )


def assessed(**attacks: object) -> Assessment:
    n = 200
    data = tc.Microdata.of(
        {"a": np.arange(n) ** 2 / 7.0}, quasi=["a"], continuous=["a"]
    )
    risk = {"interval": Measure("interval", 0.5, (0, 1), "none", "more")}
    plan = tc.Plan.of(tc.protect.Noise(percent=23.4567, random_state=918273))
    return Assessment(data, data, attacks, risk, {}, plan)


@pytest.fixture
def weak_and_strong() -> Assessment:
    weak, strong = [0.0] * 200, [1.0] * 100 + [0.0] * 100
    return assessed(nearest=link(weak), assignment=link(strong))


def test_the_headline_is_of_the_strongest_intruder(weak_and_strong) -> None:
    shown = parts.verdict(weak_and_strong)
    assert shown.state == "bad"
    assert "assignment) finds 50.0" in shown.sentence
    assert "above the 5" in shown.sentence
    assert "within" not in shown.sentence
    # by another limit it is another verdict
    assert parts.verdict(weak_and_strong, bound=0.9).state == "good"


def test_what_is_not_known_is_not_green() -> None:
    failed = assessed(nearest=Failure("nearest", "ran out of memory"))
    shown = parts.verdict(failed)
    assert shown.state == "warn"
    assert "No attack could be run" in shown.sentence
    rows = parts.attack_rows(failed)
    assert [(row["rate"], row["knows"]) for row in rows] == [
        (NONE, "Did not run: ran out of memory")
    ]
    crossing = assessed(nearest=link([1.0] * 6 + [0.0] * 194))
    assert crossing.verdict.state == "borderline"
    assert parts.verdict(crossing).state == "warn"


def test_a_measure_that_did_not_run_has_no_number() -> None:
    measures = {
        "suda": Failure("suda", "too many keys"),
        "interval": Measure.absent("interval", "no numbers"),
    }
    rows = measured.measure_rows(measures)
    assert [row["value"] for row in rows] == [NONE, NONE]
    assert "Not computed: no numbers" in [row["reading"] for row in rows]


def test_the_internal_report_says_what_did_not_run_and_no_seed() -> None:
    result = assessed(
        nearest=link([0.0] * 200), assignment=Failure("assignment", "broken")
    )
    page = internal.content(result, manifest={"order": {"shuffled": False}})
    (missing,) = [row for row in page.checks if row["standing"] == "not computed"]
    assert (missing["title"], missing["why"]) == ("Optimal assignment", "broken")
    assert "The rows keep the order of the original file." in page.remarks
    assert "percent = 23.4567" in page.steps[0]["parameters"]
    assert "918273" not in str(page)
    shuffled = internal.content(result, manifest={"order": {"shuffled": True}})
    assert "The rows keep the order of the original file." not in shuffled.remarks


def test_the_external_report_helps_nobody(weak_and_strong) -> None:
    page = external.content(weak_and_strong)
    assert page.steps == [{"title": "Noise"}]
    # who tried is said; what they know, and what is judged in words of the intruder, is not
    tried = ["Tried were: Nearest record, Optimal assignment."]
    assert [row["knows"] for row in page.attacks] == tried
    checks = {row["name"]: row["why"] for row in page.checks}
    assert checks["assignment"] == ""
    told = str(page)
    for secret in ("918273", "23.4567", "secrets of the method", "--until"):
        assert secret not in told, secret
    raw = replace(
        weak_and_strong,
        contents=tc.assess(
            weak_and_strong.original,
            weak_and_strong.masked,
            attackers=["nearest"],
            risks=[],
            losses=[],
            truth="rows",
        ).contents,
    )
    assert raw.contents is not None
    names = {row["name"]: row["why"] for row in external.content(raw).checks}
    assert names["raw_columns"] == ""


def test_strangers_are_not_told_which_intruder_is_the_strongest() -> None:
    """Nor how many share the first place: another parameter would change both."""
    strong, less, weak = (link([1.0] * n + [0.0] * (200 - n)) for n in (120, 110, 50))
    ways = [(strong, less), (less, strong), (strong, weak), (strong, strong)]
    pages = [
        external.content(assessed(nearest=one, assignment=two)) for one, two in ways
    ]
    shown = [render.page(page) for page in pages]
    assert shown == [shown[0]] * 4
    told = [external.published(assessed(nearest=a, assignment=b)) for a, b in ways]
    assert told == [told[0]] * 4
    assert str(told[0]).count("over 50") == 3, "sentence, check and intruder"
    assert "(" not in told[0]["verdict"]["sentence"]
    # the owner is told
    mine = internal.content(assessed(nearest=less, assignment=strong))
    assert "optimal assignment" in mine.verdict.sentence
    assert mine.checks[0]["title"] == "Attacks, the strongest of 2: optimal assignment"


def test_strangers_see_one_band_where_not_all_records_were_released() -> None:
    """Rates over originals and over released records lie in other bands."""
    half = replace(link([1.0] * 60 + [0.0] * 140), truth=np.r_[:100, [-1] * 100])
    page = external.content(assessed(nearest=half))
    assert (half.rate, half.released_rate) == (0.3, 0.6)
    bands = [page.figures[0]["value"], page.checks[0]["value"], page.attacks[0]["rate"]]
    assert bands == ["over 50\u00a0%"] * 3
    assert bands[0] in page.verdict.sentence
    assert "20 to 50" not in str(page)


def test_strangers_see_one_band_whichever_attack_fails() -> None:
    """The attack that finds most may keep its own limit while another does not."""
    most, some = link([1.0] * 120 + [0.0] * 80), link([1.0] * 60 + [0.0] * 140)
    result = assessed(nearest=most, assignment=some)
    page = external.content(replace(result, thresholds={"nearest": 0.9}))
    first = page.checks[0]
    assert (first["name"], first["standing"]) == ("assignment", "fails")
    assert first["value"] == "over 50\u00a0%"


def test_strangers_are_not_told_of_an_attack_that_strong_protection_invites() -> None:
    result = assessed(nearest=link([0.0] * 200), own_columns=link([1.0] * 200))
    assert "wn columns" in str(internal.content(result))
    strong = render.page(external.content(result))
    assert "wn columns" not in strong
    # nor how many there were
    assert strong == render.page(external.content(assessed(nearest=link([1.0] * 200))))


def test_strangers_see_the_guess_that_finds_most_whoever_is_the_strongest() -> None:
    strong, weak = [1.0] * 120 + [0.0] * 80, [0.0] * 200
    few = replace(link(weak), masked_records=50)
    result = assessed(nearest=link(strong), assignment=few)
    page = external.content(result)
    assert page.attacks[0]["chance"] == page.figures[1]["value"] == "2.0\u00a0%"
    assert "guessing finds 2.0" in page.verdict.sentence
    assert "guessing finds 0.50" in internal.content(result).verdict.sentence


def test_each_check_says_whose_view_it_is() -> None:
    """'One household in twenty, within' stood under 'the strongest intruder finds over 50 %'."""
    strong = assessed(nearest=link([1.0] * 120 + [0.0] * 80))
    homes = Measure("household_keys", 0.01, (0, 1), "none", "more")
    result = replace(strong, risk={"household_keys": homes})
    for page in (internal.content(result), external.content(result)):
        attacks, keys = page.checks
        assert attacks["view"] == "the strongest intruder"
        assert (keys["name"], keys["standing"]) == ("household_keys", "passes")
        told = (
            "For an intruder who knows the keys of a whole household and nothing else: "
            "at most one household in twenty"
        )
        assert told in render.page(page)
    shown = external.published(result)["checks"]
    assert [row["view"] for row in shown] == [attacks["view"], keys["view"]]


def test_every_measure_with_a_threshold_says_whose_view_it_is() -> None:
    limits = thresholds_of_measures()
    assert [name for name in limits if not facts_of(risks[name]).view] == []


def test_strangers_are_told_that_attacks_failed_and_not_why() -> None:
    result = assessed(
        nearest=link([0.0] * 200), assignment=Failure("assignment", "cell 4711 is odd")
    )
    page = external.content(result)
    assert [remark[:16] for remark in page.remarks] == [
        "1 of the attacks",
        "More attacks and",
    ]
    assert "4711" not in str(page)


def test_the_worst_records_come_first() -> None:
    data = tc.Microdata.of({"a": [1.5, 2.5, 3.5]}, quasi=["a"])
    _, rows = record_parts._worst(data, link([0.25, 1.0, 0.5]))
    assert [row[0]["text"] for row in rows] == ["2", "3", "1"]


def test_one_in_n_is_the_nearest() -> None:
    assert one_in(1 / 3) == "one in 3"
    assert one_in(0.24) == "one in 4"


def test_a_codebook_lists_no_free_text() -> None:
    data = tc.Microdata.of(
        {"note": ["Ann Smith is ill", "Bob is well"], "t": ["u", "v"]},
        text=["note"],
        nominal=["t"],
    )
    book = codebook.codebook(data)
    assert "Smith" not in str(book)
    assert "'u'" in str(book)


def test_a_correlation_that_is_gone_is_not_a_change_of_zero() -> None:
    values = np.arange(20.0) ** 1.5
    data = tc.Microdata.of({"a": values, "b": values[::-1] ** 2})
    blank = np.where(np.arange(20) < 18, np.nan, values)
    gone = tc.Microdata.of({"a": blank, "b": values[::-1] ** 2})
    part = record_parts.correlations(data, gone)
    assert part is not None
    assert "One pair has no correlation in the masked file" in part["lead"]
    assert "largest change" not in part["lead"]
    assert (
        "largest change of any pair is 0.00"
        in record_parts.correlations(data, data)["lead"]
    )
