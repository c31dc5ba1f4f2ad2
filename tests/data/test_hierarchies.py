"""Hierarchies: every sort of rule, what is refused, files, what the data give."""

from __future__ import annotations

from datetime import date, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.base.errors import ColumnError, InputError, ParameterError
from tacit.data import hierarchies as h
from tacit.data.hierarchies.automatic import _least_variance
from tacit.data.hierarchies.tree import coded
from tacit.data.microdata import Microdata

RULES = {
    "prefix": ({"prefix": [3, 1]}, "J45.0", ("J45*", "J*", "*")),
    "a short value": ({"prefix": [3, 1]}, "J", ("J*", "J*", "*")),
    "mask": ({"mask": [2, 4]}, "80331", ("803**", "8****", "*")),
    "ladder": ({"ladder": [5, 20]}, 43, ("[40, 45)", "[40, 60)", "*")),
    "ladder, negative": ({"ladder": [5, 20]}, -1, ("[-5, 0)", "[-20, 0)", "*")),
    "open below": (
        {"ladder": [5, 10], "below": 15},
        3,
        ("under 15", "under 15", "*"),
    ),
    "open above": (
        {"ladder": [5, 10], "above": 90},
        90,
        ("90 and more", "90 and more", "*"),
    ),
    "cut short by the end": (
        {"ladder": [5, 20], "below": 15},
        16,
        ("[15, 20)", "[15, 20)", "*"),
    ),
    "cuts": ({"cuts": [[18, 40], [40]]}, 20, ("[18, 40)", "under 40", "*")),
    "dates": (
        {"dates": ["month", "quarter", "half", "year", "5 years", "decade"]},
        datetime(2024, 7, 3),
        ("2024-07", "2024 Q3", "2024 H2", "2024", "2020 to 2024", "2020 to 2029", "*"),
    ),
    "groups": (
        {"groups": [{"south": ["Ulm"]}, {"land": ["south"]}]},
        "Ulm",
        ("south", "land", "*"),
    ),
    "table": ({"table": [["Ulm", "south"], ["Kiel", "north"]]}, "Kiel", ("north",)),
    "parents": ({"Ulm": "south", "south": "land"}, "Ulm", ("south", "land")),
    "ancestors": ({"Ulm": ["south", "land"]}, "Ulm", ("south", "land")),
    "unseen": ({"groups": [{"a": ["x"]}], "other": "rest"}, "y", ("rest", "*")),
    "no top": ({"prefix": [1], "top": False}, "J45", ("J*",)),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_names_the_classes_above_a_value(name: str) -> None:
    entry, value, classes = RULES[name]
    rule = h.rule_of(entry)
    assert rule.classes_above(value) == classes
    assert rule.height == len(classes)
    # a plan holds it and gives the same rule again
    assert h.rule_of(rule.entry()).classes_above(value) == classes


REFUSED = {
    "two parents in a list": ({"groups": [{"a": ["x"], "b": ["x"]}]}, "two classes"),
    "two parents in a table": (
        {"table": [["x", "a", "p"], ["y", "a", "q"]]},
        "row 2: the class 'a' of level 1 has two parents, 'p' and 'q'",
    ),
    "a value twice": ({"table": [["x", "a"], ["x", "b"]]}, "'x' is in the table twice"),
    "rows of two lengths": ({"table": [["x", "a"], ["y"]]}, "row 2: it has 1 fields"),
    "widths that are no multiples": ({"ladder": [5, 12]}, "multiple"),
    "falling widths": ({"ladder": [10, 5]}, "rising order"),
    "a prefix that grows": ({"prefix": [1, 3]}, "falling"),
    "cuts that cross": ({"cuts": [[10, 20], [15]]}, "two parents"),
    "spans in disorder": ({"dates": ["year", "month"]}, "short to long"),
    "an unknown span": ({"dates": ["week"]}, "no span 'week'"),
    "an unknown word": ({"prefix": [3], "abov": 1}, "has no 'abov'"),
    "no rule at all": (7, "write a rule"),
    "an unknown sort": ({"automatic": "magic"}, "automatic hierarchy is one of"),
    "ends that cross": ({"ladder": [5], "below": 9, "above": 9}, "holds no value"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_rule_is_one_sentence(name: str) -> None:
    entry, words = REFUSED[name]
    with pytest.raises((ParameterError, InputError), match=words) as caught:
        h.rule_of(entry, "town")
    assert "\n" not in str(caught.value)


def test_a_value_that_is_not_covered_is_named_with_its_row() -> None:
    data = Microdata.of({"town": ["Ulm", "Bonn"]}, nominal=["town"])
    rule = h.rule_of({"groups": [{"south": ["Ulm"]}]})
    with pytest.raises(ColumnError, match=r"column 'town', row 2: .*'Bonn'.*other ="):
        coded(rule, data, "town")


def test_numbers_and_dates_are_classed_in_their_own_order() -> None:
    data = Microdata.of(
        {
            "age": [60.0, 9.0, None, 17.0],
            "day": [date(2024, 3, 1), date(1999, 1, 2)] * 2,
        },
        continuous=["age"],
    )
    ages = coded(h.rule_of({"ladder": [20], "above": 60}), data, "age")
    assert ages.tree.labels[1] == ("[0, 20)", "60 and more")
    assert ages.codes.tolist() == [2, 0, -1, 1]
    days = coded(h.rule_of({"dates": ["year"]}), data, "day")
    assert days.tree.labels == (("1999-01-02", "2024-03-01"), ("1999", "2024"), ("*",))
    assert days.codes.tolist() == [1, 0, 1, 0]
    with pytest.raises(ColumnError, match="declare it a date"):
        coded(h.rule_of({"dates": ["year"]}), data, "age")
    with pytest.raises(ColumnError, match="hierarchy of numbers"):
        coded(h.rule_of({"ladder": [5]}), data, "day")


@given(
    values=st.lists(st.integers(-500, 500), min_size=1, max_size=40, unique=True),
    widths=st.sampled_from([(5, 10, 20), (3, 9), (1, 7, 49), (0.5, 2.5)]),
    ends=st.sampled_from([(None, None), (15, 90), (None, 33), (-7, None)]),
)
def test_a_ladder_is_always_a_tree_and_a_class_holds_its_values(
    values: list[int],
    widths: tuple[float, ...],
    ends: tuple[float | None, float | None],
) -> None:
    rule = h.Ladder(widths=widths, below=ends[0], above=ends[1])
    tree = h.tree_of(rule, [float(value) for value in values])
    for level in range(1, len(widths) + 1):
        for value, code in zip(values, tree.classes[level], strict=True):
            label = tree.labels[level][code]
            if label.startswith("under "):
                assert value < float(label.removeprefix("under "))
            elif label.endswith(" and more"):
                assert value >= float(label.removesuffix(" and more"))
            else:
                low, high = label[1:-1].split(", ")
                assert float(low) <= value < float(high)


def test_tables_are_read_and_written_as_arx_does(tmp_path) -> None:
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "town.csv").write_text('Ulm;"south; far";*\nKiel;north;*\n')
    (folder / "hierarchies.toml").write_text("[icd]\nprefix = [3, 1]\n")
    entries = h.read_folder(folder)
    town = h.rule_of(entries["town"])
    assert town.classes_above("Ulm") == ("south; far", "*")
    assert h.rule_of(entries["icd"]) == h.Prefix((3, 1))
    tree = h.tree_of(town, ["Kiel", "Ulm"])
    h.write_table(tree.rows, tmp_path / "again.csv")
    assert h.read_table(tmp_path / "again.csv") == (
        ("Kiel", "north", "*"),
        ("Ulm", "south; far", "*"),
    )
    # the plan holds what the table was, and says so when it is another
    (folder / "town.csv").write_text("Ulm;north;*\n")
    with pytest.raises(InputError, match="not the one that the plan was made with"):
        h.rule_of(entries["town"]).classes_above("Ulm")
    with pytest.raises(InputError, match="no such folder"):
        h.read_folder(tmp_path / "nowhere")


def test_classes_of_equal_frequency_are_about_equal() -> None:
    values = np.random.default_rng(1).lognormal(10, 1, 4000).round(2)
    data = Microdata.of({"income": values})
    rule = h.fitted(h.rule_of({"automatic": "frequency", "levels": 2}), data, "income")
    tree = coded(rule, data, "income")
    sizes = np.bincount(tree.tree.classes[1][tree.codes])
    assert len(sizes) == 4
    assert sizes.min() > 950
    # halves above quarters
    assert [len(labels) for labels in tree.tree.labels[1:]] == [4, 2, 1]


@given(
    values=st.lists(st.integers(0, 30), min_size=2, max_size=9),
    classes=st.integers(2, 4),
)
def test_the_optimal_partition_is_optimal(values: list[int], classes: int) -> None:
    x = np.array(values, dtype=np.float64)
    distinct = np.unique(x)

    def cost(cuts: tuple[float, ...]) -> float:
        place = np.searchsorted(np.array(cuts), x, side="right")
        return sum(float(x[place == p].var() * (place == p).sum()) for p in set(place))

    wanted = min(classes, len(distinct)) - 1
    best = min(cost(cuts) for cuts in combinations(distinct[1:], wanted))
    assert cost(tuple(_least_variance(x, classes))) == pytest.approx(best, abs=1e-9)


def test_values_that_occur_alike_come_together() -> None:
    rng = np.random.default_rng(3)
    town = rng.choice(["Ulm", "Aalen", "Kiel", "Husum"], 2000)
    southern = np.isin(town, ["Ulm", "Aalen"])
    dish = np.where(rng.random(2000) < np.where(southern, 0.9, 0.1), "noodles", "fish")
    data = Microdata.of({"town": town, "dish": dish}, nominal=["town", "dish"])
    rule = h.fitted(h.rule_of({"automatic": "cooccurrence", "levels": 1}), data, "town")
    assert rule.classes_above("Ulm") == ("Aalen, Ulm", "*")
    assert rule.classes_above("Kiel") == ("Husum, Kiel", "*")


def test_ordered_categories_come_in_runs() -> None:
    grades = ["none", "low", "mid", "high"]
    data = Microdata.of({"school": np.repeat(grades, 25)}, ordinal=["school"])
    schema = data.schema
    column = schema["school"]
    ordered = type(column)(column.name, column.kind, column.role, tuple(grades))
    data = data.with_schema(schema.put(ordered))
    rule = h.fitted(h.rule_of({"automatic": "frequency", "levels": 1}), data, "school")
    assert rule.classes_above("low") == ("none to low", "*")
    assert rule.classes_above("high") == ("mid to high", "*")
