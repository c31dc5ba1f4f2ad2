"""Every method on Census, whose 13 columns have rank 12 (PTOTVAL = POTHVAL + PEARNVAL)."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc

NUMERIC = [
    name
    for name in tc.protect.registry
    if tc.Kind.continuous in tc.protect.registry[name].kinds
]
NOT_SO = ("pseudonyms", "record_swapping", "generalisation", "dp_generalisation")
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    # one masks no numbers, one needs to be told which columns are areas, and two give words
    *[(name, {}) for name in NUMERIC if name not in NOT_SO],
    ("record_swapping", {"columns": ["STATETAX"], "rate": 0.5}),
    *[
        ("noise", {"kind": kind})
        for kind in ("correlated", "transformed", "multiplicative")
    ],
    *[
        ("microaggregation", {"partition": p})
        for p in ("vmdav", "mu-approx", "individual", "zscores", "pca")
    ],
    *[("ipso", {"variant": v}) for v in "AB"],
    ("dp_microaggregation", {"form": "multivariate"}),
]


@pytest.mark.parametrize(("name", "parameters"), VARIANTS, ids=lambda v: str(v))
def test_runs_and_gives_finite_numbers(
    name: str, parameters: dict[str, Any], census_like: pd.DataFrame
) -> None:
    census = census_like
    kind = tc.protect.registry[name]
    told = dict(parameters)
    if "bounds" in kind().get_params() and name in ("laplace", "dp_microaggregation"):
        told["bounds"] = dict.fromkeys(census.columns, (-1000000.0, 1000000.0))
    if "random_state" in kind().get_params():
        told["random_state"] = 0
    if "test_seed" in kind().get_params():
        told["test_seed"] = True
    masked = kind(**told).fit_transform(census)
    if name != "local_suppression":
        assert np.isfinite(masked.to_numpy(float)).all()
    assert list(masked.columns) == list(census.columns)
    if name not in ("sampling", "massc"):
        assert len(masked) == len(census)
        assert not masked.equals(census)
    if name == "noise" and parameters.get("kind") in ("correlated", "transformed"):
        gap = masked["PTOTVAL"] - masked["POTHVAL"] - masked["PEARNVAL"]
        assert gap.abs().max() <= 2, "only the rounding to integers is left"
