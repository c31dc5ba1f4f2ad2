"""Microaggregation that keeps gaps: intruders see through it as they do without gaps."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.informed.microaggregation import find_blocks

NAMES = list("abcd")


@pytest.fixture(scope="module")
def original() -> tc.Microdata:
    rng = np.random.default_rng(1)
    values = rng.multivariate_normal(np.zeros(4), 0.5 * np.eye(4) + 0.5, 300)
    values[rng.random(values.shape) < 0.2] = np.nan
    return tc.Microdata.of(dict(zip(NAMES, values.T, strict=True)), continuous=NAMES)


def test_who_does_not_know_the_plan_finds_what_who_knows_it_finds(
    original: tc.Microdata,
) -> None:
    method = tc.protect.Microaggregation(k=5, groups=2)
    masked = method.fit_transform(original)
    assert find_blocks(masked, NAMES) == [["a", "b"], ["c", "d"]]
    knowing = tc.attack.Aware(plan=method).link(original, masked).correct
    guessing = tc.attack.Aware().link(original, masked).correct
    assert guessing >= 0.9 * knowing
    assert knowing > 0.9 * original.n
