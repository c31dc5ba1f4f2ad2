"""Two hundred random files, for every model with every utility: the search against all nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tacit as tc
from protect.lattice import plain as twin
from protect.lattice.test_optimal import (
    CLASS_MODELS,
    KEYS,
    SINGLE_MODELS,
    UTILITIES,
    draw_rows,
    draw_trees,
    judge,
    microdata,
    rules_of,
)
from tacit.base.errors import TacitError

FILES = 200
QUICK = 4
MODELS = {**CLASS_MODELS, **SINGLE_MODELS}


def every_utility(name: str, seed: int) -> int:
    """One file, one model, all utilities: how many searches were right (a wrong one fails)."""
    rng = np.random.default_rng([seed, 7])
    n = int(rng.integers(4, 18))
    share = float(rng.choice([0.0, 0.2, 0.4]))
    rows = draw_rows(seed, n)
    population = rows + draw_rows(seed + 100_000, 2 * n)
    given = {"population": population} if name in SINGLE_MODELS else {}
    file = twin.Plain(rows, KEYS, draw_trees(seed), **given)
    wishes, checks, wholes = MODELS[name]
    limit = int(np.floor(share * n + 1e-9))
    # who is suppressed at a node is the same whatever is made small
    settled = {
        node: twin.settled(file, node, checks, wholes, limit) for node in file.nodes()
    }
    kept = {node: found for node, found in settled.items() if found is not None}
    hierarchies = rules_of(file.trees)
    if "hierarchical" in name:
        hierarchies["ill"] = {"prefix": [1]}
    more: dict[str, Any] = {}
    if name in ("k-map", "presence"):
        more["population"] = microdata(population, {})
    data = microdata(rows, {"weight": "weight"} if name in SINGLE_MODELS else {})
    for what in UTILITIES:
        made = tc.protect.Generalisation(
            **wishes,
            hierarchies=hierarchies,
            suppression_limit=share,
            utility=what,
            target="aim",
            tables=[["a"], ["a", "b"]],
            **more,
        )
        if not kept:
            with pytest.raises(TacitError, match="keep"):
                made.fit_transform(data)
            continue
        masked = made.fit_transform(data)
        losses = [
            twin.loss_of(file, node, *found, what, wishes["k"])
            for node, found in kept.items()
        ]
        assert made.loss_ == pytest.approx(min(losses), abs=1e-9), (name, what, seed)
        assert made.proven_
        # on what was written, by other code
        judge(rows, masked, file, checks, wholes, limit)
    return len(UTILITIES)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", MODELS)
def test_a_few_files(name: str) -> None:
    assert sum(every_utility(name, seed) for seed in range(QUICK)) == 8 * QUICK


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_two_hundred_files(name: str) -> None:
    right = sum(every_utility(name, seed) for seed in range(FILES))
    print(f"\n{name}: {right} searches of {FILES} files, all as the whole lattice says")
    assert right == FILES * len(UTILITIES)
