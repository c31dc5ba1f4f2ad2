"""Numbers that became labels: the plain attackers compare them as classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.attack.common_classes import in_common_classes


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 200
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": rng.lognormal(10, 1, n),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def test_each_number_is_in_the_label_that_holds_it() -> None:
    ours = tc.Microdata.of({"x": [1.0, 10.0, 19.9, 65.0, None, 40.0]})
    theirs = tc.Microdata.of({"x": ["[10, 20)", "< 10", "65+", "north", None, "< 10"]})
    x, z = in_common_classes(ours, theirs, ["x"])
    assert x.table["x"].to_pylist() == [
        "< 10",
        "[10, 20)",
        "[10, 20)",
        "65+",
        None,
        "40.0",
    ]
    assert z.table["x"].to_pylist() == theirs.table["x"].to_pylist()


@pytest.mark.parametrize("name", ["nearest", "assignment", "link_probabilities"])
def test_attackers_run_and_use_the_labels(people: pd.DataFrame, name: str) -> None:
    recode = tc.protect.Recoding(
        columns=["age"], intervals={"age": [30, 45, 60]}, show="label"
    )
    noise = tc.protect.Noise(percent=40, columns=["income"], random_state=1)
    masked = noise.fit_transform(recode.fit_transform(people))
    attacker = tc.attack.registry[name]()
    with_labels = attacker.link(people, masked).rate
    blind = attacker.link(people.drop(columns="age"), masked.drop(columns="age")).rate
    # which of the equally cheap linkages is found moves the rates by a record or two of 200
    assert with_labels > 1.2 * blind


def test_no_attack_fails_on_labels(people: pd.DataFrame) -> None:
    recode = tc.protect.Recoding(
        columns=["age"], intervals={"age": [30, 45, 60]}, show="label"
    )
    result = tc.assess(people, recode.fit_transform(people), risks=(), losses=())
    failed = [name for name in result.attacks if name not in result.linkages]
    assert failed == []
