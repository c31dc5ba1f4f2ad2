"""A small file that unpacks to much is refused with a sentence, before it is unpacked."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.app import unpacked, work
from tacit.base.errors import InputError


def constant(path: Path, groups: int, columns: int = 3) -> Path:
    """A Parquet file that repeats one value: a million records take some kilobytes."""
    table = pa.table({f"c{j}": np.full(1_000_000, 7) for j in range(columns)})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return path


def no_telling(kind: str, value: object) -> None:
    """Nobody listens."""


@pytest.mark.slow
def test_a_parquet_file_is_judged_by_what_it_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """773 kB took 5.7 GB of the worker: nothing of it is read now."""
    path = constant(tmp_path / "small.parquet", groups=50)
    assert path.stat().st_size < 1_000_000
    assert unpacked.unpacked_size(path) == 50 * 1_000_000 * 3 * 8

    def never(*args: object, **options: object) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr(tc, "read", never)
    with pytest.raises(InputError, match=r"mine\.parquet: unpacks to 1,200 MB") as told:
        work.load(no_telling, str(path), "mine.parquet", limit_mb=1024)
    assert "--limit" in str(told.value)
    assert str(tmp_path) not in str(told.value)


def test_equal_text_counts_its_place(tmp_path: Path) -> None:
    """A dictionary of one word says nothing about a million records."""
    path = tmp_path / "words.parquet"
    pq.write_table(pa.table({"word": ["the same"] * 1_000_000}), path)
    assert path.stat().st_size < 10_000
    assert unpacked.unpacked_size(path) >= 4_000_000


def test_a_workbook_is_judged_by_its_archive(tmp_path: Path) -> None:
    """Zeros pack a thousandfold."""
    path = tmp_path / "book.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(50_000_000))
    assert path.stat().st_size < 100_000
    with (
        pytest.raises(InputError, match="unpacks to 50 MB"),
        unpacked.within(str(path), 10),
    ):
        pass


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_statistical_files_say_their_records(tmp_path: Path, ending: str) -> None:
    """Records times the width of one."""
    path = tmp_path / f"a.{ending}"
    tc.write(tc.Microdata.of({"x": np.arange(300) / 7, "y": np.zeros(300)}), path)
    assert unpacked.unpacked_size(path) == 300 * 16


def test_what_is_damaged_gets_its_sentence_from_its_reader(tmp_path: Path) -> None:
    """Not from here."""
    for ending in ("parquet", "xlsx", "sav", "dta", "csv"):
        path = tmp_path / f"a.{ending}"
        path.write_bytes(b"no such thing")
        assert unpacked.unpacked_size(path) == 0
        if ending != "csv":
            with pytest.raises(InputError, match=f"mine.{ending}"):
                work.load(no_telling, str(path), f"mine.{ending}", limit_mb=10)


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux tells the memory"
)
def test_a_file_that_says_nothing_is_held_to_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feather does not say how much it unpacks to; reading it ends where the limit is."""
    monkeypatch.setattr(unpacked, "PROGRAM", 50_000_000)
    path = tmp_path / "zeros.feather"
    zeros = pa.table({"a": np.zeros(40_000_000)})
    pyarrow.feather.write_feather(zeros, path, compression="zstd")
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match=r"zeros\.feather: .*more memory than"):
        work.load(no_telling, str(path), "zeros.feather", limit_mb=10)
    # and the process has its memory back
    assert len(io.BytesIO(bytes(200_000_000)).getvalue()) == 200_000_000
