"""Nodes to look at: each judged as a release of its levels is, by the plain twin."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit as tc
from protect.lattice import plain as twin
from protect.lattice.test_optimal import (
    CLASS_MODELS,
    KEYS,
    draw_rows,
    draw_trees,
    microdata,
    rules_of,
)
from tacit.base.errors import ParameterError


@pytest.mark.parametrize("name", ["k", "entropy l", "average risk", "strict average"])
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(6, 22),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(["loss", "kl", "discernibility"]),
)
def test_every_node_is_as_the_twin_finds_it(
    name: str, seed: int, n: int, share: float, what: str
) -> None:
    wishes, checks, wholes = CLASS_MODELS[name]
    rows = draw_rows(seed, n)
    file = twin.Plain(rows, KEYS, draw_trees(seed))
    limit = int(share * n + 1e-9)
    made = tc.protect.Generalisation(
        **wishes,
        hierarchies=rules_of(file.trees),
        suppression_limit=share,
        utility=what,
    )
    try:
        shown = made.explored(microdata(rows, {}), most=10_000)
    except ParameterError as error:
        assert "no generalisation can keep" in str(error)
        return
    assert len(shown.nodes) == shown.size == len(list(file.nodes()))
    assert shown.proven
    kept = []
    for node in shown.nodes:
        levels = tuple(node.levels[key] for key in KEYS)
        found = twin.settled(file, levels, checks, wholes, limit)
        assert node.kept == (found is not None)
        assert bool(node.reason) == (not node.kept)
        if found is not None:
            loss = twin.loss_of(file, levels, *found, what, wishes["k"])
            assert node.loss == pytest.approx(loss, abs=1e-9)
            kept.append(node.loss)
    if kept:
        assert shown.best is not None
        assert shown.best.loss == pytest.approx(min(kept), abs=1e-9)
    else:
        assert shown.best is None


def test_a_failure_says_how_many_classes_and_records() -> None:
    data = tc.Microdata.of(
        {"icd": ["J45", "J45", "J46", "K20"], "x": [1, 1, 1, 1]},
        quasi=["icd"],
        code=["icd"],
    )
    made = tc.protect.Generalisation(k=2, hierarchies={"icd": {"prefix": [1]}})
    shown = made.explored(data)
    by_level = {node.levels["icd"]: node for node in shown.nodes}
    assert [by_level[level].kept for level in (0, 1, 2)] == [False, False, True]
    (failure,) = by_level[0].failures
    assert (failure.classes, failure.people) == (2, 2)
    (failure,) = by_level[1].failures
    assert (failure.classes, failure.people) == (1, 1)
    assert "2 of 4 records would have to be suppressed, and 0 may" in by_level[0].reason
    assert by_level[0].share == 0.5
    assert shown.best == by_level[2]
    assert shown.heights == {"icd": 2}


def test_a_large_lattice_is_shown_in_part() -> None:
    table = tc.datasets.make_adult(500, seed=3)
    names = [name for name in table.column_names if name != "age"]
    data = tc.Microdata.of(
        table, quasi=table.column_names, continuous=["age"], nominal=names
    )
    made = tc.protect.Generalisation(
        k=5, hierarchies=tc.datasets.adult_hierarchies(), suppression_limit=0.05
    )
    shown = made.explored(data, most=60)
    assert len(shown.nodes) == 60
    assert shown.size == 12_960
    assert shown.best in shown.nodes
    heights = prod(height + 1 for height in shown.heights.values())
    assert heights == shown.size
    # both ends are there, and nodes that will not do beside those that do
    sums = [sum(node.levels.values()) for node in shown.nodes]
    assert min(sums) == 0
    assert max(sums) == sum(shown.heights.values())
    assert {node.kept for node in shown.nodes} == {True, False}
    losses = [node.loss for node in shown.nodes]
    assert losses == sorted(losses)
