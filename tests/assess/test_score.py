"""The published score and the verdict table."""

import pytest

from tacit.assess.score import score
from tacit.assess.verdict import verdict
from tacit.base.measure import Measure


def m(value, **details):
    return Measure("m", value, (0, 1), "", "", details)


class Link:
    def __init__(self, rate):
        self.rate = rate
        self.knows = "everything"


class Broken:
    reason = "ran out of memory"


def test_score_by_hand():
    got = score({"dld": m(0.4), "pld": m(0.2), "interval": m(0.6)}, {"IL": m(0.12)})
    assert got.dr == pytest.approx(100 * (0.5 * 0.3 + 0.5 * 0.6))
    assert got.value == pytest.approx(0.5 * 12 + 0.5 * 45)
    assert got.complete


def test_a_missing_pld_is_said_and_never_zero():
    got = score(
        {
            "dld": m(0.4),
            "pld": Measure.absent("pld", "no such attacker"),
            "interval": m(0.6),
        },
        {"IL": m(0.1)},
    )
    assert got.pld != got.pld
    assert got.to_dict()["PLD"] is None
    assert got.dr == pytest.approx(50)
    assert not got.complete
    assert any("pld was not computed: no such attacker" in note for note in got.notes)


@pytest.mark.parametrize("gone", ["dld", "interval", "IL"])
def test_without_its_other_parts_there_is_no_score(gone):
    risk = {"dld": m(0.4), "pld": m(0.2), "interval": m(0.6)}
    loss = {"IL": m(0.1)}
    (loss if gone == "IL" else risk)[gone] = Broken()
    got = score(risk, loss)
    assert got.value != got.value
    assert "ran out of memory" in str(got)


def test_verdict_counts_attacks_and_risks():
    got = verdict(
        {"nearest": Link(0.04), "assignment": Link(0.2)}, {"individual": m(0.001)}
    )
    assert got.safe is False
    assert [row.name for row in got.failing] == ["assignment"]
    assert verdict({"nearest": Link(0.04)}, {"individual": m(0.001)}).safe is True


def test_an_attack_that_failed_is_not_a_safe_release():
    got = verdict({"nearest": Link(0.0), "assignment": Broken()}, {})
    assert got.safe is None
    assert got.word == "not assessed"


def test_a_measure_that_does_not_apply_does_not_decide():
    got = verdict(
        {"nearest": Link(0.0)},
        {"household": Measure.absent("household", "no household column")},
    )
    assert got.safe is True
    assert got.rows[1].standing == "not computed"


def test_thresholds_are_settable():
    assert verdict({"nearest": Link(0.2)}, {}, {"attack": 0.3}).safe is True
    assert verdict({"nearest": Link(0.2)}, {}, {"nearest": 0.1}).safe is False
    attacked = {"nearest": Link(0.01)}
    assert verdict(attacked, {"interval": m(0.7)}, {"interval": 0.8}).safe is True
    assert verdict({}, {"interval": m(0.7)}, {"interval": 0.8}).state == "not assessed"
    with pytest.raises(ValueError, match="no risk 'intervall'"):
        verdict({}, {}, {"intervall": 1})
