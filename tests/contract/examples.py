"""Data and example parameters for the contract suite.

What a method needs to run on this data stands on the method, as its ``example``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

import tacit as tc
from tacit.base.parameters import model_of
from tacit.data.microdata import Kind

os.environ.setdefault("TACIT_CONTRACT_KEY", "a secret of the tests only")
# until the attacker says it itself
ATTACK: dict[str, dict[str, Any]] = {"possible": {"reach": 100.0, "strategy": "best"}}

DAY = np.timedelta64(86_400, "s")


def frame(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """Columns of every kind, some values missing, an index of its own."""
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
                rng.choice(["low", "mid", "high"], n),
                categories=["low", "mid", "high"],
                ordered=True,
            ),
            "born": np.datetime64("1950-01-01", "s") + rng.integers(0, 20_000, n) * DAY,
        },
        index=np.arange(100, 100 + n),
    )
    table.loc[table.index[3], "tax"] = np.nan
    return table


def protector(name: str, **more: Any) -> Any:
    """The protector with its example parameters, on the columns that it can mask."""
    kind = tc.protect.registry[name]
    given = {**kind.example, **more}
    if "columns" in model_of(kind).model_fields:
        given.setdefault("columns", columns_for(name))
    return kind(**given)


def attacker(name: str) -> Any:
    """The attacker with its example parameters."""
    kind = tc.attack.registry[name]
    return kind(**(kind.example or ATTACK.get(name, {})))


def columns_for(name: str) -> list[str]:
    """The columns of ``frame()`` whose kind the method masks."""
    kinds = tc.protect.registry[name].kinds
    schema = tc.Microdata.of(frame()).schema
    return [
        column.name for column in schema if column.kind in kinds and column.kind in Kind
    ]


def seeded(name: str, seed: int, **more: Any) -> Any:
    """With a seed where the method takes one."""
    made = protector(name, **more)
    wanted = {"random_state": seed, "test_seed": True}
    return made.set_params(
        **{name: wanted[name] for name in wanted if name in made.get_params()}
    )
