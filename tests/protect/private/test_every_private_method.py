"""Every registered method that says differential privacy is tried, on files and on streams.

The registries are walked, so that a new private method without a trial fails here.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import tacit as tc
from contract import examples
from protect.private.cases import ALL, file_case
from protect.private.epsilon import lower_bound

RUNS = 200
ROOMS = {"protect": tc.protect.registry, "stream": tc.stream.registry}
PRIVATE = {
    f"{room}:{name}": registry[name]
    for room, registry in ROOMS.items()
    for name in registry
    if registry[name].family == "differential privacy"
}


def test_there_are_some() -> None:
    assert {"protect:laplace", "protect:dp_microaggregation"} <= set(PRIVATE)
    assert "stream:dp_microaggregation" in PRIVATE


@pytest.mark.parametrize("name", PRIVATE)
def test_each_is_tried_on_neighbouring_files(name: str) -> None:
    tried = {mechanism.makes for _, mechanism in ALL.values()}
    assert PRIVATE[name] in tried, f"{name} has no trial in protect.private.cases"


def neighbours(given: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The contract suite's file, and one record moved as far as the declared domain allows."""
    names = [*given.get("bounds", {}), *given.get("categories", {})]
    if "hierarchies" in given:
        # its neighbours have one record more or less
        whole = examples.frame()
        return whole, whole.iloc[1:]
    frame = examples.frame()[names].reset_index(drop=True)
    frame = frame.astype(dict.fromkeys(given.get("categories", {}), object))
    ends = []
    for end in (0, -1):
        other = frame.copy()
        for name, limits in given.get("bounds", {}).items():
            other[name] = other[name].clip(*limits).astype(float)
            other.loc[0, name] = float(limits[end])
        for name, known in given.get("categories", {}).items():
            other.loc[0, name] = known[end]
        ends.append(other)
    return ends[0], ends[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in PRIVATE if n.startswith("protect:")])
def test_each_keeps_its_epsilon_with_its_own_example(name: str) -> None:
    """No list of cases: the parameters are the method's, the neighbours those of its domain."""
    method = PRIVATE[name]
    given = {**method.example, "epsilon": 1.0}
    given.pop("columns", None)
    if "delta" in given:
        # the trial leaves no room for a delta
        given["delta"] = 1e-6
    files = neighbours(given)
    values = [known[-1] for known in given.get("categories", {}).values()]
    mechanism = file_case(lambda: method(**given), files, values)
    assert lower_bound(mechanism, RUNS) <= 1.0
