"""Odd frames and odd parameters, as somebody's program may hand them over in Python."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tools.fuzz import tables
from tools.fuzz.tables import Rng

Frame: TypeAlias = Any


def of_table(rng: Rng, n: int) -> Frame:
    """A table of the file fuzzer, in one of the libraries."""
    table = tables.table(rng, oddity=float(rng.choice([0, 0.3])), rows=n)
    kind = rng.integers(4)
    try:
        if kind == 0:
            return table.to_pandas()
        if kind == 1:
            return pl.from_arrow(table)
        if kind == 2:
            return table.to_pydict()
    except Exception:  # what the other library cannot hold
        return table
    return table


def usual(rng: Rng, n: int) -> Frame:
    """What most people hand over."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.normal(3000, 500, n), 2),
            "hours": rng.normal(38, 4, n),
            "town": rng.choice(["Oslo", "Bonn", "Ny"], n),
        }
    )
    kind = rng.integers(3)
    if kind == 0:
        return frame
    return pl.from_pandas(frame) if kind == 1 else pa.Table.from_pandas(frame)


def odd_column(rng: Rng, n: int) -> Frame:
    """A usual pandas frame with one column of an odd type."""
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "x": rng.normal(0, 1, n)})
    makers: list[Callable[[], Any]] = [
        lambda: pd.period_range("2020-01", periods=n, freq="M"),
        lambda: pd.PeriodIndex(["2020Q1"] * n, freq="Q"),
        lambda: pd.IntervalIndex.from_breaks(range(n + 1)),
        lambda: pd.cut(pd.Series(rng.normal(0, 1, n)), [-9, 0, 1, 9]),
        lambda: pd.array(rng.integers(0, 9, n), dtype="Int64"),
        lambda: pd.array([None if i % 3 else True for i in range(n)], dtype="boolean"),
        lambda: pd.array(["a"] * n, dtype="string"),
        lambda: pd.arrays.SparseArray(rng.integers(0, 2, n)),
        lambda: pd.Categorical([1, "a", None, 2.5][i % 4] for i in range(n)),
        lambda: pd.to_timedelta(np.arange(n), unit="h"),
        lambda: pd.date_range("2020-01-01", periods=n, tz="Asia/Kathmandu"),
        lambda: [{"a": i} for i in range(n)],
        lambda: [[i] * (i % 3) for i in range(n)],
        lambda: [(i, "x") for i in range(n)],
        lambda: [{i} for i in range(n)],
        lambda: [Decimal("1e50") * i for i in range(n)],
        lambda: [Decimal(i) / 7 for i in range(n)],
        lambda: [Fraction(i, 3) for i in range(n)],
        lambda: [b"\xff"] * n,
        lambda: [complex(i, 1) for i in range(n)],
        lambda: [object() for _ in range(n)],
        lambda: [len] * n,
        lambda: [10**30 + i for i in range(n)],
        lambda: [2**63 + i for i in range(n)],
        lambda: [dt.date(2020, 1, 1), "x", 3, None][0:1] * n,
        lambda: [[dt.date(2020, 1, 1), "x", 3, None][i % 4] for i in range(n)],
        lambda: [dt.time(i % 24) for i in range(n)],
        lambda: [np.datetime64("NaT")] * n,
        lambda: [pd.NA] * n,
        lambda: [pd.NaT] * n,
        lambda: [float("inf") * (-1) ** i for i in range(n)],
        lambda: [np.array([1, 2])] * n,
        lambda: [pd.Timestamp("1700-01-01")] * n,
        lambda: [np.str_("a")] * n,
        lambda: pd.Series(["\ud800"] * n, dtype=object),
        lambda: [pd.Series([1])] * n,
        lambda: rng.normal(0, 1, n).astype(np.longdouble),
        lambda: rng.normal(0, 1, n).astype(np.float16),
        lambda: np.array(["2020-01-01"] * n, "datetime64[D]"),
        lambda: [True, None, 1.5][0:1] * n,
    ]
    frame["odd"] = makers[rng.integers(len(makers))]()
    return frame


