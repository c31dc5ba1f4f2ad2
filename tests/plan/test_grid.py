"""Ranges in a plans file."""

import pytest

from tacit.plan.grid import expand, load, plans_of, values_of
from tacit.protect import Noise


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("1..4", [1, 2, 3, 4]),
        ("0.1..0.5..0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ({"from": 3, "to": 9, "step": 3}, [3, 6, 9]),
        ({"values": ["a", "b"]}, ["a", "b"]),
        ("std", None),
        ("a..b", None),
        (5, None),
        (["x", "y"], None),
    ],
)
def test_ranges(entry, expected):
    assert values_of(entry) == expected


@pytest.mark.parametrize(
    "entry", ["5..1", "1..9..0", {"from": 1}, {"values": []}, "1..99999999"]
)
def test_bad_ranges_say_so(entry):
    with pytest.raises(ValueError, match="range"):
        values_of(entry)


def test_ranges_cross_and_steps_stay_in_order():
    entry = {
        "name": "both",
        "steps": [
            {"method": "noise", "percent": {"values": [5, 10]}},
            {"method": "microaggregation", "k": "3..5"},
        ],
    }
    plans = expand(entry)
    assert len(plans) == 6
    assert [step.method for step in plans[0].steps] == ["noise", "microaggregation"]
    assert str(plans[1]) == "both(percent=5, k=4)"


def test_a_file(tmp_path):
    path = tmp_path / "plans.toml"
    path.write_text(
        '[[plans]]\nmethod = "noise"\npercent = "1..3"\n[[plans]]\nmethod = "noise"\npercent = 2\n'
    )
    assert [str(plan) for plan in load(path)] == [
        f"noise(percent={p}.0)" for p in (1, 2, 3)
    ]
    path.write_text("x = 1\n")
    with pytest.raises(ValueError, match="no \\[\\[plans\\]\\] entry"):
        load(path)
    path.write_text('[[plans]]\nmethod = "noise"\nprecent = "1..3"\n')
    with pytest.raises(ValueError, match="precent"):
        load(path)


def test_protectors_and_entries_mix():
    plans = plans_of([Noise(percent=4), {"method": "microaggregation", "k": "3..4"}])
    assert [str(plan) for plan in plans] == [
        "noise(percent=4.0)",
        "microaggregation(k=3)",
        "microaggregation(k=4)",
    ]
