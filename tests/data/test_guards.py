"""Files are their owner's, whole or not there, and say the same when they are read again."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import InputError
from tacit.data.io import excel, read_table, replacing
from tacit.data.missing import Missing
from tacit.data.pair import Pair


@pytest.fixture
def mask_022():
    """The usual umask, whatever that of the machine is."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_modes_of_public_and_private_files(tmp_path: Path, mask_022: None) -> None:
    for private, wanted in ((False, 0o644), (True, 0o600)):
        path = tmp_path / f"{private}.txt"
        with replacing(path, private=private) as temporary:
            assert mode(temporary) == 0o600
            temporary.write_text("text")
        assert mode(path) == wanted


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with replacing(tmp_path / "a.txt") as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,a\n1,2,3\n")
    with pytest.raises(InputError, match="two columns are named 'a'"):
        read_table(path)


def test_text_in_quotes_is_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('country,x\n"NA",1\nNA,2\nDE,3\n')
    assert read_table(path)["country"].to_pylist() == ["NA", None, "DE"]


def test_a_name_in_a_workbook_is_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    tc.write(tc.Microdata.of({"=1+1": ["x", "y"], "b": ["u", "v"]}), path)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert read_table(path).column_names == ["=1+1", "b"]


def test_a_workbook_that_unpacks_to_more_than_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.xlsx"
    tc.write(tc.Microdata.of({"a": ["x", "y"]}), path)
    monkeypatch.setattr(excel, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="unpacks to"):
        read_table(path)


def test_a_number_that_falls_on_a_range_of_codes_goes_to_its_nearer_side() -> None:
    missing = Missing(ranges=((90.0, 99.0),))
    known = np.array([1.0, 50.0, 120.0])
    moved = missing.avoided(np.array([91.0, 98.0, 50.0]), known)
    assert moved.tolist() == [89.0, 100.0, 50.0]


def test_a_category_that_is_new_is_none_of_the_old() -> None:
    x = tc.Microdata.of({"t": ["a", "b", "a"]}, nominal=["t"], quasi=["t"])
    z = tc.Microdata.of({"t": ["a", "c", "d"]}, nominal=["t"], quasi=["t"])
    before, after = Pair.of(x, z).column("t")
    assert before.tolist() == [0, 1, 0]
    assert after.tolist() == [0, 2, 3]
