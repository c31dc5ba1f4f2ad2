"""Linkages averaged over what is known, of a file that is released as it is: counted, not run."""

from __future__ import annotations

import math

import pytest

import tacit as tc
from tacit.risk.averaged_linkage import SETS, of_the_unprotected


@pytest.mark.parametrize("name", ["dld", "pld", "dld_assignment"])
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_counting_gives_what_the_linkages_give(name: str, kind: str) -> None:
    if kind == "numbers":
        data = tc.Microdata.of(tc.datasets.make_census(80, seed=1))
    else:
        people = tc.datasets.make_households(25, seed=3)
        data = tc.Microdata.of(people.drop_columns(["member", "household"]))
    linked = tc.risk.registry[name](data, data)
    counted = of_the_unprotected(data, data.quasi, draws=linked.details[SETS])
    assert counted == pytest.approx(linked.value, abs=1e-12)
    assert counted < 1


def test_gaps_are_not_counted() -> None:
    data = tc.Microdata.of({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]})
    assert math.isnan(of_the_unprotected(data, ["a", "b"], draws=1))
