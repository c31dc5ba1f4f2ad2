"""Microaggregation of files with gaps: they stay, and no released value is that of a few."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.protect import by_address
from tacit.protect.grouping.gap_classes import gap_classes
from tacit.scale.partition.aggregate import aggregate_block

PARTITIONS = ["mdav", "vmdav", "mu-approx", "individual", "zscores", "pca"]


def table(n: int, seed: int, share: float) -> pd.DataFrame:
    """Columns of each scale; a share of the cells is missing, in patterns common and rare."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.gamma(2.0, 10.0, n),
            "c": rng.choice(["x", "y", "z"], n),
            "d": rng.integers(1, 6, n).astype(float),
        }
    )
    for name in frame:
        frame.loc[rng.random(n) < share, name] = None
    # those whom the question did not concern
    frame.loc[rng.random(n) < 0.4, "b"] = None
    return frame


def fewest_behind(
    before: pd.DataFrame, after: pd.DataFrame, name: str, unit: pd.Series
) -> int:
    """The least number of units with a value that share a released value of a column."""
    there = before[name].notna()
    units = unit[there].groupby(after.loc[there, name].astype(str)).nunique()
    return int(units.min()) if len(units) else 10**6


@given(
    st.sampled_from(PARTITIONS),
    st.integers(2, 5),
    st.integers(30, 70),
    st.integers(0, 10**6),
    st.sampled_from([0.02, 0.2, 0.6]),
    st.sampled_from([1, 2, None]),
)
def test_gaps_stay_and_each_value_is_an_average_of_k(
    partition: str, k: int, n: int, seed: int, share: float, groups: int | None
) -> None:
    frame = table(n, seed, share)
    roles = {"continuous": ["a", "b"], "ordinal": ["d"], "nominal": ["c"]}
    data = tc.Microdata.of(frame, **roles)
    if (frame.notna().sum().between(1, k - 1)).any():
        return
    method = tc.protect.Microaggregation(k=k, partition=partition, groups=groups)
    masked = method.fit_transform(data).to_native()
    assert (masked.isna() == frame.isna()).all().all()
    rows = pd.Series(np.arange(n))
    for name in frame:
        assert fewest_behind(frame, masked, name, rows) >= k
    # means put together and apart again: the sum over the file is what it was
    for name in ("a", "b"):
        assert masked[name].sum() == pytest.approx(frame[name].sum())
    # whose gaps k records share is one of k with the same values and blanks
    for block in method.blocks_:
        gaps = frame[block].isna()
        common = gaps.groupby(list(block))[block[0]].transform("size") >= k
        there = common & ~gaps.all(axis=1)
        pooled = int((~common & ~gaps.all(axis=1)).sum())
        same = masked[block].groupby(list(block), dropna=False)[block[0]]
        if there.any() and (pooled == 0 or pooled >= k):
            assert same.transform("size")[there].min() >= k


@given(
    st.integers(2, 4), st.integers(0, 10**6), st.sampled_from(["person", "household"])
)
def test_with_persons_an_average_is_that_of_k_persons(
    k: int, seed: int, word: str
) -> None:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(30), rng.integers(1, 4, 30))
    frame = table(who.size, seed, 0.3)[["a", "b"]]
    frame["home"] = rng.normal(size=30)[who]
    frame.loc[rng.random(who.size) < 0.3, "home"] = None
    frame["who"] = who
    data = tc.Microdata.of(
        frame, quasi=["a", "b", "home"], continuous=["a", "b", "home"], **{word: "who"}
    )
    masked = tc.protect.Microaggregation(k=k).fit_transform(data).to_native()
    columns = ["a", "b", "home"]
    assert (masked[columns].isna() == frame[columns].isna()).all().all()
    rows = pd.Series(np.arange(who.size))
    for name in columns:
        unit = frame["who"] if word == "person" or name == "home" else rows
        assert fewest_behind(frame, masked, name, unit) >= k


