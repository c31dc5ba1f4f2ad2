"""The next step names a parameter, a key or a column; it is the cheapest that may mend the risk."""

from __future__ import annotations

import pytest

from tacit.assess.contents import Contents
from tacit.assess.next_step import Adviser, most_telling
from tacit.assess.verdict import NEXT, Row, Verdict, row_of
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan, Step

MICRO = Plan((Step("microaggregation", {"k": 3}),))


def said(rows: list[Row], **known: object) -> str:
    """The next step by these rows."""
    adviser = Adviser(records=1000, attacks=("nearest", "groups"), **known)
    return Verdict(tuple(rows), adviser=adviser).next_step


def attack(value: float, name: str = "nearest") -> Row:
    return row_of(name, value, 0.05, "attacker: x", (value, value))


@pytest.mark.parametrize(("rate", "k"), [(0.2, 12), (0.1, 6), (0.06, 4)])
def test_k_grows_as_much_as_the_risk_is_above_its_limit(rate: float, k: int) -> None:
    """The risk of groups is one in k: four times too high asks for four times the k."""
    assert said([attack(rate)], plan=MICRO) == f"Try k = {k} in Microaggregation."


def test_a_borderline_risk_is_judged_by_its_upper_end() -> None:
    row = row_of("nearest", 0.04, 0.05, "", (0.03, 0.1))
    assert said([row], plan=MICRO) == "Try k = 6 in Microaggregation."


def test_of_several_steps_each_is_named() -> None:
    plan = Plan((Step("noise", {"percent": 10}), Step("rounding", {"base": 5})))
    assert said([attack(0.1)], plan=plan) == "Try percent = 20 in step 1 (Noise)."


def test_a_key_is_recoded_where_the_same_step_is_hopeless() -> None:
    """By hand: without `water` the rows form 2 combinations, without `town` 3 or more."""
    data = Microdata.of(
        {
            "sex": ["f", "m", "f", "m", "f", "m"],
            "water": ["a", "b", "c", "d", "e", "a"],
            "town": ["x", "y", "x", "y", "x", "z"],
        },
        quasi=["sex", "water", "town"],
    )
    assert most_telling(data) == "water"
    text = said([attack(0.9)], plan=MICRO, masked=data)
    assert text.startswith("Recode 'water' into wider classes")


def test_a_key_of_two_values_cannot_be_recoded() -> None:
    data = Microdata.of({"sex": ["f", "m", "f"], "x": [1.5, 2.5, 9.25]}, quasi=["sex"])
    assert most_telling(data) == ""


def test_what_names_people_is_dropped_first() -> None:
    named = Contents(identifiers={"name": "as in the original"})
    rows = [attack(0.2), Row("identifiers_released", 1.0, 0.0, "fails", "")]
    text = said(rows, plan=MICRO, contents=named)
    assert text == "Drop column 'name': it names people."


def test_the_number_of_households_is_dropped_where_it_alone_finds_people() -> None:
    rows = [attack(0.4, "groups"), attack(0.01)]
    text = said(rows, plan=MICRO, numbers=["hid"])
    assert text.startswith("Drop column 'hid'")
    both = said([attack(0.2, "groups"), attack(0.2)], plan=MICRO, numbers=["hid"])
    assert both.startswith("Try k = 12")


def test_exact_values_that_a_household_shares_are_rounded() -> None:
    """Without a number of the household its income is one: it is named, and no key."""
    homes = [i // 3 for i in range(90)]
    data = Microdata.of(
        {
            "age": [20 + i % 4 for i in range(90)],
            "pay": [7001 + 13 * h for h in homes],
        },
        quasi=["age"],
        confidential=["pay"],
    )
    rows = [attack(0.4, "groups"), attack(0.01)]
    text = said(rows, plan=MICRO, original=data, masked=data)
    assert text.startswith("Round or group column 'pay'")


def test_what_is_safe_or_unknown_keeps_its_general_sentence() -> None:
    assert said([attack(0.0)], plan=MICRO) == NEXT["safe"]
    missing = Row("nearest", float("nan"), 0.05, "not computed", "it failed")
    assert said([missing], plan=MICRO) == NEXT["not assessed"]