def odd_labels(rng: Rng, n: int) -> Frame:
    """A pandas frame whose columns or rows have odd names."""
    frame = pd.DataFrame(rng.normal(0, 1, (n, 3)), columns=["a", "b", "c"])
    kind = rng.integers(10)
    if kind == 0:
        frame.columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    elif kind == 1:
        frame.columns = pd.Index([("a", 1), ("a", 2), ("b", 1)], tupleize_cols=False)
    elif kind == 2:
        frame.columns = [None, float("nan"), 3]
    elif kind == 3:
        frame.columns = ["a", "a", "b"]
    elif kind == 4:
        frame.columns = [1, "1", 2]
    elif kind == 5:
        frame.columns = [dt.date(2020, 1, 1), b"x", 2.5]
    elif kind == 6:
        frame.index = pd.Index([7] * n)
    elif kind == 7:
        frame = frame.set_index(["a", "b"])
    elif kind == 8:
        frame.columns = pd.Index(["\ud800", "", "\x00"], dtype=object)
    else:
        frame.columns = pd.interval_range(0, 3)
    return frame


def array(rng: Rng, n: int) -> Frame:
    """Arrays of numpy in every shape and type."""
    makers: list[Callable[[], Any]] = [
        lambda: rng.normal(0, 1, (n, 3)),
        lambda: rng.integers(0, 9, (n, 2)),
        lambda: rng.normal(0, 1, n),
        lambda: rng.normal(0, 1, (n, 2, 2)),
        lambda: np.array(5.0),
        lambda: np.matrix(rng.normal(0, 1, (n, 2))),
        lambda: np.ma.masked_array(rng.normal(0, 1, (n, 2)), rng.random((n, 2)) < 0.3),
        lambda: np.asfortranarray(rng.normal(0, 1, (n, 2))),
        lambda: rng.normal(0, 1, (n, 2)).astype(">f8"),
        lambda: rng.normal(0, 1, (n, 2)).astype(np.longdouble),
        lambda: rng.normal(0, 1, (n, 2)) + 1j,
        lambda: np.array([["a", "b"]] * n),
        lambda: np.array([[1, "b"]] * n, dtype=object),
        lambda: np.array([[None, 2.0]] * n, dtype=object),
        lambda: np.zeros(n, dtype=[("a", "f8"), ("b", "i4")]),
        lambda: np.rec.array([(1.0, 2)] * max(n, 1), dtype=[("a", "f8"), ("b", "i4")]),
        lambda: np.full((n, 2), np.nan),
        lambda: np.full((n, 2), np.inf),
        lambda: np.full((n, 2), 1e308),
        lambda: np.zeros((n, 2), bool),
        lambda: np.zeros((n, 0)),
        lambda: np.zeros((0, 3)),
        lambda: np.zeros((n, 2), "datetime64[D]"),
        lambda: np.zeros((n, 2), "timedelta64[s]"),
        lambda: np.full((n, 2), 2**64 - 1, np.uint64),
        lambda: np.broadcast_to(np.arange(2.0), (n, 2)),
        lambda: np.zeros((n, 2), "V4"),
    ]
    return makers[rng.integers(len(makers))]()


def plain(rng: Rng, n: int) -> Frame:
    """Lists, dicts, and what is no table at all."""
    makers: list[Callable[[], Any]] = [
        lambda: {"a": list(range(n)), "b": ["x", "y"] * n},
        lambda: {"a": list(range(n)), "b": list(range(n))},
        lambda: {"a": np.arange(n), "b": np.zeros((n, 2))},
        lambda: {"a": [1, "x", None]},
        lambda: {"a": 5},
        lambda: {"a": "text"},
        lambda: {1: [1.0] * n, (2, 3): [2.0] * n},
        lambda: {"a": [[1], [2, 3]]},
        lambda: {"a": [{"b": 1}] * n},
        lambda: {"a": (i for i in range(n))},
        lambda: {"a": {1, 2, 3}},
        lambda: {"a": range(n)},
        lambda: {"a": None},
        lambda: {"a": []},
        dict,
        lambda: OrderedDict(a=[1.0] * n),
        lambda: {"a": pd.Series(range(n)), "b": pl.Series(range(n))},
        lambda: {"a": [10**30] * n},
        lambda: {"a": [dt.datetime(1, 1, 1)] * n},
        lambda: [[1, 2], [3]],
        lambda: [[1, 2]] * n,
        lambda: [(1, "x")] * n,
        lambda: [{"a": 1, "b": 2}] * n,
        lambda: [{"a": 1}, {"b": 2}],
        list,
        lambda: [[]],
        lambda: [[None, None]] * n,
        lambda: list(range(n)),
        lambda: "text",
        lambda: b"bytes",
        lambda: 5,
        lambda: None,
        lambda: object(),
        lambda: len,
        lambda: pd.Series(range(n)),
        lambda: pd.Index(range(n)),
        lambda: pl.Series(range(n)),
        lambda: (row for row in [[1, 2]] * n),
        lambda: pd.DataFrame(),
        lambda: pd.DataFrame({"a": []}),
        lambda: pd.DataFrame({"a": pd.Series([], dtype=float), "b": []}),
        lambda: pd.DataFrame(index=range(n)),
        lambda: pl.DataFrame(),
        lambda: pl.DataFrame({"a": []}),
        lambda: pa.table({}),
        lambda: pa.table({"a": pa.array([], pa.float64())}),
        lambda: pa.array([1, 2]),
        lambda: pa.record_batch({"a": [1.0] * n}),
        lambda: pd.DataFrame({"a": [1.0] * n}).groupby("a"),
        lambda: pd.DataFrame,
    ]
    return makers[rng.integers(len(makers))]()


