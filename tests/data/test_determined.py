"""What a weight tells: columns and sizes that it is a function of, and nothing by chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.data.determined import _told, determined


def survey() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    home = np.repeat(np.arange(60), rng.integers(1, 6, 60))
    size = np.bincount(home)[home]
    region = rng.choice(list("abc"), 60)[home]
    return pd.DataFrame(
        {
            "home": home,
            "region": region,
            "sex": rng.choice(["f", "m"], len(home)),
            "w": 100 / size,
            "v": np.select([region == "a", region == "b"], [10.5, 20.5], 30.5),
        }
    )


def test_a_weight_tells_what_it_was_made_of() -> None:
    data = tc.Microdata.of(survey(), household=["home"], weight=["w", "v"])
    found = {(one.weight, one.column): one.share for one in determined(data)}
    assert found == {
        ("w", "the number of rows of the household"): 1.0,
        ("v", "'region'"): 1.0,
    }


def test_no_weight_tells_nothing() -> None:
    assert determined(tc.Microdata.of(survey())) == []


def test_by_hand() -> None:
    # nine of ten of each weight have one value: each of them is told, the tenth is not
    weights, labels = np.repeat([0, 1], 40), np.repeat([0, 1], 40)
    labels[[0, 40]] = [1, 0]
    assert _told(weights, labels) == pytest.approx(78 / 80)
    # a weight of one's own tells nothing that others could
    assert _told(np.arange(80), labels) is None
    # what nearly everybody has is no news
    rare = np.zeros(80, np.int64)
    rare[[3, 50]] = 1
    assert _told(weights, rare) is None
    # of two records with one weight and two values none is told
    assert _told(np.repeat(np.arange(40), 2), np.tile([0, 1], 40)) is None


def test_the_command_says_it(tmp_path: Path) -> None:
    file = tmp_path / "survey.csv"
    survey().to_csv(file, index=False)
    options = ["--household", "home", "--weight", "w"]
    answer = CliRunner().invoke(app, ["schema", str(file), *options])
    assert answer.exit_code == 0
    said = " ".join(answer.output.split())
    assert "The weight 'w' tells the number of rows of the household for 100%" in said
