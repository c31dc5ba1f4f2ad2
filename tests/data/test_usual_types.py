"""Types that other writers use: read as what they mean, left out, or refused with a sentence."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import InputError, TacitWarning
from tacit.data import io
from tacit.data.io.on_disk import OnDisk

N = 12
BYTES = [uuid.UUID(int=i).bytes for i in range(N)]
SMALL = [Decimal("1.25") * i for i in range(N)]


def extension(name: str, storage: pa.Array) -> pa.Array:
    """pyarrow 17 knows fewer of them."""
    if not hasattr(pa, name):
        pytest.skip(f"this pyarrow has no {name}")
    return pa.ExtensionArray.from_storage(getattr(pa, name)(), storage)


def decimals(name: str, *size: int) -> pa.Array:
    if not hasattr(pa, name):
        pytest.skip(f"this pyarrow has no {name}")
    return pa.array(SMALL, getattr(pa, name)(*size))


READ: dict[str, tuple[Callable[[], pa.Array], list[Any]]] = {
    "views": (
        lambda: pa.array(["a", None] * 6).cast(pa.string_view()),
        ["a", None] * 6,
    ),
    "uuid": (
        lambda: extension("uuid", pa.array(BYTES, pa.binary(16))),
        [str(uuid.UUID(int=i)) for i in range(N)],
    ),
    "bool8": (
        lambda: extension("bool8", pa.array([0, 1, None] * 4, pa.int8())),
        [False, True, None] * 4,
    ),
    "json": (lambda: extension("json_", pa.array(["[1]"] * N)), ["[1]"] * N),
    "decimal32": (lambda: decimals("decimal32", 7, 2), SMALL),
    "decimal64": (lambda: decimals("decimal64", 9, 2), SMALL),
    "no digits behind": (
        lambda: pa.array([Decimal(1200)] * N, pa.decimal128(4, -2)),
        [Decimal(1200)] * N,
    ),
    "runs": (
        lambda: pa.RunEndEncodedArray.from_arrays([10, N], pa.array([1, 2])),
        [1] * 10 + [2] * 2,
    ),
    "a gap in a dictionary": (
        lambda: pa.DictionaryArray.from_arrays([0, 1] * 6, pa.array([None, 7])),
        [None, 7] * 6,
    ),
    "the last day": (lambda: pa.array([dt.date.max, dt.date.min] * 6),
                     [dt.date.max, dt.date.min] * 6),
}  # fmt: skip
REFUSED: dict[str, tuple[Callable[[], pa.Array], str]] = {
    "far future": (
        lambda: pa.array([2**31 - 1] * N, pa.date32()),
        "row 1 lies outside the years",
    ),
    "far past": (
        lambda: pa.array([0, -(2**40)] * 6, pa.timestamp("s")),
        "row 2 lies outside the years",
    ),
    "far span": (
        lambda: pa.array([2**62] * N, pa.duration("s")),
        "row 1 lies outside",
    ),
    "over the edge": (
        lambda: pa.array([dt.datetime(9999, 12, 31, 23)] * N).cast(
            pa.timestamp("us", "America/New_York")
        ),
        "row 1 lies outside the years",
    ),
    "after midnight": (
        lambda: pa.array([86_400_001] * N, pa.int32()).cast(pa.time32("ms")),
        # Parquet files say so themselves
        "row 1 lies outside the day|not within the acceptable range",
    ),
    "offset": (
        lambda: pa.array([0] * N, pa.timestamp("s", "+25:00")),
        r"no time zone '\+25:00'",
    ),
    "zone": (
        lambda: pa.array([0] * N, pa.timestamp("s", "Mars/Olympus")),
        "no time zone 'Mars/Olympus'",
    ),
}


def table(values: pa.Array) -> pa.Table:
    return pa.table({"x": values, "income": np.arange(N) / 4})


def written(folder: Path, values: pa.Array) -> list[Path]:
    """In the formats that hold the type."""
    files = []
    for ending, write in (
        ("parquet", pq.write_table),
        ("arrow", feather.write_feather),
    ):
        path = folder / f"a.{ending}"
        try:
            write(table(values), path)
        except (pa.ArrowException, ValueError, OSError):
            continue
        files.append(path)
    return files


@pytest.mark.parametrize("name", list(READ))
def test_they_are_read_as_what_they_mean(tmp_path: Path, name: str) -> None:
    make, wanted = READ[name]
    values = make()
    for path in written(tmp_path, values):
        data = io.read(path)
        assert data.table["x"].to_pylist() == wanted
        data.categories("x")
        tc.write(data, tmp_path / "out.csv", force=True)
    assert tc.Microdata.of(table(values)).table["x"].to_pylist() == wanted


@pytest.mark.parametrize("name", list(REFUSED))
def test_times_that_no_calendar_has_are_refused_with_a_sentence(
    tmp_path: Path, name: str
) -> None:
    make, why = REFUSED[name]
    for path in written(tmp_path, make()):
        with pytest.raises(InputError, match=why):
            io.read(path)
        if path.suffix == ".parquet":
            with pytest.raises(InputError, match=why):
                OnDisk.open(path, tmp_path)
    with pytest.raises(InputError, match=why):
        tc.Microdata.of(table(make()))


def test_spans_of_months_are_left_out_and_said(tmp_path: Path) -> None:
    values = pa.array([pa.MonthDayNano([i, 2, 3]) for i in range(N)])
    feather.write_feather(table(values), tmp_path / "a.arrow")
    with pytest.warns(TacitWarning, match=r"left out.*x \(spans of months and days\)"):
        assert io.read(tmp_path / "a.arrow").names == ["income"]


def test_a_file_on_the_disk_says_which_type_it_cannot_read(tmp_path: Path) -> None:
    (path, *_) = written(tmp_path, READ["uuid"][0]())
    if path.suffix != ".parquet":
        pytest.skip("this pyarrow writes none to Parquet")
    with pytest.raises(InputError, match=r"type .*, which is read in memory only"):
        OnDisk.open(path, tmp_path)
