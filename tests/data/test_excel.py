"""Excel: numbers, dates, text and gaps come back; text is never a formula."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning
from tacit.data.io import read_table

pytest.importorskip("python_calamine")
xlsxwriter = pytest.importorskip("xlsxwriter")


def _table() -> pa.Table:
    return pa.table(
        {
            "age": pa.array([31, None, 45], pa.int64()),
            "income": [1.5, 1e-7, None],
            "town": ["Zürich", None, "007"],
            "born": [dt.date(1970, 1, 2), None, dt.date(1900, 3, 1)],
            "seen": [dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(2020, 1, 2), None],
            "member": [True, None, False],
        }
    )


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    tc.write(_table(), path)
    assert read_table(path).to_pylist() == _table().to_pylist()


def test_text_is_never_a_formula_or_a_link(tmp_path: Path) -> None:
    cells = ["=1+1", "@SUM(A1)", "+1", "-2+3", "{=1}", "http://a.b", "\t=1", "'x", "1"]
    path = tmp_path / "a.xlsx"
    tc.write(pa.table({"=HYPERLINK(1)": cells}), path)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
    back = read_table(path)
    assert back.column_names == ["=HYPERLINK(1)"]
    assert [cell.strip() for cell in back.column(0).to_pylist()] == [
        cell.strip() for cell in cells
    ]


def test_the_workbook_tells_no_time(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    tc.write(_table(), path)
    with zipfile.ZipFile(path) as archive:
        assert {part.date_time[0] for part in archive.infolist()} == {1980}
        made = archive.read("docProps/core.xml").decode()
    assert "1980-01-01T00:00:00Z" in made
    assert str(dt.date.today().year) not in made


def test_codes_among_numbers_are_missing_codes(tmp_path: Path) -> None:
    path, out = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    for row, value in enumerate(["income", 10, 20.5, "-", 99, None, 30]):
        sheet.write(row, 0, value)
        sheet.write(row, 1, "age" if row == 0 else row)
    book.close()
    schema = tc.Schema.from_toml('[columns.income]\nmissing = ["-", 99]\n')
    data = tc.read(path, schema)
    assert data.table.column("income").to_pylist() == [10, 20.5, None, None, None, 30]
    tc.write(data, out)
    assert read_table(out).column("income").to_pylist() == [
        "10",
        "20.5",
        "-",
        "99",
        None,
        "30",
    ]


def test_old_dates_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    days = [dt.date(1850, 2, 3), None]
    tc.write(pa.table({"d": days, "x": [1, 2]}), path)
    assert read_table(path).column("d").to_pylist() == ["1850-02-03", None]


@pytest.mark.parametrize(
    ("column", "says"),
    [([1, 10**15], "row 2.*digits"), (["a", "x" * 40_000], "row 2.*characters")],
)
def test_what_a_cell_cannot_hold_is_refused(
    tmp_path: Path, column: list[object], says: str
) -> None:
    with pytest.raises(tc.TacitError, match=says):
        tc.write(pa.table({"a": column}), tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_other_sheets_are_told_and_bad_files_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = xlsxwriter.Workbook(str(path))
    for name in ("first", "second"):
        sheet = book.add_worksheet(name)
        sheet.write(0, 0, "x")
        sheet.write(1, 0, 1)
    book.close()
    with pytest.warns(TacitWarning, match="first"):
        assert read_table(path).column("x").to_pylist() == [1]
    path.write_bytes(b"not a workbook")
    with pytest.raises(tc.TacitError, match="not an Excel workbook"):
        tc.read(path)
    book = xlsxwriter.Workbook(str(path))
    book.add_worksheet().write(1, 1, 5)
    book.close()
    with pytest.raises(tc.TacitError, match="no records"):
        tc.read(path)
