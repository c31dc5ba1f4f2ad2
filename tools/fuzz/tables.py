"""Odd tables: every type of column that a file can hold, and names that no format likes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

Rng: TypeAlias = np.random.Generator
Maker: TypeAlias = Callable[[Rng, int], pa.Array]

NAMES = [
    "age",
    "income",
    "town",
    "sex",
    "region",
    "hours",
    "id",
    "weight",
    "date",
    "x1",
]
ODD_NAMES = [
    "net income", "2nd", "=cmd", "-a", "'=q", "a,b", 'a"b', "a;b", "a\nb", "a\tb", "[red]", "[/x]",
    "if", "_all", "ALL", "with", "é", "年齢", "🙂", "\u202eevil", "n" * 300, "a.b", "a'b", "A", "a",
    " lead", "trail ", "_index", "k", "method", "None", "nan", "1", "%x", "{a}", "?", "\\", "a b c",
    "select", "a/b", "..", "#", "@x", "str5", "long", "ÄÖÜ", "e\u0301", "\u00e9", "<b>x</b>", "",
]  # fmt: skip
ODD_TEXT = [
    "=1+1", "@SUM(A1)", "'=1", "-a", "-5", "NA", "nan", "null", "", " ", " pad ", 'say "x"', "a,b",
    "a;b", "a\tb", "a\nb", "a\r\nb", "é", "🙂", "\u202e", "007", "1.0", "1e5", "true", "2020-01-01",
    "12:30", "[red]", "<script>", "%", "?", "'", '"', "\\", "{x}", "x" * 300, "\x0b", "1,5", "inf",
    "01/02/2020", "\u00a0", "\ufeff",
]  # fmt: skip


def whole(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.integers(0, 90, n))


def few(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.integers(0, 3, n))


def numbers(rng: Rng, n: int) -> pa.Array:
    return pa.array(np.round(rng.normal(3000, 500, n), int(rng.integers(0, 4))))


def digits(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.normal(0, 1, n))


def gaps(rng: Rng, n: int) -> pa.Array:
    values = rng.normal(50, 9, n)
    return pa.array(values, mask=rng.random(n) < rng.choice([0.1, 0.5, 0.95]))


def not_numbers(rng: Rng, n: int) -> pa.Array:
    values = rng.normal(50, 9, n)
    values[rng.random(n) < 0.3] = np.nan
    return pa.array(values)


def infinite(rng: Rng, n: int) -> pa.Array:
    values = rng.normal(50, 9, n)
    values[rng.random(n) < 0.2] = rng.choice([np.inf, -np.inf])
    return pa.array(values)


def extreme(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.choice([1e308, -1e308, 1e-308, 5e-324, 0.0, -0.0, 1.0], n))


def huge_whole(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.choice([2**53 + 1, 2**62, -(2**62), 0, 1], n))


def unsigned(rng: Rng, n: int) -> pa.Array:
    values = rng.integers(0, 5, n).astype(np.uint64)
    return pa.array(values + np.uint64(2**63 if rng.random() < 0.3 else 0))


def small_types(rng: Rng, n: int) -> pa.Array:
    kind = rng.choice(["int8", "int16", "uint8", "float32", "float16"])
    return pa.array(rng.integers(0, 100, n).astype(str(kind)))


def towns(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.choice(["Oslo", "Bonn", "Łódź", "Ny"], n).tolist())


def odd_text(rng: Rng, n: int) -> pa.Array:
    chosen = rng.integers(len(ODD_TEXT), size=int(rng.integers(1, 6)))
    values = [ODD_TEXT[i] for i in rng.choice(chosen, n)]
    return pa.array([None if rng.random() < 0.1 else v for v in values], pa.string())


def long_text(rng: Rng, n: int) -> pa.Array:
    size = int(rng.choice([1000, 40_000, 200_000]))
    return pa.array([("word " * size)[:size] if i == n // 2 else "w" for i in range(n)])


def own_text(rng: Rng, n: int) -> pa.Array:
    return pa.array([f"P{i:05d}" for i in rng.permutation(n)])


def own_number(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.permutation(n) + 10_000)


def codes(rng: Rng, n: int) -> pa.Array:
    return pa.array([f"{i:04d}" for i in rng.integers(0, 30, n)])


def categories(rng: Rng, n: int) -> pa.Array:
    return towns(rng, n).dictionary_encode()


def large_strings(rng: Rng, n: int) -> pa.Array:
    return towns(rng, n).cast(pa.large_string())


def booleans(rng: Rng, n: int) -> pa.Array:
    return pa.array(rng.random(n) < 0.5)


def nothing(rng: Rng, n: int) -> pa.Array:
    return pa.nulls(n) if rng.random() < 0.5 else pa.nulls(n, pa.float64())


def constant(rng: Rng, n: int) -> pa.Array:
    return pa.array([7.5] * n)


def days(rng: Rng, n: int) -> pa.Array:
    first = dt.date(1800 if rng.random() < 0.2 else 1970, 1, 1)
    return pa.array([first + dt.timedelta(int(d)) for d in rng.integers(0, 20_000, n)])


def moments(rng: Rng, n: int) -> pa.Array:
    unit = str(rng.choice(["s", "ms", "us", "ns"]))
    zone = "Europe/Oslo" if rng.random() < 0.3 else None
    seconds = pa.array(rng.integers(0, 10**9, n), pa.int64())
    return seconds.cast(pa.timestamp("s")).cast(pa.timestamp(unit, zone))


def times(rng: Rng, n: int) -> pa.Array:
    return pa.array([dt.time(int(h), 30) for h in rng.integers(0, 24, n)])


def spans(rng: Rng, n: int) -> pa.Array:
    return pa.array([dt.timedelta(int(h)) for h in rng.integers(0, 24, n)])


def written_days(rng: Rng, n: int) -> pa.Array:
    form = str(rng.choice(["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d", "%d %b %Y"]))
    values: list[dt.date] = days(rng, n).to_pylist()
    return pa.array([day.strftime(form) for day in values], pa.string())


def decimals(rng: Rng, n: int) -> pa.Array:
    values = [Decimal(int(v)) / 100 for v in rng.integers(0, 9999, n)]
    return pa.array(values, pa.decimal128(12, 2))


def lists(rng: Rng, n: int) -> pa.Array:
    return pa.array([[1, 2]] * n, pa.list_(pa.int64()))


def structures(rng: Rng, n: int) -> pa.Array:
    return pa.array([{"a": 1}] * n, pa.struct([("a", pa.int64())]))


def raw_bytes(rng: Rng, n: int) -> pa.Array:
    return pa.array([b"\x00\xff"] * n, pa.binary())


def arrow_types(rng: Rng, n: int) -> pa.Array:
    """Types that newer writers use, or nobody."""
    words = ["a", "longer than twelve bytes", None]
    some = [words[i % 3] for i in range(n)]
    whole = rng.integers(-9, 9, n)
    makers: list[Callable[[], pa.Array]] = [
        lambda: pa.array(some, pa.string_view()),
        lambda: pa.array([b"x", None] * n, pa.binary_view())[:n],
        lambda: pa.array([bytes(16)] * n, pa.uuid()),
        lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array(whole, pa.int8())),
        lambda: pa.array(['{"a": 1}'] * n, pa.json_()),
        lambda: pa.array([Decimal(1) / 4] * n, pa.decimal32(5, 2)),
        lambda: pa.array([Decimal(1) / 4] * n, pa.decimal64(12, 2)),
        lambda: pa.array([Decimal(10) ** 60] * n, pa.decimal256(70, 3)),
        lambda: pa.array([Decimal(100)] * n, pa.decimal128(5, -2)),
        lambda: pa.array([(1, 2, 3)] * n, pa.month_day_nano_interval()),
        lambda: pa.array([b"abcd"] * n, pa.binary(4)),
        lambda: pa.array([[1]] * n, pa.list_view(pa.int8())),
        lambda: pa.array([[1, 2]] * n, pa.list_(pa.int8(), 2)),
        lambda: pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int8())),
        lambda: pa.UnionArray.from_sparse(
            pa.array([0] * n, pa.int8()), [pa.array([1] * n), pa.array(["a"] * n)]
        ),
        lambda: pa.array([1.5] * n, pa.run_end_encoded(pa.int32(), pa.float64())),
        lambda: (
            pa.array(some)
            .dictionary_encode()
            .cast(pa.dictionary(pa.int8(), pa.string()))
        ),
        lambda: pa.DictionaryArray.from_arrays(
            pa.array([0] * n, pa.int32()), pa.array([None, 1])
        ),
        lambda: pa.array(np.full(n, 2**40), pa.int64()).cast(pa.timestamp("s")),
        lambda: pa.array([3_000_000] * n, pa.int32()).cast(pa.date32()),
        lambda: pa.array(np.full(n, -(10**17)), pa.int64()).cast(pa.timestamp("ms")),
        lambda: pa.array(np.full(n, 10**9), pa.int64()).cast(
            pa.timestamp("s", "No/Where")
        ),
        lambda: pa.array(np.full(n, 10**9), pa.int64()).cast(
            pa.timestamp("s", "+25:00")
        ),
        lambda: pa.array(np.full(n, 2**62), pa.int64()).cast(pa.duration("s")),
        lambda: pa.array(np.full(n, 86_399_999_999_999), pa.int64()).cast(
            pa.time64("ns")
        ),
        lambda: pa.array(np.full(n, 86_400_001), pa.int32()).cast(pa.time32("ms")),
        lambda: pa.array(some, pa.large_string()),
        lambda: pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((max(n, 1), 2)))[
            :n
        ],
        lambda: pa.array([[[1]]] * n),
    ]
    return makers[rng.integers(len(makers))]()


def long_numbers(rng: Rng, n: int) -> pa.Array:
    """Numbers beyond what a double holds, as text."""
    kind = rng.integers(4)
    if kind == 0:
        return pa.array([str(2**63 + i) for i in range(n)])
    if kind == 1:
        return pa.array([f"0.{i:040d}" for i in range(n)])
    if kind == 2:
        return pa.array(["1e400", "-1e400", "1", "2.5"] * n)[:n]
    return pa.array(
        ["1" + "0" * int(rng.choice([20, 300, 5000])) + str(i) for i in range(n)]
    )


USUAL: list[Maker] = [
    whole,
    few,
    numbers,
    digits,
    gaps,
    towns,
    categories,
    booleans,
    days,
]
ODD: list[Maker] = [
    not_numbers, infinite, extreme, huge_whole, unsigned, small_types, odd_text, long_text,
    own_text, own_number, codes, large_strings, nothing, constant, moments, times, spans,
    written_days, decimals, lists, structures, raw_bytes, arrow_types, arrow_types, arrow_types,
    long_numbers, long_numbers,
]  # fmt: skip


def table(
    rng: Rng, *, oddity: float, wide: bool = False, rows: int | None = None
) -> pa.Table:
    """A table of which a share ``oddity`` of the columns and names is odd."""
    n = int(
        rng.choice([1, 2, 3, 6, 12, 24, 40], p=[0.04, 0.04, 0.05, 0.1, 0.22, 0.3, 0.25])
    )
    if rng.random() < oddity / 10:
        n = 0
    n = n if rows is None else rows
    width = int(rng.integers(25, 200)) if wide else int(rng.integers(1, 7))
    names: list[str] = []
    columns: list[Any] = []
    order = rng.permutation(len(NAMES))
    for j in range(width):
        name = NAMES[order[j]] if j < len(NAMES) else f"c{j}"
        if rng.random() < oddity / 2:
            name = ODD_NAMES[rng.integers(len(ODD_NAMES))]
        # a name twice is a case of its own
        if name in names and rng.random() < 0.9:
            name = f"{name}{j}"
        pool = ODD if rng.random() < oddity else USUAL
        names.append(name)
        columns.append(pool[rng.integers(len(pool))](rng, n))
    return pa.Table.from_arrays(columns, names=names)
