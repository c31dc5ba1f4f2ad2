"""Files: every format round-trips; CSV dialects are detected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit as tc
from tacit.data.io import read_table
from tacit.data.notes import note, value_labels


def _table() -> pa.Table:
    return pa.table(
        {
            "age": pa.array([31, 45, None], pa.int64()),
            "income": [1.5, 2.25, 1e-7],
            "town": ["Zürich", 'O\'Hara, "x"', None],
        }
    )


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "parquet", "arrow", "feather", "arff"]
)
def test_round_trip(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    tc.write(_table(), path)
    back = read_table(path)
    assert back.column_names == ["age", "income", "town"]
    assert back.to_pylist() == _table().to_pylist()


@pytest.mark.parametrize(
    ("text", "income"),
    [
        ("age;income\n1;1,5\n2;2,5\n", [1.5, 2.5]),
        ("age\tincome\n1\t1.5\n2\t2.5\n", [1.5, 2.5]),
        ("age|income\n1|1.5\n2|2.5\n", [1.5, 2.5]),
        ('age,income\n1,"1.5"\n2,2.5\n', [1.5, 2.5]),
        ("\ufeffage,income\n1,1.5\n2,NA\n", [1.5, None]),
    ],
)
def test_dialects(tmp_path: Path, text: str, income: list[float | None]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    table = read_table(path)
    assert table.column_names == ["age", "income"]
    assert table.column("income").to_pylist() == income


def test_the_dialect_is_written_back(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("age;income\n1;1,5\n2;2,5\n")
    tc.write(tc.read(path), out)
    assert out.read_text() == path.read_text()


def test_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8", "cp1252", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_text("town,x\nZürich,1\nGenève,2\n", encoding=encoding)
        assert read_table(path).column("town").to_pylist() == ["Zürich", "Genève"]
    assert note(read_table(tmp_path / "cp1252.csv"), "dialect")["encoding"] == "cp1252"


def test_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("zip,x\n01234,1\n99999,2\n")
    assert read_table(path).column("zip").to_pylist() == ["01234", "99999"]


def test_a_type_that_changes_far_down_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("a,b\n")
        for _ in range(300_000):
            file.write("1,22\n")
        file.write("1.5,x\n")
    table = read_table(path)
    assert table.column("a")[-1].as_py() == 1.5
    assert table.column("b")[-1].as_py() == "x"


def test_line_breaks_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"two\nlines"\n2,x\n')
    assert read_table(path).column("b").to_pylist() == ["two\nlines", "x"]


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_value_labels_are_kept(tmp_path: Path, ending: str) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    path, out = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    frame = pd.DataFrame({"sex": [1, 2, 1], "income": [1.5, 2.5, np.nan]})
    writer = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
    writer(frame, str(path), variable_value_labels={"sex": {1: "male", 2: "female"}})
    data = tc.read(path)
    assert data.schema["sex"].kind == "nominal"
    tc.write(data, out)
    assert value_labels(read_table(out))["sex"] == {"1": "male", "2": "female"}
    assert read_table(out).column("income").to_pylist()[:2] == [1.5, 2.5]


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("precious")
    with pytest.raises(tc.TacitError, match="--force"):
        tc.write(_table(), path)
    with pytest.raises(tc.TacitError, match="ending"):
        tc.write(_table(), tmp_path / "a.xyz")
    assert path.read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
