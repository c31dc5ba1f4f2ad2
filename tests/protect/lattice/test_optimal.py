"""The search finds the best node of the whole lattice, for every model and utility."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit as tc
from protect.lattice import plain as twin
from tacit.base.errors import TacitError
from tacit.protect import generalisation
from tacit.protect.lattice.utilities import NAMES

UTILITIES = tuple(twin.LOSSES)
CLASS_MODELS: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "k": ({"k": 3}, [twin.at_least(3)], []),
    "distinct l": (
        {"k": 1, "l_diversity": {"distinct": 2}},
        [twin.distinct(2)],
        [],
    ),
    "entropy l": (
        {"k": 2, "l_diversity": {"entropy": 1.8}},
        [twin.at_least(2), twin.entropy(1.8)],
        [],
    ),
    "recursive l": (
        {"k": 1, "l_diversity": {"recursive": [2.0, 2]}},
        [twin.recursive(2.0, 2)],
        [],
    ),
    "equal t": (
        {"k": 2, "t_closeness": {"t": 0.35, "distance": "equal"}},
        [twin.at_least(2), twin.close(0.35, "equal")],
        [],
    ),
    "ordered t": (
        {"k": 1, "t_closeness": {"t": 0.25, "distance": "ordered"}},
        [twin.close(0.25, "ordered")],
        [],
    ),
    "hierarchical t": (
        {"k": 1, "t_closeness": {"t": 0.3, "distance": "hierarchical"}},
        [twin.close(0.3, "hierarchical")],
        [],
    ),
    "average risk": ({"k": 1, "average_risk": 0.4}, [], [twin.average(0.4)]),
    "strict average": (
        {"k": 2, "average_risk": 0.3},
        [twin.at_least(2)],
        [twin.average(0.3)],
    ),
    "sample uniques": ({"k": 1, "sample_uniqueness": 0.2}, [], [twin.uniques(0.2)]),
}
SINGLE_MODELS: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "k-map": ({"k": 1, "k_map": 4}, [twin.k_map(4)], []),
    "k-map by weights": ({"k": 1, "k_map": 9}, [twin.k_map_by_weights(9)], []),
    "presence": (
        {"k": 1, "delta_presence": [0.1, 0.6]},
        [twin.presence(0.1, 0.6)],
        [],
    ),
    "population uniques": (
        {"k": 1, "population_uniqueness": 0.1},
        [],
        [twin.population_uniques(0.1)],
    ),
}
KEYS = ["a", "b", "c"]
VALUES = {"a": list("pqrs"), "b": list(range(6)), "c": ["x", "y"]}
Trees = dict[str, dict[Any, tuple[str, ...]]]


def draw_trees(seed: int, *, gaps: bool = False) -> Trees:
    """A random hierarchy for each key: classes merge level by level, mostly up to '*'."""
    rng = np.random.default_rng([seed, 1])
    trees: Trees = {}
    for key, values in VALUES.items():
        lines: dict[Any, list[str]] = {value: [str(value)] for value in values}
        for level in range(int(rng.integers(0, 3))):
            below = sorted({line[-1] for line in lines.values()})
            merged = {label: f"{key}{level}.{rng.integers(0, 3)}" for label in below}
            for line in lines.values():
                line.append(merged[line[-1]])
        if rng.random() < 0.9 or len(lines[values[0]]) == 1:
            for line in lines.values():
                line.append("*")
        trees[key] = {value: tuple(line) for value, line in lines.items()}
    if gaps:
        # a gap is a value of its own, and '*' holds it
        own = [part if part == "*" else "gap" for part in trees["a"]["p"]]
        trees["a"][None] = tuple(own)
    return trees


def rules_of(trees: Trees) -> dict[str, Any]:
    """The same as tables."""
    return {
        key: {
            "table": [list(line) for value, line in tree.items() if value is not None]
        }
        for key, tree in trees.items()
    }


def draw_rows(
    seed: int, n: int, *, people: int = 0, gaps: bool = False
) -> list[dict[str, Any]]:
    """A small file; people have several rows if asked for."""
    rng = np.random.default_rng(seed)
    skew = rng.dirichlet(np.ones(4))
    rows = []
    for _ in range(n):
        row: dict[str, Any] = {
            "a": str(rng.choice(list("pqrs"), p=skew)),
            "b": int(rng.integers(0, 6)),
            "c": str(rng.choice(["x", "y"], p=[0.8, 0.2])),
            "ill": str(rng.choice(["fa", "fb", "ga"])),
            "aim": str(rng.choice(["yes", "no"])),
            "weight": float(rng.integers(1, 6)),
        }
        if gaps and rng.random() < 0.15:
            row["a"] = None
        if people:
            row["who"] = int(rng.integers(0, people))
            row["home"] = row["who"] // 2
        rows.append(row)
    return rows


def microdata(rows: list[dict[str, Any]], roles: dict[str, Any]) -> tc.Microdata:
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return tc.Microdata.of(
        table,
        quasi=["a", "b", "c"],
        confidential=["ill"],
        nominal=["a", "c", "ill", "aim"],
        ordinal=["b"],
        **roles,
    )


def best_of_all(
    file: twin.Plain,
    checks: list[Any],
    wholes: list[Any],
    limit: int,
    what: str,
    k: int,
) -> float | None:
    """The least loss over every node."""
    losses = []
    for node in file.nodes():
        found = twin.settled(file, node, checks, wholes, limit)
        if found is not None:
            losses.append(twin.loss_of(file, node, *found, what, k))
    return min(losses, default=None)


def compare(
    rows: list[dict[str, Any]],
    file: twin.Plain,
    model: tuple[dict[str, Any], list[Any], list[Any]],
    share: float,
    what: str,
    roles: dict[str, Any],
    **more: Any,
) -> None:
    """The search and the plain twin lose the same, and what is released keeps the models."""
    wishes, checks, wholes = model
    people = file.people(set(range(len(rows))))
    limit = int(np.floor(share * people + 1e-9))
    k = wishes["k"]
    expected = best_of_all(file, checks, wholes, limit, what, k)
    hierarchies = rules_of(file.trees)
    if "t_closeness" in wishes and wishes["t_closeness"]["distance"] == "hierarchical":
        hierarchies["ill"] = {"prefix": [1]}
    made = tc.protect.Generalisation(
        **wishes,
        hierarchies=hierarchies,
        suppression_limit=share,
        utility=what,
        target="aim",
        tables=[["a"], ["a", "b"]],
        **more,
    )
    data = microdata(rows, roles)
    if expected is None:
        with pytest.raises(TacitError, match="keep"):
            made.fit_transform(data)
        return
    masked = made.fit_transform(data)
    assert made.proven_
    assert made.loss_ == pytest.approx(expected, abs=1e-9)
    assert made.bound_ == made.loss_
    judge(rows, masked, file, checks, wholes, limit)


def judge(
    rows: list[dict[str, Any]],
    masked: tc.Microdata,
    file: twin.Plain,
    checks: list[Any],
    wholes: list[Any],
    limit: int,
) -> None:
    """Every model on what was written: classes are rows with the same released keys."""
    released = [masked.table[key].to_pylist() for key in file.keys]
    keys = list(zip(*released, strict=True))
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        groups.setdefault(key, []).append(i)
    blank = (None,) * len(file.keys)
    for key, members in groups.items():
        inside = len(file.population)
        if key != blank:
            inside = sum(_covers(file, key, row) for row in file.population)
        assert all(check(file, members, inside) for check in checks)
    assert all(whole(file, list(groups.values())) for whole in wholes)
    assert file.people(groups.get(blank, [])) <= limit


def _covers(file: twin.Plain, key: tuple[Any, ...], row: dict[str, Any]) -> bool:
    """Whether a released key may be that of a record."""
    for name, label in zip(file.keys, key, strict=True):
        line = [
            "None" if part == "gap" else part for part in file.trees[name][row[name]]
        ]
        if str(label) not in line:
            return False
    return True


SEARCHES = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_the_twin_knows_every_utility() -> None:
    assert set(UTILITIES) == set(NAMES)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CLASS_MODELS)
@SEARCHES
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 22),
    share=st.sampled_from([0.0, 0.2, 0.5]),
    what=st.sampled_from(UTILITIES),
)
def test_records(name: str, seed: int, n: int, share: float, what: str) -> None:
    rows = draw_rows(seed, n)
    file = twin.Plain(rows, KEYS, draw_trees(seed))
    compare(rows, file, CLASS_MODELS[name], share, what, {})


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CLASS_MODELS)
@SEARCHES
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(6, 26),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(UTILITIES),
    homes=st.booleans(),
)
def test_people_with_several_rows(
    name: str, seed: int, n: int, share: float, what: str, homes: bool
) -> None:
    rows = draw_rows(seed, n, people=max(3, n // 2))
    home = "home" if homes else None
    file = twin.Plain(rows, KEYS, draw_trees(seed), person="who", home=home)
    roles = {"person": "who", **({"household": "home"} if homes else {})}
    compare(rows, file, CLASS_MODELS[name], share, what, roles)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SINGLE_MODELS)
@SEARCHES
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 20),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(UTILITIES),
)
def test_populations_and_weights(
    name: str, seed: int, n: int, share: float, what: str
) -> None:
    rows = draw_rows(seed, n)
    population = rows + draw_rows(seed + 1, 2 * n)
    file = twin.Plain(rows, KEYS, draw_trees(seed), population=population)
    more: dict[str, Any] = {}
    if name in ("k-map", "presence"):
        more["population"] = microdata(population, {})
    compare(rows, file, SINGLE_MODELS[name], share, what, {"weight": "weight"}, **more)


@SEARCHES
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 20),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(UTILITIES),
)
def test_a_gap_is_a_value_of_its_own(
    seed: int, n: int, share: float, what: str
) -> None:
    rows = draw_rows(seed, n, gaps=True)
    file = twin.Plain(rows, KEYS, draw_trees(seed, gaps=True))
    compare(rows, file, CLASS_MODELS["k"], share, what, {})


@pytest.mark.parametrize("name", ["k", "entropy l", "average risk"])
@SEARCHES
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 22),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(UTILITIES),
)
def test_a_lattice_that_is_not_held(
    name: str, seed: int, n: int, share: float, what: str
) -> None:
    """The search of large lattices finds the same."""
    rows = draw_rows(seed, n)
    file = twin.Plain(rows, KEYS, draw_trees(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generalisation, "MOST_NODES", 0)
        compare(rows, file, CLASS_MODELS[name], share, what, {})


@SEARCHES
@given(seed=st.integers(0, 10_000), n=st.integers(12, 40), local=st.booleans())
def test_local_recoding_keeps_the_models_and_loses_no_more(
    seed: int, n: int, local: bool
) -> None:
    rows = draw_rows(seed, n)
    file = twin.Plain(rows, KEYS, draw_trees(seed))
    checks = [twin.at_least(3), twin.distinct(2)]
    made = tc.protect.Generalisation(
        k=3,
        l_diversity=2,
        hierarchies=rules_of(file.trees),
        suppression_limit=0.2,
        recoding="local" if local else "strict",
    )
    try:
        masked = made.fit_transform(microdata(rows, {}))
    except TacitError:
        return
    assert made.local_loss_ <= made.loss_ + 1e-9
    judge(rows, masked, file, checks, [], int(0.2 * n + 1e-9))
    # every label is one of the value's own
    for i, row in enumerate(rows):
        shown = [masked.table[key][i].as_py() for key in file.keys]
        assert shown == [None] * 3 or _covers(file, tuple(shown), row)
