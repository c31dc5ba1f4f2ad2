"""The form of a hierarchy: what is typed becomes a rule, and a rule is shown as it is typed."""

from __future__ import annotations

import pytest

from tacit.app import class_step, rules
from tacit.app.pages.classes import _rows
from tacit.base.errors import TacitError
from tacit.data.hierarchies.known_rules import as_entry, rule_of

ENTRIES = [
    {"prefix": [3, 1]},
    {"mask": [2, 4], "other": "elsewhere"},
    {"ladder": [5, 10, 20], "below": 15, "above": 90, "start": 2.5},
    {"cuts": [[18, 40.25, 65], [65]]},
    {"dates": ["month", "quarter", "year"]},
    {"automatic": "optimal", "levels": 4},
    {"groups": [{"south": ["Ulm", "Aa;len"], "north": ["Kiel"]}, {"DE": ["south"]}]},
    {"table": [["Ulm", "south", "*"], ["Kiel; new", "north", "*"]], "other": "x"},
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: next(iter(one)))
def test_what_is_shown_is_read_again(entry: dict) -> None:
    """Opening a rule and keeping it changes nothing."""
    if "groups" in entry:
        entry["groups"][1] = {"DE": ["south", "north"]}
    plain = as_entry(entry)
    shown = rules.shown(plain, _rows(plain))
    form = {
        name: value if isinstance(value, list) else [str(value)]
        for name, value in shown.items()
    }
    again = rules.read(form)
    assert rule_of(again) == rule_of(plain)
    assert rules.in_short(again)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"sort": ["prefix"], "numbers": ["three"]}, "'three' is not a number"),
        ({"sort": ["prefix"], "numbers": ["1.5"]}, "whole numbers"),
        ({"sort": ["cuts"], "cuts": [" ; "]}, "at least one cut point"),
        ({"sort": ["cuts"], "cuts": ["18, 5"]}, "rising order"),
        ({"sort": ["cuts"], "cuts": ["18; 20"]}, "two parents"),
        ({"sort": ["ladder"], "numbers": ["5, 7"]}, "multiple"),
        ({"sort": ["dates"]}, "short to long"),
        ({"sort": ["table"], "rows": [""]}, "empty"),
        ({"sort": ["table"], "rows": ["a;x\na;y"]}, "twice"),
        ({"sort": ["groups"], "rows": ["a;x\na;y"]}, "two classes"),
        ({"sort": ["nonsense"]}, "no hierarchy of the sort"),
    ],
)
def test_a_mistake_is_one_sentence(form: dict, sentence: str) -> None:
    with pytest.raises(TacitError, match=sentence):
        rules.read(form)


def test_the_step_holds_the_rules_and_nothing_else_changes() -> None:
    noise = {"method": "noise", "parameters": {"percent": 5}, "seed": 3}
    one = class_step.with_rule([noise], "age", {"cuts": [[18]]}, 1)
    assert [step["method"] for step in one] == ["generalisation", "noise"]
    assert one[0]["parameters"] == {
        "hierarchies": {"age": {"cuts": [[18]]}},
        "levels": {"age": 1},
        "columns": ["age"],
    }
    two = class_step.with_rule(one, "town", {"prefix": [1]}, None)
    assert two[0]["parameters"]["columns"] == ["age", "town"]
    assert class_step.levels_of(two) == {"age": 1}
    searched = class_step.with_rule(two, "age", {"cuts": [[20]]}, None)
    assert "levels" not in searched[0]["parameters"]
    chosen = class_step.with_levels(searched, {"age": 1, "town": 0})
    assert class_step.levels_of(chosen) == {"age": 1, "town": 0}
    left = class_step.without_rule(chosen, "age")
    assert class_step.rules_of(left) == {"town": {"prefix": [1]}}
    assert class_step.levels_of(left) == {"town": 0}
    assert class_step.without_rule(left, "town") == (noise,)
    # the plans that were there stay as they were: undo goes back to them
    assert one[0]["parameters"]["columns"] == ["age"]


def test_a_step_for_every_key_stays_one() -> None:
    every = {"method": "generalisation", "parameters": {"k": 3}, "seed": None}
    (step,) = class_step.with_rule([every], "age", {"cuts": [[18]]}, None)
    assert step["parameters"] == {"k": 3, "hierarchies": {"age": {"cuts": [[18]]}}}
