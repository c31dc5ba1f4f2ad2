"""Classes merged and taken apart by hand: always a tree, and nothing else moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.listed_groups import Groups
from tacit.data.hierarchies.merging import merged, split
from tacit.data.hierarchies.prefix import Prefix
from tacit.data.hierarchies.tree import Tree, tree_of

CODES = ["J45", "J46", "K20", "K21", "M10"]


def rows(tree: Tree, groups: Groups) -> dict[str, tuple[str, ...]]:
    """Each value with its classes, by the new lists."""
    return {value: groups.classes_above(value) for value in tree.labels[0]}


def test_values_are_merged_and_the_levels_above_stay() -> None:
    tree = tree_of(Prefix(keep=(2, 1)), CODES)
    new = rows(tree, merged(tree, 1, ["K20", "K21", "J45"], "some"))
    # the first of them in the file's order says where the new class lies
    assert new["K20"] == new["J45"] == ("some", "J*", "*")
    assert new["J46"] == ("J4*", "J*", "*")
    assert new["M10"] == ("M1*", "M*", "*")


def test_a_level_is_added_below_the_class_of_all_values() -> None:
    tree = tree_of(Prefix(keep=(1,)), CODES)
    new = rows(tree, merged(tree, 2, ["J*", "K*"], "common"))
    assert new["J45"] == ("J*", "common", "*")
    assert new["M10"] == ("M*", "M*", "*")


def test_taken_apart_again() -> None:
    tree = tree_of(Prefix(keep=(1,)), CODES)
    new = rows(tree, split(tree, 1, ["J45", "J46"]))
    assert new["J45"] == ("J45", "*")
    assert new["K20"] == ("K*", "*")


def test_what_cannot_be_merged_is_one_sentence() -> None:
    tree = tree_of(Prefix(keep=(1,)), CODES)
    with pytest.raises(ParameterError, match="choose the classes to merge"):
        merged(tree, 1, [], "x")
    with pytest.raises(ParameterError, match="choose the classes to merge"):
        merged(tree, 1, ["no such value"], "x")
    with pytest.raises(ParameterError, match="choose the classes to take apart"):
        split(tree, 1, [])
    with pytest.raises(ParameterError, match="classes of level 3 cannot be changed"):
        merged(tree, 3, ["*"], "x")


@given(
    st.lists(st.sampled_from("abcdef"), min_size=2, max_size=6, unique=True),
    st.lists(
        st.tuples(
            st.integers(1, 2), st.sets(st.integers(0, 5), min_size=1), st.booleans()
        ),
        max_size=5,
    ),
)
def test_any_sequence_leaves_a_tree_that_covers_every_value(
    letters: list[str], changes: list[tuple[int, set[int], bool]]
) -> None:
    values = [f"{letter}{i}" for letter in letters for i in range(2)]
    tree = tree_of(Prefix(keep=(1,)), values)
    for number, (level, places, apart) in enumerate(changes):
        below = tree.labels[level - 1]
        picked = [below[place % len(below)] for place in places]
        if apart:
            rule = split(tree, level, picked)
            become = set(picked)
        else:
            rule = merged(tree, level, picked, f"new {number}")
            become = {f"new {number}"}
        # it raises where a class has two parents or a value none
        tree = tree_of(rule, values)
        ups = dict(zip(tree.labels[level - 1], tree.up[level - 1], strict=True))
        assert {tree.labels[level][ups[one]] for one in picked} == become
