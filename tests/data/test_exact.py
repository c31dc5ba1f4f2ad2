"""What is released as it is has the value that it had: no digit is lost, no two numbers become one.

A double keeps about 16 digits. Account numbers have 20, and a file may hold 1e400.
"""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit as tc
from tacit.base.errors import InputError, TacitWarning
from tacit.data import io, units
from tacit.data.column import Role
from tacit.data.exact import is_kept
from tacit.data.io import long_numbers
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata

ENDINGS = ["csv", "tsv", "fwf", "arff", "parquet", "arrow", "xlsx", "dta", "sav", "xpt"]
#: each with a number that no double holds
NUMBERS: dict[str, list[str]] = {
    "of 19 and 20 digits": [
        str(n) for n in (*range(10**19, 10**19 + 9), 2**63 - 1, 2**63)
    ],
    "with a gap": ["", *(str(2**70 + n) for n in range(10))],
    "negative": [str(-(2**63) - n) for n in range(11)],
    "too large": ["1e400", *(f"{n}.5" for n in range(10))],
    "of 40 digits": [f"0.{n}234567890123456789012345678901234567890" for n in range(10)]
    + ["1.5"],
    "of 5,000 digits": ["9" * 5000, *(f"{n}.5" for n in range(10))],
    "too small": ["1e-400", *(f"{n}.5" for n in range(10))],
}


def text(values: Any) -> list[str | None]:
    listed = values.cast(pa.string()).to_pylist()
    return [None if value in (None, "") else value for value in listed]


def meant(value: str | None) -> Decimal | None:
    return None if value is None else Decimal(value)


