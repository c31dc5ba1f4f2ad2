"""Every row of a verdict by itself: limits, intervals, what is missing, what is in the release."""

import numpy as np
import pytest

import tacit as tc
from tacit.assess.aligning import rows_by_key
from tacit.assess.assessment import Assessment, Failure
from tacit.assess.contents import Contents, look
from tacit.assess.exposure import exposed
from tacit.assess.release_rows import alignment_row, release_rows
from tacit.assess.verdict import row_of, verdict
from tacit.attack.alignment import Alignment
from tacit.attack.linkage import Linkage
from tacit.base.errors import InputError
from tacit.base.measure import Measure
from tacit.plan.plan import Plan

NAN = float("nan")


def link(success, truth=None, name="nearest"):
    """A linkage whose links succeed with these probabilities."""
    success = np.asarray(success, dtype=np.float64)
    rows = np.arange(len(success))
    zero = np.zeros(len(success))
    return Linkage(
        attacker=name,
        knows="the columns",
        columns=("a",),
        match=rows,
        score=zero,
        margin=zero,
        success=success,
        ties=np.ones(len(success)),
        truth=rows if truth is None else np.asarray(truth),
        masked_records=len(success),
        seconds=0.0,
    )


def assessed(attacks, risk=None, **parts):
    data = tc.Microdata.of({"a": [1.0, 2.5, 4.0], "b": [2.5, 1.5, 9.0]})
    return Assessment(data, data, attacks, risk or {}, {}, **parts)


class Rated:
    knows = "everything"

    def __init__(self, rate, interval=None):
        self.rate, self.interval = rate, interval


def state(rate, interval=None, limit=None):
    limits = None if limit is None else {"attack": limit}
    return verdict({"nearest": Rated(rate, interval)}, {}, limits).state


def test_a_rate_without_a_value_never_passes():
    """NaN is larger than nothing, so a comparison alone would let it through."""
    assert row_of("nearest", NAN, 0.05, "").standing == "not computed"
    assert state(NAN) == "not assessed"
    assert state(NAN, (NAN, NAN)) == "not assessed"


def test_limits_hold_at_the_limit_and_count_the_upper_end():
    assert state(0.05) == "safe"
    assert state(0.0501) == "not safe"
    assert state(0.02, (0.01, 0.04)) == "safe"
    assert state(0.02, (0.01, 0.06)) == "borderline"
    crossing = verdict({"nearest": Rated(0.02, (0.01, 0.06))}, {})
    assert crossing.safe is None
    assert "up to 0.06 > 0.05" in crossing.reason


def test_who_was_not_released_does_not_dilute_the_rate():
    """Four raw records of a hundred are found, all four: that is 4 of 4."""
    success = np.zeros(100)
    success[:4] = 1
    truth = np.full(100, -1)
    truth[:4] = np.arange(4)
    got = verdict({"nearest": link(success, truth)}, {})
    assert got.rows[0].value == 1
    assert got.state == "not safe"


def test_fail_above_is_not_assessed_when_a_measure_did_not_run():
    attacks = {"nearest": link(np.zeros(400))}
    assert assessed(attacks).attacked_verdict(0.05).state == "safe"
    broken = {"worst_off": Failure("worst_off", "ran out of memory")}
    other = {"suda": Failure("suda", "ran out of memory")}
    for risk in (broken, other):
        assert assessed(attacks, risk).attacked_verdict(0.05).state == "not assessed"


def test_fail_above_looks_at_who_is_worst_off():
    attacks = {"nearest": link(np.zeros(400))}
    few = Measure("worst_off", 0.02, (0, 1), "", "")
    got = assessed(attacks, {"worst_off": few})
    # 0.005 of the records at 5 %, in proportion at other rates
    assert got.attacked_verdict(0.05).state == "not safe"
    assert got.attacked_verdict(0.3).state == "safe"


def test_the_json_of_an_assessment_holds_no_seeds():
    plan = Plan.of(tc.protect.Noise(percent=5)).seeded()
    seed = plan.steps[0].seed
    written = assessed({"nearest": link([0.0, 0.0, 1.0])}, plan=plan).to_dict()
    assert "seed" not in written["plan"]["steps"][0]
    assert str(seed) not in str(written)
    assert str(plan.key) not in str(written)


def test_the_strongest_attack_is_the_one_that_finds_most():
    attacks = {"weak": link([0.0, 0.0, 1.0]), "strong": link([1.0, 0.0, 1.0])}
    got = assessed(attacks)
    assert got.strongest[0] == "strong"
    assert exposed(got, 0.5).tolist() == [0, 2]


def test_the_most_exposed_records_come_first():
    got = assessed({"nearest": link([0.3, 0.9, 0.5])})
    assert exposed(got, 0.2).tolist() == [1, 2, 0]


def test_a_key_names_whose_record_it_is_and_who_is_not_there():
    original = tc.Microdata.of({"id": [7, 3, 5, 9]})
    masked = tc.Microdata.of({"id": [3, 9, 7]})
    assert rows_by_key(original, masked, "id").tolist() == [2, 0, -1, 1]
    twice = tc.Microdata.of({"id": [3, 3, 7]})
    with pytest.raises(InputError, match="not different in every record"):
        rows_by_key(original, twice, "id")


