"""Stata, SPSS and SAS: everything that pyreadstat says of a file is the same after a round trip."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning
from tacit.data.io import read_table
from tacit.data.io.legal_names import legal
from tacit.data.notes import annotate

pyreadstat = pytest.importorskip("pyreadstat")

# what a file says of its columns, in pyreadstat's own words
SAID = (
    "column_names",
    "column_names_to_labels",
    "variable_value_labels",
    "missing_ranges",
    "missing_user_values",
    "variable_measure",
    "original_variable_types",
    "variable_display_width",
    "variable_alignment",
    "readstat_variable_types",
    "variable_storage_width",
    "file_label",
    "notes",
)


def _said(meta: Any) -> dict[str, object]:
    return {word: getattr(meta, word) for word in SAID}


def _spss(path: Path) -> None:
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 9.0, 1.0, np.nan],
            "income": [1200.5, 98.0, 99.0, np.nan, 1e7],
            "score": [-3.0, 4.0, 5.0, 9.0, 1.0],
            "town": ["Zürich", "NA", "Genève", "", "Basel"],
            "born": [dt.date(1970, 1, 2), None, *[dt.date(1980, 5, 6)] * 3],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        file_label="Household survey",
        note=["collected in May", "second line"],
        column_labels={"sex": "Sex of the person", "income": "Income, net"},
        variable_value_labels={
            "sex": {1.0: "male", 2.0: "female", 9.0: "refused"},
            "income": {98.0: "does not know", 99.0: "refused"},
        },
        missing_ranges={
            "sex": [9],
            "income": [{"lo": 97, "hi": 99}, 0],
            "score": [{"lo": float("-inf"), "hi": -1}, 9],
            "town": ["NA"],
        },
        variable_measure={
            "sex": "nominal",
            "income": "scale",
            "score": "ordinal",
            "town": "nominal",
        },
        variable_format={"sex": "F1.0", "income": "DOLLAR12.2", "born": "EDATE10"},
        variable_display_width={"sex": 4, "income": 14},
    )


def _stata(path: Path) -> None:
    frame = pd.DataFrame(
        {
            "sex": pd.Series([1, 2, "a", 1, 2], dtype=object),
            "income": pd.Series([1200.5, "b", "c", np.nan, 1e7], dtype=object),
            "age": np.array([31, 45, 99, 20, 18], dtype=np.int32),
            "town": ["Zürich", "x", "Genève", "", "Basel"],
            "born": [dt.date(1970, 1, 2), None, *[dt.date(1980, 5, 6)] * 3],
        }
    )
    pyreadstat.write_dta(
        frame,
        str(path),
        file_label="Household survey",
        column_labels={"sex": "Sex of the person", "income": "Income, net"},
        variable_value_labels={
            "sex": {1: "male", 2: "female", "a": "refused"},
            "age": {99: "99 and older"},
        },
        missing_user_values={"sex": ["a"], "income": ["b", "c"]},
        variable_format={"income": "%12.2f", "age": "%3.0f", "born": "%tdD_m_Y"},
    )


WRITERS = {"sav": (_spss, pyreadstat.read_sav), "dta": (_stata, pyreadstat.read_dta)}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_round_trip_is_equal_by_pyreadstat(tmp_path: Path, ending: str) -> None:
    make, read = WRITERS[ending]
    path, out = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    make(path)
    tc.write(tc.read(path), out)
    before, said_before = read(str(path), user_missing=True)
    after, said_after = read(str(out), user_missing=True)
    assert _said(said_after) == _said(said_before)
    pd.testing.assert_frame_equal(after, before)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_user_missing_are_gaps_and_survive_protection(
    tmp_path: Path, ending: str
) -> None:
    make, read = WRITERS[ending]
    path, out = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    make(path)
    data = tc.read(path, quasi=["income"])
    assert np.isnan(data.column("income")).tolist() == [False, True, True, True, False]
    assert data.missing("sex").sum() == (2 if ending == "sav" else 1)
    noise = tc.protect.Noise(percent=1, columns=["income"], random_state=1)
    tc.write(noise.fit_transform(data), out)
    before, said_before = read(str(path), user_missing=True)
    after, said_after = read(str(out), user_missing=True)
    assert _said(said_after) == _said(said_before)
    assert after["income"].tolist()[1:3] == before["income"].tolist()[1:3]
    assert after["income"][0] != before["income"][0]
    # and the same by the program's own reading of gaps
    plain, _ = read(str(out))
    assert plain["income"].isna().tolist() == [False, True, True, True, False]


def test_suppressed_cells_are_system_missing(tmp_path: Path) -> None:
    path, out = tmp_path / "a.sav", tmp_path / "b.sav"
    _spss(path)
    data = tc.read(path)
    values = data.numbers(["sex"])
    values[0] = np.nan
    tc.write(data.with_numbers(["sex"], values), out)
    after, _ = pyreadstat.read_sav(str(out), user_missing=True)
    assert np.isnan(after["sex"][0])
    assert after["sex"][2] == 9


def test_a_schema_gives_labels_and_codes_to_a_file_that_had_none(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.sav"
    path.write_text("sex,income\n1,10\n2,99\n1,30\n9,40\n")
    schema = tc.Schema.from_toml(
        """
        [columns.sex]
        missing = [9]
        label = "Sex of the person"
        level = "nominal"
        labels = {1 = "male", 2 = "female", 9 = "refused"}
        [columns.income]
        missing = [[97, 99]]
        """
    )
    tc.write(tc.read(path, schema), out)
    _, said = pyreadstat.read_sav(str(out), user_missing=True)
    assert said.missing_ranges["income"] == [{"lo": 97.0, "hi": 99.0}]
    assert said.variable_value_labels["sex"][9.0] == "refused"
    assert said.column_names_to_labels["sex"] == "Sex of the person"
    assert said.variable_measure["sex"] == "nominal"


def test_intervals_in_place_of_numbers_are_text(tmp_path: Path) -> None:
    path, out = tmp_path / "a.dta", tmp_path / "b.dta"
    _stata(path)
    data = tc.read(path)
    masked = data.with_column("age", ["30-", "40+", "40+", "30-", "30-"])
    tc.write(masked, out)
    after, said = pyreadstat.read_dta(str(out))
    assert after["age"].tolist() == ["30-", "40+", "40+", "30-", "30-"]
    assert "age" not in said.variable_value_labels


def test_gaps_among_codes_and_whole_numbers_stay_gaps(tmp_path: Path) -> None:
    # pyreadstat writes None among integers as 0
    path, out = tmp_path / "a.dta", tmp_path / "b.dta"
    _stata(path)
    data = tc.read(path)
    values = data.numbers(["sex"])
    values[0] = np.nan
    tc.write(data.with_numbers(["sex"], values), out)
    after, _ = pyreadstat.read_dta(str(out), user_missing=True)
    assert after["sex"].isna().tolist() == [True, False, False, False, False]
    assert after["sex"][2] == "a"


@pytest.mark.parametrize("ending", ["dta", "sav", "zsav", "por", "xpt"])
def test_no_file_tells_when_it_was_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    tc.write(pa.table({"X": [1.0, 2.0], "S": ["a", "b"]}), path)
    _, said = {
        "dta": pyreadstat.read_dta,
        "por": pyreadstat.read_por,
        "xpt": pyreadstat.read_xport,
    }.get(ending, pyreadstat.read_sav)(str(path))
    assert said.creation_time.year in (1980, 2080)
    assert tc.read(path).table.column("X").to_pylist() == [1.0, 2.0]
    # the year of the clock stands nowhere in the file
    header = path.read_bytes()[:2000]
    assert str(dt.date.today().year).encode() not in header


def test_names_are_made_legal_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.dta"
    table = pa.table({"net income": [1.0], "net_income": [2.0], "if": [3.0]})
    with pytest.warns(TacitWarning, match="'net income' is 'net_income_2'"):
        tc.write(table, path)
    assert tc.read(path).names == ["net_income_2", "net_income", "if_"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tc.write(pa.table({"age": [1.0]}), tmp_path / "b.dta")


@pytest.mark.parametrize("ending", [".dta", ".sav", ".por", ".xpt"])
def test_all_odd_names_can_be_written(tmp_path: Path, ending: str) -> None:
    odd = ["a b", "1a", "x" * 70, "x" * 71, "ALL", "é", "a", "A", "if", "x.", "_x"]
    odd += ["$x", "", "ß", "名前", "str12", "a-b", "a.b", "_N", "#1", "x\n"]
    names = legal(odd, ending)
    assert len(set(names.values())) == len(odd)
    path = tmp_path / f"a{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        tc.write(pa.table({name: [1.0, 2.0] for name in odd}), path)
    assert tc.read(path).names == list(names.values())


def test_numbers_that_no_double_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tc.TacitError, match="'id', row 2"):
        tc.write(pa.table({"id": [1, 2**53 + 1]}), tmp_path / "a.sav")
    assert not (tmp_path / "a.sav").exists()


def test_more_codes_than_spss_defines_are_told(tmp_path: Path) -> None:
    schema = tc.Schema.from_toml("[columns.x]\nmissing = [1, 2, 3, 4]\n")
    data = tc.Microdata.of(pa.table({"x": [1, 2, 3, 4, 5, 60]}), schema)
    with pytest.warns(TacitWarning, match="at most three"):
        tc.write(data, tmp_path / "a.sav")
    after, _ = pyreadstat.read_sav(str(tmp_path / "a.sav"))
    assert after["x"].tolist() == [1, 2, 3, 4, 5, 60]


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    _spss(path)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(tc.TacitError, match="cannot be read"):
        tc.read(path)


def test_long_notes_and_labels_are_made_to_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    label = "x" * 90
    words = "word " * 60
    pyreadstat.write_sav(
        pd.DataFrame({"x": [1.0, 2.0]}), str(path), column_labels={"x": label}
    )
    table = annotate(read_table(path), file={"label": "", "notes": [words, "é" * 90]})
    tc.write(table, tmp_path / "b.sav")
    _, said = pyreadstat.read_sav(str(tmp_path / "b.sav"))
    assert " ".join(said.notes[:-5]) == words.strip()
    assert "".join(said.notes[-5:]) == "é" * 90
    with pytest.warns(TacitWarning, match="'x' were cut"):
        tc.write(tc.read(path), tmp_path / "b.dta")
