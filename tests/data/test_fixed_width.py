"""Fixed-width files: read and written where the layout says."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import tacit as tc
from tacit.data.io import layout, read_table
from tacit.data.io.layout import Place

LAYOUT = """
[[columns]]
name = "id"
start = 1
width = 3
kind = "code"
[[columns]]
name = "age"
start = 5
width = 2
[[columns]]
name = "income"
start = 8
width = 6
decimals = 2
[[columns]]
name = "town"
start = 15
width = 6
"""
LINES = "001 31 012345 Zürich\n002 -9 000050 Genf\n003 45        Basel\n"


def _file(folder: Path, lines: str = LINES, text: str = LAYOUT) -> Path:
    path = folder / "a.fwf"
    path.write_text(lines, encoding="utf-8")
    (folder / "a.fwf.layout.toml").write_text(text)
    return path


def test_columns_are_read_where_they_stand(tmp_path: Path) -> None:
    table = read_table(_file(tmp_path))
    assert table.to_pydict() == {
        "id": ["001", "002", "003"],
        "age": [31, -9, 45],
        "income": [123.45, 0.5, None],
        "town": ["Zürich", "Genf", "Basel"],
    }


def test_the_same_layout_is_written_with_its_layout(tmp_path: Path) -> None:
    path, out = _file(tmp_path), tmp_path / "b.fwf"
    tc.write(tc.read(path), out)
    assert [
        line.rstrip() for line in out.read_text().splitlines()
    ] == LINES.splitlines()
    again = layout.load(tmp_path / "b.fwf.layout.toml")
    assert [place.start for place in again] == [1, 5, 8, 15]
    assert read_table(out).equals(read_table(path))


def test_a_layout_as_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_text("31 12\n45  7\n")
    (tmp_path / "a.dat.layout.csv").write_text(
        "name,start,width,kind,decimals\nage,1,2,count,\nscore,4,2,,1\n"
    )
    table = read_table(path)
    assert table.to_pydict() == {"age": [31, 45], "score": [1.2, 0.7]}
    assert tc.read(path).schema["age"].kind == "count"


def test_missing_codes_in_a_column_with_implied_decimals(tmp_path: Path) -> None:
    lines = "001 31 012345 Zürich\n002 -9      - Genf\n003 45     50 Basel\n"
    path, out = _file(tmp_path, lines), tmp_path / "b.fwf"
    schema = tc.Schema.from_toml('[columns.income]\nmissing = ["-"]\n')
    data = tc.read(path, schema)
    assert data.table.column("income").to_pylist() == [123.45, None, 0.5]
    masked = data.with_numbers(["income"], data.numbers(["income"]) + 1)
    tc.write(masked, out)
    cells = [line[7:13].strip() for line in out.read_text().splitlines()]
    assert cells == ["12445", "-", "150"]


def test_dropped_columns_leave_their_place_blank(tmp_path: Path) -> None:
    path, out = _file(tmp_path), tmp_path / "b.fwf"
    tc.write(tc.read(path).drop(["id"]), out)
    assert out.read_text().splitlines()[0] == "    31 012345 Zürich"


def test_any_table_can_be_written(tmp_path: Path) -> None:
    out = tmp_path / "b.fwf"
    table = pa.table({"a": [1, 22, None], "b": ["x", "yyy", None], "c": [1.5, None, 2]})
    tc.write(table, out)
    assert read_table(out).to_pydict() == table.to_pydict()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LAYOUT.replace("start = 5", "start = 3"), "'id' and 'age' overlap"),
        (LAYOUT.replace("start = 5", "start = 0"), "'age' must start at 1"),
        (LAYOUT.replace("width = 2\n", "", 1), "width"),
        (LAYOUT.replace('"code"', '"colour"'), "there are: continuous"),
        ("[[columns]]\nname = 'a'\nstart = 1\nwidth = 1\nhue = 1\n", "'hue'"),
        ("nothing", "not a layout"),
    ],
)
def test_a_wrong_layout_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(tc.TacitError, match=says) as caught:
        tc.read(_file(tmp_path, text=text))
    assert "a.fwf.layout.toml" in str(caught.value)


def test_no_layout_and_wide_values(tmp_path: Path) -> None:
    path = tmp_path / "c.fwf"
    path.write_text("1\n")
    with pytest.raises(tc.TacitError, match=r"c\.fwf\.layout\.toml"):
        tc.read(path)
    data = tc.read(_file(tmp_path))
    wide = data.with_column("town", ["Zürich", "Neuchâtel", "x"])
    with pytest.raises(tc.TacitError, match="'town', row 2"):
        tc.write(wide, tmp_path / "d.fwf")
    assert not list(tmp_path.glob("d.fwf*"))


def test_places_are_in_order() -> None:
    places = [Place("b", 3, 2), Place("a", 1, 2)]
    assert layout.checked(Path("x"), places) == places