def standings(contents, **limits):
    return {row.name: row.standing for row in release_rows(contents, limits)}


def test_rows_of_the_release_itself():
    clean = standings(Contents())
    assert set(clean.values()) == {"passes"}
    named = standings(Contents(identifiers={"ssn": "released as it is"}))
    assert named["identifiers_released"] == "fails"
    assert standings(Contents(singled_out=0.06))["raw_columns"] == "fails"
    assert standings(Contents(singled_out=0.05))["raw_columns"] == "passes"
    assert standings(Contents(raw_records=0.011))["raw_records"] == "fails"
    assert standings(Contents(raw_records=0.01))["raw_records"] == "passes"


def test_rows_that_do_not_belong_together_are_not_assessed():
    apart = Alignment(0.0)
    assert not apart.aligned
    assert alignment_row(apart, certain=False).standing == "not computed"
    assert alignment_row(apart, certain=True).standing == "no threshold"
    assert alignment_row(None, certain=False) is None


ORIGINAL = {
    "ssn": [101, 102, 103, 104],
    "age": [30, 30, 41, 52],
    "pay": [1.5, 2.5, 3.5, 4.5],
}


def test_what_a_release_holds_of_the_original():
    original = tc.Microdata.of(ORIGINAL, identifier="ssn", quasi=["age", "pay"])
    rows = np.arange(4)
    # ages are raw: 30 is shared by two, 41 and 52 single out
    masked = tc.Microdata.of({"age": ORIGINAL["age"], "pay": [9.0, 9.0, 9.0, 9.0]})
    got = look(original, masked, rows)
    assert set(got.raw) == {"age"}
    assert got.singled_out == pytest.approx((1 / 2 + 1 / 2 + 1 + 1) / 4)
    # two of four records are those of one person each
    masked = tc.Microdata.of({"age": [30, 30, 7, 8], "pay": [1.5, 2.5, 9.0, 9.0]})
    assert look(original, masked, rows).raw_records == pytest.approx(2 / 4)


def test_values_that_are_still_there_are_no_pseudonyms():
    original = tc.Microdata.of(ORIGINAL, identifier="ssn", quasi=["age", "pay"])
    shifted = tc.Microdata.of({"ssn": [102, 101, 104, 103]})
    fresh = tc.Microdata.of({"ssn": [901, 902, 903, 904]})
    keyed = frozenset(["ssn"])
    assert "ssn" in look(original, shifted, np.arange(4), keyed).identifiers
    assert look(original, fresh, np.arange(4), keyed).pseudonyms == ["ssn"]


def test_the_limit_of_one_attack_is_its_own():
    """Said of one attack, it neither goes unheard nor is said of the others."""
    many = link([0.0] * 60 + [1.0] * 40)
    attacks = {"nearest": many, "assignment": many}
    strict = verdict(attacks, {}, thresholds={"nearest": 0.01, "assignment": 0.9})
    assert [row.name for row in strict.failing] == ["nearest"]
    assert strict.state == "not safe"
    loose = verdict(attacks, {}, thresholds={"nearest": 0.9, "assignment": 0.9})
    assert not loose.failing
    # what is said of all of them gives way to what is said of one
    both = verdict(attacks, {}, thresholds={"attack": 0.9, "nearest": 0.01})
    assert [row.name for row in both.failing] == ["nearest"]


def test_information_alone_is_no_verdict():
    """Who takes every threshold away has asked nothing; that is not safe."""
    of_attack = verdict({"nearest": link([1.0] * 40)}, {}, thresholds={"attack": None})
    assert [row.standing for row in of_attack.rows] == ["no threshold"]
    assert of_attack.state == "not assessed"
    assert of_attack.safe is None


@pytest.mark.parametrize(
    ("roles", "declared", "guessed"),
    [
        ({}, [], ["sampling_weight"]),
        ({"confidential": ["debts"]}, ["debts"], ["sampling_weight"]),
        (
            {"confidential": ["debts"], "weight": ["sampling_weight"]},
            ["debts", "sampling_weight"],
            [],
        ),
    ],
)
def test_what_was_guessed_is_not_called_declared(roles, declared, guessed):
    rng = np.random.default_rng(1)
    table = {
        "age": rng.integers(20, 60, 80),
        "debts": rng.lognormal(8, 1, 80),
        "sampling_weight": rng.uniform(10, 90, 80),
    }
    file = tc.Microdata.of(table, **roles)
    contents = look(file, file, np.arange(80))
    assert contents.declared == declared
    assert list(contents.inferred) == guessed
    told = {row.name: row.why for row in release_rows(contents, {})}
    assert ("undeclared_columns" in told) == bool(guessed)
    if guessed:
        assert "named like a sampling weight" in told["undeclared_columns"]
        assert "nobody declared" in told["undeclared_columns"]
        assert "sampling_weight" not in told.get("declared_columns", "")
    # who corrects the kind has not said the role
    kept = file.schema["sampling_weight"].changed("ordinal")
    assert bool(kept.role_guess) == bool(guessed)
