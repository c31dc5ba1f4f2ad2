"""The assessment: keys, failures that are loud, and the strongest attack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit.assess.assessment import Failure
from tacit.attack.base import Attacker


class Broken(Attacker):
    """An attacker that cannot run."""

    def __init__(self) -> None:
        pass

    knows = "nothing"

    def _link(self, *_: Any) -> Any:
        raise MemoryError("too large")


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    data = tc.datasets.make_census(150, seed=2)
    return data, tc.protect.Microaggregation(k=10).fit_transform(data)


def test_json_holds_what_the_design_promises(pair: tuple[Any, Any]) -> None:
    found = tc.assess(*pair, attackers=["nearest", "assignment"]).to_dict()
    assert found["records"] == 150
    assert found["attributes"] == 13
    for attack in found["attacks"].values():
        assert {"correct", "rate", "interval", "chance", "seconds"} <= set(attack)
    assert found["loss"]["PIL"]["value"] > 0
    assert found["score"]["value"] == pytest.approx(
        0.5 * found["score"]["IL"] + 0.5 * found["score"]["DR"], rel=1e-12
    )


def test_an_attack_that_fails_is_loud_and_never_safe(pair: tuple[Any, Any]) -> None:
    original, _ = pair
    noise = np.random.default_rng(0).normal(size=(150, 13))
    masked = tc.Microdata.of(original).with_numbers(original.column_names, 1e6 * noise)
    fine = tc.assess(
        original, masked, attackers=["nearest"], risks=[], losses=[], truth="rows"
    )
    assert fine.verdict.safe is True
    result = tc.assess(
        original,
        masked,
        attackers={"nearest": tc.attack.Nearest(), "broken": Broken()},
        risks=[],
        losses=[],
    )
    assert isinstance(result.attacks["broken"], Failure)
    assert result.to_dict()["attacks"]["broken"] == {"error": "MemoryError: too large"}
    assert result.verdict.safe is None
    assert result.verdict.word == "not assessed"


def test_the_module_is_callable_however_it_was_imported() -> None:
    import tacit.assess.assessment
    import tacit.compare.comparison  # noqa: F401

    assert callable(tc.assess)
    assert callable(tc.compare)
    x = np.random.default_rng(0).normal(size=(30, 2))
    assert (
        tc.assess(x, x, attackers=["nearest"], risks=[], losses=[]).strongest[1].rate
        == 1
    )
    from tacit.assess import assessment

    assert assessment.Assessment is tc.Assessment
