"""Files and frames that ask for more room than they need: refused, or read without it."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit as tc
from tacit.base.errors import InputError
from tacit.data import io
from tacit.data.microdata import Microdata
from tacit.protect import covariance

xlsxwriter = pytest.importorskip("xlsxwriter")
ROW = "1048576"


def workbook(path: Path, far: str = "", rows: int = 20, empty: int = 0) -> Path:
    """A sheet of two columns, another one, and one cell or row that stands far from it."""
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("data")
    sheet.write_row(0, 0, ["age", "income"])
    for row in range(1 + empty, rows + 1 + empty):
        sheet.write_row(row, 0, [20 + row, 1000 + row])
    book.add_worksheet("notes").write(5000, 12_000, 1)
    book.close()
    if far:
        with zipfile.ZipFile(path) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        sheet_part = "xl/worksheets/sheet1.xml"
        end = b"</sheetData>"
        parts[sheet_part] = parts[sheet_part].replace(end, far.encode() + end)
        with zipfile.ZipFile(path, "w") as new:
            for name, content in parts.items():
                new.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "far",
    [
        f'<row r="{ROW}"><c r="XFD{ROW}"><v>5</v></c></row>',
        f'<row spans="1:3" r="{ROW}"><c s="1" r="XFD{ROW}"/></row>',
        f'<row r="21"><c r="XFD21"><v>1</v></c></row><row r="{ROW}"><c><v>1</v></c></row>',
    ],
)
def test_a_cell_far_from_the_table_is_refused_before_room_is_made(
    tmp_path: Path, far: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calamine = pytest.importorskip("python_calamine")
    path = workbook(tmp_path / "far.xlsx", far)
    # the reader would make room for 550 GB, and end the process
    monkeypatch.setattr(calamine, "CalamineWorkbook", None)
    with pytest.raises(InputError, match="nearly all of them empty; remove the cells"):
        io.read_table(path)


def test_a_usual_workbook_is_read(tmp_path: Path) -> None:
    """Empty rows between, and a far cell of another sheet, take no room."""
    pytest.importorskip("python_calamine")
    assert io.read_table(workbook(tmp_path / "a.xlsx", rows=50)).num_rows == 50
    assert io.read_table(workbook(tmp_path / "b.xlsx", empty=3000)).num_rows == 3020


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_no_file_of_records(tmp_path: Path) -> None:
    """Reading it would wait for a writer, for ever."""
    for ending in ("csv", "parquet", "xlsx"):
        pipe = tmp_path / f"in.{ending}"
        os.mkfifo(pipe)
        with pytest.raises(InputError, match="is a named pipe"):
            io.read(pipe)


def test_thousands_of_columns_are_changed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One after the other, each change copied the table: 20,000 columns took minutes."""
    made: list[Microdata] = []
    usual = Microdata._made

    def counted(self: Microdata, *rest: object) -> Microdata:
        made.append(self)
        return usual(self, *rest)  # type: ignore[arg-type]

    wide = pa.table({f"c{j}": [1.5, 2.5, 4.0] for j in range(400)})
    data = tc.Microdata.of(wide)
    monkeypatch.setattr(Microdata, "_made", counted)
    masked = data.with_numbers(data.names, np.zeros((3, 400)))
    assert len(made) == 1
    assert masked.names == data.names
    assert masked.table.equals(pa.table({name: [0.0] * 3 for name in data.names}))


def test_a_covariance_that_fills_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(covariance, "MOST_COLUMNS", 3)
    wide = pa.table({f"c{j}": [1.5, 2.5, 4.0, 1.0] for j in range(5)})
    with pytest.raises(InputError, match="covariance of 5 columns takes"):
        tc.protect.Noise(columns=wide.column_names).fit_transform(wide)
