"""Data and example parameters for the contract suite. A method with required parameters adds a line here."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

import tacit as tc
from tacit.microdata import Kind

#: method -> parameters that make it run on ``frame()``; methods that need none have no line
os.environ.setdefault("TACIT_CONTRACT_KEY", "a secret of the tests only")
BOUNDS = {"income": [0.0, 200000.0], "age": [0.0, 120.0], "debt": [0.0, 20000.0]}
PROTECT: dict[str, dict[str, Any]] = {
    "ipso": {"quasi": ["income", "age"], "confidential": ["debt"]},
    "pseudonyms": {"columns": ["region"], "key": "env:TACIT_CONTRACT_KEY"},
    "laplace": {"columns": ["income", "age", "debt", "region", "school"], "bounds": BOUNDS},
    "dp_microaggregation": {"columns": ["income", "age", "debt"], "bounds": BOUNDS},
}
ATTACK: dict[str, dict[str, Any]] = {"possible": {"reach": 100.0, "strategy": "best"}}

#: method -> why it is excused from a check
CHANGES_LENGTH: dict[str, str] = {
    "sampling": "releases a sample",
    "massc": "releases a subsample",
}
CHANGES_TYPES: dict[str, str] = {
    "ipso": "rounding to integers would break the moments that it promises",
    "local_suppression": "an integer column of pandas cannot hold a missing value",
}


def frame(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """Continuous (float and integer), nominal and ordinal columns, some values missing, an index of its own."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 0.5, n)
    table = pd.DataFrame(
        {
            "income": income,
            "tax": 0.3 * income + rng.normal(0, 500, n),
            "age": rng.integers(18, 90, n),
            "debt": rng.gamma(2.0, 1000.0, n),
            "region": rng.choice(["north", "south", "east"], n),
            "school": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), categories=["low", "mid", "high"], ordered=True
            ),
        },
        index=np.arange(100, 100 + n),
    )
    table.loc[table.index[3], "tax"] = np.nan
    return table


def protector(name: str, **more: Any) -> Any:
    """The protector with its example parameters, on the columns that it can mask."""
    kind = tc.protect.registry[name]
    told = {**PROTECT.get(name, {}), **more}
    if "columns" in kind().get_params() if not PROTECT.get(name) else "columns" in kind(**told).get_params():
        told.setdefault("columns", columns_for(name))
    return kind(**told)


def columns_for(name: str) -> list[str]:
    """The columns of ``frame()`` whose kind the method masks."""
    kinds = tc.protect.registry[name].kinds
    schema = tc.Microdata.of(frame()).schema
    return [column.name for column in schema if column.kind in kinds and column.kind in Kind]


def seeded(name: str, seed: int, **more: Any) -> Any:
    """With a seed where the method takes one."""
    made = protector(name, **more)
    return made.set_params(random_state=seed) if "random_state" in made.get_params() else made
