"""Delay-bound clusters: the compiled step beside its plain twin, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream.plain_clusters import PlainClusters
from tacit.stream import DelayBoundClusters


def _stream(seed: int, n: int) -> list[dict[str, object]]:
    """Few persons, few confidential values, ties, categories and gaps."""
    rng = np.random.default_rng(seed)
    people = int(rng.integers(2, 12))
    lacking = rng.choice([0.0, 0.2])
    rows: list[dict[str, object]] = []
    for _ in range(n):
        row: dict[str, object] = {
            "who": int(rng.integers(people)),
            "age": float(rng.integers(0, 9)),
            "pay": float(rng.normal()),
            "town": str(rng.integers(3)),
            "ill": int(rng.integers(3)),
        }
        for name in ("who", "age", "pay", "town", "ill"):
            if rows and rng.random() < lacking:
                row[name] = None
        rows.append(row)
    return rows


@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.sampled_from([5, 12, 40]),
    st.booleans(),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1, 3]),
    st.sampled_from(["std", "none"]),
)
def test_the_same_releases_as_the_twin(
    seed: int,
    k: int,
    delay: int,
    persons: bool,
    diversity: int,
    reuse: int,
    scale: str,
) -> None:
    options = {
        "k": k,
        "delay": delay,
        "person": "who" if persons else None,
        "l": diversity,
        "confidential": "ill" if diversity > 1 else None,
        "reuse": reuse,
        "scale": scale,
        "columns": ["age", "pay", "town"],
    }
    rows = _stream(seed, 90)
    ours, twin = DelayBoundClusters(**options), PlainClusters(**options)
    # repr: NaN and None alike
    assert repr(list(ours(rows))) == repr(list(twin(rows)))
    assert ours.withheld == twin.withheld
    assert ours._floats.tobytes() == twin._floats.tobytes()
    assert ours._ints.tobytes() == twin._ints.tobytes()


@pytest.mark.parametrize("last", [False, True])
def test_a_clock_settles_whoever_has_waited_too_long(last: bool) -> None:
    """Ten seconds a record and a limit of 25: the twin releases the same ones at each tick."""
    made = [
        cls(k=2, delay=50, seconds=25.0, columns=["age", "pay"])
        for cls in (DelayBoundClusters, PlainClusters)
    ]
    out = []
    for unit in made:
        now = [0.0]
        unit.clock = lambda now=now: now[0]
        found = []
        for row in _stream(5, 30):
            found += unit.push({"age": row["age"] or 0.0, "pay": row["pay"] or 0.0})
            now[0] += 10.0
            found += unit.tick()
        out.append(repr(found + (unit.flush() if last else [])))
    assert out[0] == out[1]
