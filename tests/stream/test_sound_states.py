"""Whole numbers of a state that point elsewhere are refused: compiled code would follow them."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import InputError
from tacit.kernels.stream import (
    clusters,
    coding,
    microaggregation,
    noise,
    rank_swapping,
)
from tacit.stream.base import Filter
from tacit.stream.state import restored

FILTERS: dict[str, Filter] = {
    "noise": tc.stream.Noise(random_state=1),
    "multiplicative": tc.stream.MultiplicativeNoise(random_state=1),
    "rounding": tc.stream.Rounding(base=5, random_state=1),
    "top": tc.stream.TopBottomCoding(high=50),
    "pram": tc.stream.PRAM(categories={"town": ["a", "b", "c"]}, random_state=1),
    "groups": tc.stream.Microaggregation(k=3, window=7),
    "ranks": tc.stream.RankSwapping(p=30, window=9, random_state=1),
    "clusters": tc.stream.DelayBoundClusters(k=3, delay=8),
    "private": tc.stream.DPMicroaggregation(
        k=2, window=6, bounds={"age": (0, 100), "income": (0, 9000)}
    ),
}
M, R = microaggregation, rank_swapping
# where a number stands, and what no stream has there
WRONG: list[tuple[str, int, int]] = [
    ("noise", noise.HELD, 2**40), ("noise", noise.HELD, -1), ("noise", noise.COLUMNS, 9),
    ("noise", noise.WARM, 2**40), ("noise", noise.ARRIVAL, -1), ("noise", noise.FIRST, 7),
    ("rounding", coding.COLUMNS, 9), ("rounding", coding.ARRIVAL, -1),
    ("pram", coding.FIRST, 2**20),
    ("groups", M.HEAD, 7), ("groups", M.COUNT, 7), ("groups", M.FREE, 5), ("groups", M.SLOTS, 8),
    ("groups", M.K, 1), ("groups", M.KNOWN, 2**40), ("groups", M.RECENT, -1),
    ("groups", M.FIRST + 2, -9), ("ranks", R.HEAD, 9), ("ranks", R.COUNT, 2**40),
    ("ranks", R.SLOTS, 99), ("ranks", R.REACH, 2**40), ("ranks", R.FIRST + 2, 8),
    ("ranks", R.FIRST + 4, 2**40), ("ranks", R.FIRST + 4, -1), ("ranks", -1, 2),
    ("clusters", clusters.WAITING, 9), ("clusters", clusters.WAITING, -1),
    ("clusters", clusters.RECENT, -1), ("private", 0, 6), ("private", 0, -1),
]  # fmt: skip


def record(name: str, i: int) -> dict[str, object]:
    if name == "pram":
        return {"town": "abc"[i % 3]}
    return {"age": 20.0 + i * 7 % 60, "income": 1000.0 + i * 37 % 991}


@pytest.mark.parametrize("name", list(FILTERS))
def test_whatever_a_stream_leaves_is_taken_up(name: str) -> None:
    unit = deepcopy(FILTERS[name]).reset()
    for i in range(40):
        restored(deepcopy(FILTERS[name]), unit.state_dict())
        unit.push(record(name, i))
    unit.flush()
    restored(deepcopy(FILTERS[name]), unit.state_dict())


@pytest.mark.parametrize(("name", "place", "number"), WRONG)
def test_what_points_elsewhere_is_refused(name: str, place: int, number: int) -> None:
    unit = deepcopy(FILTERS[name]).reset()
    for i in range(6 if name in ("groups", "ranks") else 5):
        unit.push(record(name, i))
    state = unit.state_dict()
    state["ints"][place] = number
    with pytest.raises(
        InputError, match="does not fit this version of tacit, or was changed"
    ):
        restored(deepcopy(FILTERS[name]), state)


def test_records_that_none_could_be_are_refused() -> None:
    unit = deepcopy(FILTERS["noise"]).reset()
    unit.push(record("noise", 1))
    for word, value in (
        ("width", 2**40), ("names", ["age"]), ("names", ["age", "age"]), ("kinds", [0, 7]),
        ("form", "tree"), ("pair", "yes"), ("categories", [None, ["a"]]), ("present", ["age"]),
    ):  # fmt: skip
        state = unit.state_dict()
        state["records"][word] = value
        with pytest.raises(InputError, match="was changed"):
            restored(deepcopy(FILTERS["noise"]), state)
    state = unit.state_dict() | {"left": 99}
    with pytest.raises(InputError, match="more records left than came"):
        restored(deepcopy(FILTERS["noise"]), state)
    state = unit.state_dict() | {"keys": np.zeros(9, np.uint64)}
    with pytest.raises(InputError, match="was changed"):
        restored(deepcopy(FILTERS["noise"]), state)
