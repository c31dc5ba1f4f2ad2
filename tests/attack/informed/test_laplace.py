"""Who knows the Laplace mechanism reads what was declared, as the mechanism does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.attack.informed import AwareLaplace
from tacit.data.microdata import Microdata


def costs(evidence):
    ours, theirs = evidence.classes()
    return evidence.block(ours.rows, theirs.rows)[np.ix_(ours.inverse, theirs.inverse)]


def test_few_whole_numbers_with_bounds_are_numbers() -> None:
    """Guessed to be categories, they got noise all the same."""
    x = Microdata.of(pd.DataFrame({"v": [1, 2, 3] * 20}), nominal=["v"])
    step = tc.protect.Laplace(epsilon=2.0, bounds={"v": (0, 4)})
    z = Microdata.of(pd.DataFrame({"v": np.linspace(0.0, 4.0, 60)}))
    found = costs(AwareLaplace.knowing(step, x).evidence(x, z, ["v"]))
    # |x - z| epsilon / (high - low)
    expected = np.abs(x.table["v"].to_numpy()[:, None] - np.linspace(0, 4, 60)) * 0.5
    assert np.allclose(found - found[0, 0], expected - expected[0, 0])


def test_declared_categories_that_do_not_occur_count_and_text_stands_for_numbers() -> (
    None
):
    x = Microdata.of(pd.DataFrame({"c": [1, 2] * 10}))
    step = tc.protect.Laplace(epsilon=1.0, categories={"c": ["1", "2", "3", "4"]})
    z = Microdata.of(pd.DataFrame({"c": ["1", "3"] * 10}))
    found = costs(AwareLaplace.knowing(step, x).evidence(x, z, ["c"]))
    stays = np.e / (np.e + 3)
    assert found[0, 0] == pytest.approx(-np.log(stays))
    assert found[1, 0] == pytest.approx(-np.log((1 - stays) / 3))
    assert found[0, 1] == found[1, 1] == pytest.approx(-np.log((1 - stays) / 3))


def test_the_budget_is_split_over_all_masked_columns_not_over_those_compared() -> None:
    frame = pd.DataFrame(
        np.random.default_rng(1).normal(size=(30, 4)), columns=[*"abcd"]
    )
    x = Microdata.of(frame)
    step = tc.protect.Laplace(epsilon=8.0, bounds=dict.fromkeys("abcd", (-4.0, 4.0)))
    attacker = AwareLaplace.knowing(step, x)
    alone = costs(attacker.evidence(x, x, ["a"]))
    a = frame["a"].to_numpy()
    expected = np.abs(a[:, None] - a) * (8.0 / 4) / 8.0
    assert np.allclose(alone, expected)
