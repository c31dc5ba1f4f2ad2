"""What a spreadsheet would run is text in what we write, and itself again when we read it."""

from __future__ import annotations

import csv as plain_csv
import io as plain_io
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data import io
from tacit.data.io import formulas
from tacit.stream.released import Release
from tacit.stream.sources.sinks import CsvSink
from tacit.stream.sources.text import csv_records

RUN = ["=1+1", "@SUM(A1)", "-a", "+cmd|' /C calc'!A0", "\t=1", "-5-3", "- x", "＝1"]
HARMLESS = ["-5", "+41 1", "-", "-1.5e-7", "-1,5", "O'Neill", "a=b", "(-5, 3]", ""]
# texts of the signs that matter, so that odd ones are met often
texts = st.text(st.sampled_from("'=@+-59., eE\t\nxé＝"), max_size=8)


def test_what_is_run_and_what_is_not() -> None:
    assert all(map(formulas.is_formula, RUN))
    assert not any(map(formulas.is_formula, HARMLESS))


@given(texts)
def test_every_text_comes_back(text: str) -> None:
    written = formulas.safe(text)
    assert formulas.plain(written) == text
    assert not formulas.is_formula(written) or written.startswith("'")


@given(st.lists(texts, min_size=1, max_size=20))
def test_tables_are_as_single_texts(cells: list[str]) -> None:
    """Arrow's expressions against Python's, one cell at a time; gaps are gaps."""
    table = pa.table({"=a": [*cells, None], "b": range(len(cells) + 1)})
    safe = formulas.safe_table(table)
    assert safe.column_names == ["'=a", "b"]
    assert safe.column(0).to_pylist() == [*map(formulas.safe, cells), None]
    assert formulas.count(table) == sum(map(formulas.is_formula, cells))
    again = formulas.plain_table(safe)
    assert again.equals(table)


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
def test_files_of_text(tmp_path: Path, ending: str) -> None:
    cells = [*RUN, *HARMLESS[:-1], "'=1", "''=1", "'tis"]
    numbers = [-float(i) for i in range(len(cells))]
    table = pa.table({"=cmd": cells, "-5": numbers, "'@x": cells})
    safe, raw = tmp_path / f"safe.{ending}", tmp_path / f"raw.{ending}"
    tc.write(table, safe)
    delimiter = "\t" if ending == "tsv" else ","
    # as a spreadsheet reads it
    opened = safe.read_text(encoding="utf-8")
    rows = list(plain_csv.reader(plain_io.StringIO(opened), delimiter=delimiter))
    assert not any(
        formulas.is_formula(row[0].lstrip("'")) and row[0][0] != "'" for row in rows
    )
    assert rows[0] == ["'=cmd", "-5", "''@x"]
    # numbers are as they were
    assert [float(row[1]) for row in rows[1:]] == numbers
    back = io.read_table(safe)
    assert back.column_names == table.column_names
    assert back.to_pydict() == table.to_pydict()
    tc.write(table, raw, safe_formulas=False)
    assert '\n"=1+1"' in raw.read_text(encoding="utf-8")


def test_categories_are_covered(tmp_path: Path) -> None:
    column = pa.array(["=1", "x", None]).dictionary_encode()
    tc.write(pa.table({"a": column, "b": [1, 2, 3]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,b\n'=1,1\nx,2\n,3\n"


def test_excel_keeps_text_as_text(tmp_path: Path) -> None:
    """No formula in the sheet, and cells keep being text when somebody edits them."""
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    table = pa.table({"=cmd": ["=1+1", "x", "-5"], "y": [-1, 2, 3]})
    path = tmp_path / "a.xlsx"
    tc.write(table, path)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        styles = archive.read("xl/styles.xml").decode()
    assert "<f>" not in sheet
    assert styles.count('quotePrefix="1"') == 2
    assert io.read_table(path).to_pydict() == table.to_pydict()


def test_other_formats_hold_what_they_were_given(tmp_path: Path) -> None:
    table = pa.table({"=cmd": ["=1+1", "x"], "y": [-1, 2]})
    for ending in ("parquet", "feather"):
        tc.write(table, tmp_path / f"a.{ending}")
        assert io.read_table(tmp_path / f"a.{ending}").to_pydict() == table.to_pydict()


def test_streams() -> None:
    """Text of a kept column is not run, and a stream that reads a release takes the sign off."""
    record: dict[str, object] = {"=x": "=1+1", "y": -5.5, "z": "O'Neill", "w": "'=1"}
    for safe, expected in (
        (True, "'=x,y,z,w\n'=1+1,-5.5,O'Neill,''=1\n"),
        (False, "=x,y,z,w\n=1+1,-5.5,O'Neill,'=1\n"),
    ):
        out = plain_io.StringIO()
        CsvSink(out, safe_formulas=safe).write([Release(record, 0, 0, 0, 1)])
        assert out.getvalue() == expected
    out = plain_io.StringIO()
    CsvSink(out).write([Release(record, 0, 0, 0, 1)])
    (again,) = csv_records(out.getvalue().splitlines())
    assert again == record