def test_strata_share_no_average() -> None:
    """Where persons are grouped inside strata, thin groups are put together inside them, too."""
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(60), 2)
    frame = pd.DataFrame({"who": who, "wave": np.tile([0, 1], 60)})
    frame["x"] = rng.normal(size=120) + 100 * frame["wave"]
    frame["y"] = rng.normal(size=120)
    frame.loc[rng.random(120) < 0.8, "x"] = None
    roles = {"person": "who", "quasi": ["x", "y"], "other": ["wave"]}
    data = tc.Microdata.of(frame, continuous=["x", "y"], **roles)
    masked = tc.protect.Microaggregation(k=4, by=["wave"]).fit_transform(data)
    x = masked.to_native()["x"]
    assert (x[frame["wave"] == 0].dropna() < 50).all()
    assert (x[frame["wave"] == 1].dropna() > 50).all()


def test_classes_of_gaps_by_hand() -> None:
    """Three full records, two without y, one without x: the pool of one joins the largest."""
    values = np.array([[1, 1], [2, 2], [3, 3], [4, np.nan], [5, np.nan], [np.nan, 6]])
    assert gap_classes(values, 2, ["x", "y"]).tolist() == [0, 0, 0, 1, 1, 0]
    # nobody shares gaps with k: all are one class
    assert gap_classes(values, 4, ["x", "y"]).tolist() == [0] * 6


@pytest.mark.parametrize("block", [64, by_address.BLOCK])
@pytest.mark.parametrize("partition", ["mdav", "individual"])
def test_a_column_with_few_values_is_refused(
    partition: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_address, "BLOCK", block)
    frame = pd.DataFrame({"a": np.arange(90) % 45.0, "b": [1.0, 2.0] + [None] * 88})
    method = tc.protect.Microaggregation(k=3, partition=partition)
    with pytest.raises(ParameterError, match="'b' has values of only 2 record"):
        method.fit_transform(frame)
    # a column without any is no secret
    empty = frame.assign(b=np.nan)
    assert method.fit_transform(empty)["b"].isna().all()


def test_who_separated_keeps_a_year_of_separation_and_nobody_gets_one() -> None:
    """The survey of the issue: 455 of 3,050 married people got a year of separation."""
    rng = np.random.default_rng(3)
    status = rng.choice(["single", "married", "separated"], 600, p=[0.4, 0.5, 0.1])
    frame = pd.DataFrame({"status": status, "age": rng.integers(18, 90, 600)})
    married = 1950.0 + rng.integers(0, 60, 600)
    frame["married"] = np.where(status == "single", np.nan, married)
    separated = married + rng.integers(1, 15, 600)
    frame["separated"] = np.where(status == "separated", separated, np.nan)
    columns = ["age", "married", "separated"]
    method = tc.protect.Microaggregation(k=5, columns=columns)
    masked = method.fit_transform(frame)
    assert (masked[columns].isna() == frame[columns].isna()).all().all()
    assert masked.loc[status != "separated", "separated"].isna().all()
    filled = method.set_params(gaps="fill").fit_transform(frame)
    made_up = filled.loc[status == "married", "separated"].notna().sum()
    assert made_up > 10


def test_codes_of_gaps_stay_those_codes() -> None:
    """The income of the issue: of -8 'refused' none became an income."""
    rng = np.random.default_rng(4)
    income = np.round(rng.lognormal(9, 0.5, 300))
    income[:37] = -8
    income[37:73] = np.nan
    frame = pd.DataFrame({"age": rng.integers(18, 90, 300), "income": income})
    schema = tc.Schema.from_toml("[columns.income]\nmissing = [-8]\n[columns.age]\n")
    data = tc.Microdata.of(frame, schema)
    masked = tc.protect.Microaggregation(k=5).fit_transform(data).to_native()
    assert (masked["income"][:37] == -8).all()
    assert masked["income"][37:73].isna().all()
    assert masked["income"][73:].min() > 0


def test_in_blocks_gaps_stay_as_they_do_on_the_whole_file() -> None:
    """One block is the file: the same groups, the same averages."""
    values = table(80, 9, 0.2)[["a", "b"]].to_numpy()
    sd = np.nanstd(values, axis=0)
    _, masked, _ = aggregate_block(
        values, 3, sd, np.nanmean(values, axis=0), ["a", "b"]
    )
    whole = tc.protect.Microaggregation(k=3).fit_transform(values)
    np.testing.assert_allclose(masked, whole, rtol=1e-12)
