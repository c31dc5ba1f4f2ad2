"""What was looked at, and what nobody could compare."""

from __future__ import annotations

import numpy as np
import pandas as pd

import tacit as tc
from attack.features.releases import census, noisy
from tacit.assess.near_copies import near_copies

MEASURES = ("k_anonymity",)


def files(seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    file = census(rng, 300, 5)
    return file, noisy(file, rng, 4.0)


def test_a_column_that_nobody_could_compare_is_not_assessed_until_somebody_says_so() -> (
    None
):
    file, masked = files()
    masked["lab"] = np.random.default_rng(9).normal(size=300)

    def state(**more: object) -> str:
        result = tc.assess(file, masked, truth="rows", risks=(), losses=(), **more)
        return result.verdict.state

    assert state() == "not assessed"
    assert state(release_as_is=["lab"]) == "safe"
    assert state(plan=tc.Plan((), release_as_is=("lab",))) != "not assessed"


def test_a_new_column_that_known_ones_explain_is_evidence() -> None:
    file, masked = files()
    masked["total"] = file.sum(axis=1)
    result = tc.assess(file, masked, truth="rows", risks=(), losses=())
    first = result.evidence[0]
    assert first.column == "total"
    assert first.bits > 7
    assert first.ways[0].way.startswith("sum")
    assert result.to_dict()["evidence"][0]["column"] == "total"
    assert result.verdict.state == "not safe"
    assert "'total'" in result.verdict.next_step


def test_what_was_declared_is_looked_at() -> None:
    file, masked = files()
    file["change"] = (file.c0 - file.c1).round(2)
    masked["change"] = file.change
    known = tc.Microdata.of(file, confidential=["change"])
    result = tc.assess(known, masked, truth="rows", risks=(), losses=())
    assert result.verdict.state == "not safe"
    assert result.evidence[0].column == "change"


def test_near_copies_of_others() -> None:
    """Rows of a bootstrap with a little noise are people, whoever they are said to be of."""
    rng = np.random.default_rng(5)
    file = census(rng, 600, 5)
    drawn = file.iloc[rng.integers(0, 600, 600)].reset_index(drop=True)
    shaken = drawn * (1 + rng.normal(size=drawn.shape) * 0.001)
    assert near_copies(tc.Microdata.of(file), tc.Microdata.of(shaken)) > 0.9
    fresh = census(np.random.default_rng(6), 600, 5)
    for other in (fresh, noisy(file, rng, 1.0), file.apply(rng.permutation)):
        assert near_copies(tc.Microdata.of(file), tc.Microdata.of(other)) < 0.01
    result = tc.assess(file, shaken, truth="rows", risks=(), losses=(), in_order=False)
    assert "near_copies" in [row.name for row in result.verdict.failing]


def test_neighbours_by_chance_are_no_copies() -> None:
    """In a plane one point in a hundred has a neighbour ten times nearer than the next."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        file, other = (
            pd.DataFrame(rng.random((400, 2)), columns=["a", "b"]) for _ in "ab"
        )
        assert near_copies(tc.Microdata.of(file), tc.Microdata.of(other)) == 0.0
