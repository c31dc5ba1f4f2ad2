"""Dates of a file on the disk are masked in pieces, as they are in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import InputError
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.protect import by_address, on_disk_pieces

N = 3000
METHODS = [
    tc.protect.AgeAt(at="2024-12-31", width=5, columns=["born"]),
    tc.protect.DateTruncation(to="quarter", columns=["born"]),
    tc.protect.Recoding(
        intervals={"born": ["1960-01-01", "1980-01-01"]}, columns=["born"]
    ),
    tc.protect.Recoding(bins=5, columns=["born"]),
]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_address, "BLOCK", 256)
    monkeypatch.setattr(on_disk_pieces, "BLOCKS", 2)
    monkeypatch.setattr(pieces, "PIECE", 512)


def written(folder: Path, texts: list[str | None]) -> Path:
    path = folder / "in.parquet"
    pq.write_table(pa.table({"born": texts, "x": np.arange(len(texts))}), path)
    return path


def texts(form: str, first_days: int = 12) -> list[str | None]:
    """Dates as text; the first pieces alone do not show whether the day comes first."""
    rng = np.random.default_rng(3)
    days = rng.integers(1, 29, N)
    days[: 2 * 512] = rng.integers(1, first_days + 1, 2 * 512)
    out: list[str | None] = [
        form.format(d=day, m=month, y=year)
        for day, month, year in zip(
            days, rng.integers(1, 13, N), rng.integers(1950, 2000, N), strict=True
        )
    ]
    out[5] = out[2000] = None
    return out


def both(path: Path, folder: Path) -> tuple[Any, OnDisk]:
    (folder / "work").mkdir()
    roles: dict[str, Any] = {"date": "born", "quasi": "born"}
    found = io.read(path, **roles), OnDisk.open(path, folder / "work", **roles)
    # as a schema file has it that says 'date' and no format
    memory, disk = (
        data.with_schema(data.schema.put(replace(data.schema["born"], date_format="")))
        for data in found
    )
    assert isinstance(disk, OnDisk)
    return memory, disk


@pytest.mark.few(2)
@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.in_short())
@pytest.mark.parametrize("form", ["{d:02d}/{m:02d}/{y}", "{y}-{m:02d}-{d:02d}"])
def test_text_dates_are_read_by_the_format_of_the_whole_file(
    method: Any, form: str, tmp_path: Path
) -> None:
    memory, disk = both(written(tmp_path, texts(form)), tmp_path)
    assert method.passes_of(disk) == "values"
    here, there = method.fit_transform(memory), method.fit_transform(disk)
    assert there.schema == here.schema
    left = there.disk.load(["born"]).column("born").combine_chunks()
    assert left.equals(here.table.column("born").combine_chunks())


def test_what_is_no_date_is_refused_by_its_row_of_the_file(tmp_path: Path) -> None:
    said = texts("{y}-{m:02d}-{d:02d}")
    said[2500] = "1980-13-01"
    memory, disk = both(written(tmp_path, said), tmp_path)
    for data in (memory, disk):
        with pytest.raises(InputError, match="row 2501: '1980-13-01' is no date"):
            METHODS[1].fit_transform(data)


def test_who_is_not_born_yet_is_refused_by_the_row_of_the_file(tmp_path: Path) -> None:
    said = texts("{y}-{m:02d}-{d:02d}")
    said[2500] = "2026-01-01"
    memory, disk = both(written(tmp_path, said), tmp_path)
    for data in (memory, disk):
        with pytest.raises(InputError, match="row 2501: the date lies after"):
            METHODS[0].fit_transform(data)
