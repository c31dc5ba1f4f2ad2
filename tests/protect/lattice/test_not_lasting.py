"""Models that a node above may break although one below keeps them: nothing may be closed by them.

At level 0 two classes break the model and are blanked; at level 1 each is merged with one that
kept it, and spoils it. A search that takes the model for one that lasts would close level 0.
"""

from __future__ import annotations

from typing import Any

import pytest

import tacit as tc

# p and s are mixed, q and r are not; p with q and s with r are one class at level 1
ILL = {"p": "aabb", "q": "aaaaaa", "r": "bbbbbb", "s": "aabb"}
RULE = {"town": {"groups": [{"pq": ["p", "q"], "rs": ["r", "s"]}]}}
MODELS: dict[str, dict[str, Any]] = {
    "entropy": {"l_diversity": {"entropy": 1.9}},
    "recursive": {"l_diversity": {"recursive": [1.5, 2]}},
    "equal": {"t_closeness": {"t": 0.1, "distance": "equal"}},
    "ordered": {"t_closeness": {"t": 0.1, "distance": "ordered"}},
}


def towns(ill: dict[str, str]) -> tc.Microdata:
    rows = [(town, value) for town, values in ill.items() for value in values]
    return tc.Microdata.of(
        {"town": [town for town, _ in rows], "ill": [value for _, value in rows]},
        quasi=["town"],
        confidential=["ill"],
        nominal=["town", "ill"],
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_suppression_makes_uneven(name: str) -> None:
    made = tc.protect.Generalisation(
        k=1, hierarchies=RULE, suppression_limit=0.6, **MODELS[name]
    ).fit(towns(ILL))
    assert made.levels_ == {"town": 0}
    assert made.suppressed_ == 12
    # without suppression only one class of everybody is left
    alone = tc.protect.Generalisation(k=1, hierarchies=RULE, **MODELS[name])
    assert alone.fit(towns(ILL)).levels_ == {"town": 2}


def test_presence() -> None:
    rule = {
        "town": {"groups": [{"pq": ["p", "q"], "rs": ["r", "s"], "elsewhere": ["x"]}]}
    }
    population = towns(
        {"p": "a" * 8, "q": "a" * 6, "r": "a" * 6, "s": "a" * 8, "x": "a" * 10}
    )
    made = tc.protect.Generalisation(
        k=1,
        hierarchies=rule,
        suppression_limit=0.6,
        delta_presence=[0, 0.5],
        population=population,
    ).fit(towns(ILL))
    assert made.levels_ == {"town": 0}
    assert made.suppressed_ == 12


def test_average_risk() -> None:
    """Four who are alone are blanked together; at level 1 they are two small classes."""
    file = towns({"p": "a" * 12, "q": "a", "r": "a", "s": "a", "t": "a"})
    rule = {"town": {"groups": [{"P": ["p"], "qr": ["q", "r"], "st": ["s", "t"]}]}}
    made = tc.protect.Generalisation(
        k=2, hierarchies=rule, suppression_limit=0.25, average_risk=0.15
    ).fit(file)
    assert made.levels_ == {"town": 0}
    assert made.suppressed_ == 4


def test_people_with_several_rows_make_entropy_uneven() -> None:
    """In the union a person counts once, and what was even in both parts is no longer even."""
    rows = [("u", "p", "a"), ("v", "p", "b"), ("u", "q", "a"), ("w", "q", "b")]
    rows += [("x", "q", "b"), ("u", "q", "a"), ("y", "q", "a")]
    table = {
        "who": [row[0] for row in rows],
        "town": [row[1] for row in rows],
        "ill": [row[2] for row in rows],
    }
    data = tc.Microdata.of(
        table,
        person="who",
        quasi=["town"],
        confidential=["ill"],
        nominal=["town", "ill"],
    )
    made = tc.protect.Generalisation(
        k=1, hierarchies={"town": {"groups": []}}, l_diversity={"entropy": 1.99}
    ).fit(data)
    # at level 0 both classes are even; together two have a and three have b
    assert made.levels_ == {"town": 0}