def source(folder: Path, cells: list[str], ending: str) -> Path:
    """A file as another program writes it."""
    path = folder / f"in.{ending}"
    rows = [(cell, f"{3 * i + 0.5}") for i, cell in enumerate(cells)]
    if ending == "arff":
        lines = ["@relation r", "@attribute n numeric", "@attribute x numeric", "@data"]
        lines += [f"{cell or '?'},{x}" for cell, x in rows]
    elif ending == "fwf":
        width = max(map(len, cells))
        layout = f'[[columns]]\nname = "n"\nstart = 1\nwidth = {width}\n'
        layout += f'[[columns]]\nname = "x"\nstart = {width + 2}\nwidth = 9\n'
        path.with_name("in.fwf.layout.toml").write_text(layout)
        lines = [f"{cell:>{width}} {x:>9}" for cell, x in rows]
    else:
        lines = ["n;x", *(f"{cell};{x}" for cell, x in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", list(NUMBERS))
@pytest.mark.parametrize("ending", ["csv", "fwf", "arff"])
@pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
def test_text_files_keep_every_digit(tmp_path: Path, ending: str, name: str) -> None:
    cells = NUMBERS[name]
    table = io.read_table(source(tmp_path, cells, ending))
    wanted = [cell or None for cell in cells]
    assert text(table["n"]) == wanted
    assert pa.types.is_floating(table["x"].type)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "values",
    [
        pa.array([2**53 + 1, 2**63 - 1, -(2**63), None, 10**15]),
        pa.array([2**64 - 1, 2**63, 0, None, 7], pa.uint64()),
        pa.array([Decimal("12345678901234567890.25"), None, Decimal("0.01")] * 2),
        pa.array(["12345678901234567890", "-98765432109876543210", None, "1e400"]),
    ],
    ids=["int64", "uint64", "decimal", "text"],
)
@pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
def test_every_format_keeps_them_or_refuses(
    tmp_path: Path, ending: str, values: pa.Array
) -> None:
    """Written and read again: the same value, or a sentence that says what is lost."""
    if ending in ("dta", "sav", "xpt"):
        pytest.importorskip("pyreadstat")
    path = tmp_path / f"out.{ending}"
    table = pa.table({"n": values, "x": np.arange(len(values)) + 0.5})
    try:
        tc.write(table, path)
    except InputError as error:
        assert "digits" in str(error)
        return
    back = io.read_table(path)
    assert [meant(v) for v in text(back["n"])] == [meant(v) for v in text(table["n"])]


@pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
def test_two_hundred_accounts_are_two_hundred(tmp_path: Path) -> None:
    accounts = [str(10**19 + n) for n in range(100)] + [
        str(10**18 * 9 + n) for n in range(100)
    ]
    rows = [f"{a},{a[-2:]}.5" for a in accounts for _ in range(2)]
    path = tmp_path / "in.csv"
    path.write_text("account,x\n" + "\n".join(rows) + "\n")
    data = io.read(path, person=["account"])
    assert units.persons(data).number == 200
    assert len(data.categories("account")) == 200
    assert units.persons(OnDisk.open(path, tmp_path, person=["account"])).number == 200


@pytest.mark.parametrize("kind", [pa.int64(), pa.decimal128(20, 0), pa.string()])
def test_a_number_of_nineteen_digits_is_a_name(
    tmp_path: Path, kind: pa.DataType
) -> None:
    values = pa.array([9 * 10**18 + n for n in range(200)]).cast(pa.string()).cast(kind)
    table = pa.table({"reference": values, "x": np.arange(200) / 8})
    column = Microdata.of(table).schema["reference"]
    assert (column.role, column.kind) == (Role.identifier, "nominal")
    io.write(table, tmp_path / "a.parquet")
    assert OnDisk.open(tmp_path / "a.parquet", tmp_path).schema["reference"] == column


def test_who_computes_with_them_is_told_what_is_lost(tmp_path: Path) -> None:
    table = pa.table({"n": [2**53 + 1, 1, 2], "x": [0.1, 0.2, 0.3]})
    with pytest.warns(TacitWarning, match=r"'n' has numbers with more digits"):
        Microdata.of(table, continuous=["n"])
    io.write(table, tmp_path / "a.parquet")
    with pytest.warns(TacitWarning, match=r"'n' has numbers with more digits"):
        OnDisk.open(tmp_path / "a.parquet", tmp_path, continuous=["n"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Microdata.of(pa.table({"n": [2**53, 1, 2]}), continuous=["n"])


def test_a_file_says_which_columns_stay_text(tmp_path: Path) -> None:
    path = source(tmp_path, NUMBERS["of 19 and 20 digits"], "csv")
    with pytest.warns(TacitWarning, match="read as text, so that none is changed: 'n'"):
        in_memory = io.read_table(path)
    with pytest.warns(TacitWarning, match="read as text, so that none is changed: 'n'"):
        on_disk = OnDisk.open(path, tmp_path)
    assert on_disk.disk.schema.types == in_memory.schema.types


def test_doubles_with_all_their_digits_stay_numbers(tmp_path: Path) -> None:
    draws = np.random.default_rng(1).normal(size=50)
    cells = [f"{draw:.20f}" for draw in draws]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = io.read_table(source(tmp_path, cells, "csv"))
    assert table["n"].to_pylist() == draws.tolist()


@pytest.mark.parametrize("text", ["0.1", "1e5", "inf", "nan", "x", "-0.0", f"{2**70}."])
def test_numbers_that_a_double_keeps(text: str) -> None:
    assert is_kept(text) == (text != f"{2**70}.")


def test_the_first_look_sees_every_long_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it lies: across the blocks that are read, too."""
    monkeypatch.setattr(long_numbers, "_BLOCK", 64)
    path = tmp_path / "a.csv"
    for number in ("1234567890123456", "1234567890.1234567", "1e400", "-1E+308"):
        for before in range(0, 130, 7):
            path.write_text("x" * before + "\n" + number + ",1\n" + "y" * 99)
            assert long_numbers.may_be_in(path, ".", "utf8")
    path.write_text("1.2345678901234\n1e40,1234567890,1234567890\nthe10\n" * 9)
    assert not long_numbers.may_be_in(path, ".", "utf8")