def of_polars(rng: Rng, n: int) -> Frame:
    """Types that polars alone has."""
    frame = pl.DataFrame({"age": rng.integers(18, 90, n), "x": rng.normal(0, 1, n)})
    makers: list[Callable[[], pl.Series]] = [
        lambda: pl.Series([[1, 2]] * n),
        lambda: pl.Series([{"a": 1}] * n),
        lambda: pl.Series([object()] * n, dtype=pl.Object),
        lambda: pl.Series(["a"] * n, dtype=pl.Enum(["a", "b"])),
        lambda: pl.Series(["a"] * n, dtype=pl.Categorical),
        lambda: pl.Series([Decimal("1.5")] * n),
        lambda: pl.Series([b"x"] * n),
        lambda: pl.Series([dt.timedelta(1)] * n),
        lambda: pl.Series([dt.time(1)] * n),
        lambda: pl.Series([None] * n),
        lambda: pl.Series([2**64 - 1] * n, dtype=pl.UInt64),
        lambda: pl.Series([2**100] * n, dtype=pl.Int128),
        lambda: pl.Series([[1, 2]] * n, dtype=pl.Array(pl.Int64, 2)),
        lambda: pl.Series([dt.datetime(2020, 1, 1)] * n, dtype=pl.Datetime("ns")),
        lambda: pl.Series([float("inf")] * n),
        lambda: pl.Series([True, None] * n)[:n],
    ]
    odd = makers[rng.integers(len(makers))]().alias("odd")
    return frame.with_columns(odd)


def of_arrow(rng: Rng, n: int) -> Frame:
    """Types that Arrow alone has."""
    return tables.table(rng, oddity=1.0, rows=n)


MAKERS: dict[Callable[[Rng, int], Frame], float] = {
    usual: 0.18, of_table: 0.14, odd_column: 0.2, odd_labels: 0.1, array: 0.12, plain: 0.12,
    of_polars: 0.07, of_arrow: 0.07,
}  # fmt: skip


def frame(rng: Rng) -> Frame:
    """A frame, or what is none."""
    makers = list(MAKERS)
    n = int(rng.choice([0, 1, 2, 3, 8, 24], p=[0.06, 0.06, 0.06, 0.12, 0.3, 0.4]))
    return makers[rng.choice(len(makers), p=list(MAKERS.values()))](rng, n)


VALUES: list[Any] = [
    np.int64(3), np.int32(2), np.uint8(5), np.float32(2.5), np.float64(0.5), np.bool_(True),
    np.str_("age"), np.array(3), np.array([3]), np.array([1, 2]), np.array([]), 3, 2, 1, 0, -1,
    2.5, 0.5, 3.0, 10**30, -(10**30), float("nan"), float("inf"), -float("inf"), "3", "abc", "",
    b"x", None, True, False, Decimal("2.5"), Fraction(1, 2), 1j, [], [1, 2], [[1, 2], [3]], (),
    (1, 2), {}, {"age": 5}, {"age": [0, 100]}, {"age": (0, 100), "x": (-9, 9)}, {1: 2}, {1, 2},
    {"age": float("nan")}, {"nobody": 3}, ["age"], ["age", "age"], ["nobody"], [None], ["a", 1],
    "age", ("age",), pd.NA, pd.NaT, pd.Series([1]), pd.Timestamp("2020-01-01"), dt.date(2020, 1, 1),
    pd.DataFrame({"a": [1]}), object(), len, int, range(3), iter([1]), "\ud800", "x" * 3000,
    list(range(2000)), {"*": 1}, "random", "mean", 1e300, 5e-324, slice(1), ..., NotImplemented,
]  # fmt: skip
