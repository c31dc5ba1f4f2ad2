"""A lattice searched against the attacker: the best node that meets the bound, by attack."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import TacitError
from tacit.compare.attacked import risk_of
from tacit.compare.bound import Bound
from tacit.compare.lattice import protect_least
from tacit.compare.until import protect_until
from tacit.plan.plan import Plan, Step

RULES = {
    "age": {"ladder": [10, 50]},
    "icd": {"prefix": [1]},
    "sex": {"groups": []},
}


def people(n: int = 120) -> tc.Microdata:
    rng = np.random.default_rng(2)
    return tc.Microdata.of(
        {
            "age": rng.integers(0, 100, n),
            "icd": rng.choice(["J45", "J46", "K20", "K21"], n),
            "sex": rng.choice(["f", "m"], n),
        },
        quasi=["age", "icd", "sex"],
        code=["icd"],
        nominal=["sex"],
        continuous=["age"],
    )


def test_ranked_nodes_are_all_that_keep_the_models_by_loss() -> None:
    data = people()
    made = tc.protect.Generalisation(k=3, hierarchies=RULES)
    ranked = list(made.ranked(data))
    losses = [loss for _, loss in ranked]
    assert losses == sorted(losses)
    keeping = 0
    for node in product(range(4), range(3), range(2)):
        levels = dict(zip(["age", "icd", "sex"], node, strict=True))
        try:
            tc.protect.Generalisation(k=3, hierarchies=RULES, levels=levels).fit(data)
        except TacitError:
            continue
        keeping += 1
    assert len(ranked) == keeping > 3


def test_the_best_node_that_the_attacker_does_not_break() -> None:
    data = people()
    bound = Bound.parse("risk<=0.12")
    settings = {"k": 2, "hierarchies": RULES}
    found = protect_least(data, "generalisation", bound, settings, ("nearest",))
    assert found.upper <= 0.12
    # every node that loses less is attacked here, one by one, and breaks the bound
    better = 0
    for levels, loss in tc.protect.Generalisation(**settings).ranked(data):
        if loss >= found.value - 1e-12:
            break
        plan = Plan((Step("generalisation", {**settings, "levels": levels}),))
        judged = risk_of(data, plan.mask(data), plan, bound, ("nearest",), True)
        assert not judged.met
        better += 1
    assert better > 0
    # the plan is fixed to the node, and repeats
    assert found.plan.mask(data).table.equals(found.masked.table)


def test_until_searches_the_lattice_when_k_is_given() -> None:
    found = protect_until(
        people(), "generalisation", "risk<=0.2", settings={"k": 2, "hierarchies": RULES}
    )
    assert found.parameter == "loss"
    assert found.upper <= 0.2


def test_a_bound_that_no_node_meets_is_one_sentence() -> None:
    with pytest.raises(TacitError, match="no generalisation"):
        protect_least(
            people(), "generalisation", "risk<=0.001", {"k": 2, "hierarchies": RULES}
        )
