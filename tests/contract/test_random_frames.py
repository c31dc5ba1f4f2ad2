"""Random frames at every protector and attacker: a result, or a documented error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit as tc
from contract import examples

NAME = st.text(min_size=1, max_size=8).filter(
    lambda s: "\x00" not in s and not any(0xD800 <= ord(c) < 0xE000 for c in s)
)


@st.composite
def columns(draw: st.DrawFn, n: int) -> Any:
    """A column of any sort: tiny and huge numbers, constants, text, dates, missing values."""
    sort = draw(
        st.sampled_from(
            [
                "float",
                "tiny",
                "huge",
                "constant",
                "int",
                "text",
                "bool",
                "date",
                "missing",
                "inf",
            ]
        )
    )
    seed = draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    if sort == "text":
        return list(rng.choice(["a", "b", "ü", "日本", ""], n))
    if sort == "bool":
        return list(rng.random(n) < 0.5)
    if sort == "date":
        return list(
            np.datetime64("2020-01-01", "ns")
            + rng.integers(0, 1000, n).astype("timedelta64[D]")
        )
    if sort == "int":
        return rng.integers(-(2**40), 2**40, n)
    if sort == "constant":
        return np.full(n, 3.5)
    values = rng.normal(size=n) * {"tiny": 1e-300, "huge": 1e300}.get(sort, 1.0)
    if sort == "missing":
        values[rng.random(n) < 0.4] = np.nan
    if sort == "inf" and n:
        values[0] = np.inf
    return values


@st.composite
def frames(draw: st.DrawFn) -> Any:
    n = draw(st.integers(0, 25))
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    table = pd.DataFrame({name: draw(columns(n)) for name in names})
    return table if draw(st.booleans()) else pl.from_pandas(table)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", list(tc.protect.registry))
@settings(suppress_health_check=list(HealthCheck))
@given(frame=frames())
def test_protector(name: str, frame: Any) -> None:
    kind = tc.protect.registry[name]
    given = {key: value for key, value in kind.example.items() if key != "columns"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            masked = kind(**given).fit_transform(frame)
        except tc.TacitError as error:
            assert len(str(error)) > 10
            assert "\n" not in str(error)
            return
    assert type(masked) is type(frame)
    if not kind.changes_length:
        assert len(masked) == len(frame)
    assert set(masked.columns) <= set(frame.columns)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", list(tc.attack.registry))
@settings(suppress_health_check=list(HealthCheck))
@given(frame=frames())
def test_attacker(name: str, frame: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            link = examples.attacker(name).link(frame, frame)
        except tc.TacitError as error:
            assert len(str(error)) > 10
            return
    assert len(link.match) == len(frame)
    assert np.all((link.success >= 0) & (link.success <= 1 + 1e-12))
