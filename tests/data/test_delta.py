"""Delta tables are read as they are now: what was deleted since is not in them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

from scale.test_any_size import run
from tacit.base.errors import InputError
from tacit.data import io
from tacit.data.io import delta_log
from tacit.data.io.parquet_parts import ParquetParts


def people(first: int, stop: int) -> pa.Table:
    number = np.arange(first, stop)
    return pa.table(
        {
            "number": number,
            "income": 1000.0 + 7 * number,
            "year": 2020 + number % 3,
            "area": pa.array([["n", "s", "a/b c", None][i % 4] for i in number]),
            "day": pa.array([date(2026, 1, 1 + i % 2) for i in number]),
        }
    )


def rows(table: pa.Table) -> list[Any]:
    names = sorted(table.column_names)
    return sorted(map(str, table.select(names).to_pylist()))


def same(path: Path) -> None:
    ours = ParquetParts.of(path).read()
    theirs = DeltaTable(path).to_pyarrow_table()
    assert rows(ours) == rows(theirs)
    types = {field.name: field.type for field in ours.schema}
    # some files of a table that was changed hold views of text, which are text
    assert types == {field.name: field.type for field in theirs.schema}


@pytest.mark.parametrize("by", [[], ["year"], ["area", "day"]])
def test_what_a_table_shows_now(tmp_path: Path, by: list[str]) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 40), partition_by=by)
    same(path)
    DeltaTable(path).delete("number < 9")
    same(path)
    DeltaTable(path).update({"income": "0.0"}, predicate="number = 20")
    same(path)
    write_deltalake(path, people(40, 50), mode="append", partition_by=by)
    same(path)
    DeltaTable(path).optimize.compact()
    same(path)
    # before, the folder held every row that was ever written
    shown = ParquetParts.of(path).num_rows
    held = sum(pq.read_metadata(file).num_rows for file in path.rglob("part*.parquet"))
    assert (shown, held > shown) == (41, True)
    write_deltalake(path, people(3, 8), mode="overwrite", partition_by=by)
    same(path)


def test_the_log_begins_with_a_checkpoint_where_old_commits_are_gone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 40), partition_by=["year"])
    DeltaTable(path).delete("number < 9")
    DeltaTable(path).create_checkpoint()
    (path / delta_log.LOG / f"{0:020d}.json").unlink()
    same(path)
    write_deltalake(path, people(40, 50), mode="append", partition_by=["year"])
    DeltaTable(path).delete("number = 41")
    same(path)
    assert ParquetParts.of(path).num_rows == 40


def test_a_checkpoint_in_parts_counts_when_all_parts_are_there(tmp_path: Path) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 40), partition_by=["year"])
    DeltaTable(path).delete("number < 9")
    DeltaTable(path).create_checkpoint()
    log = path / delta_log.LOG
    [whole] = log.glob("*.checkpoint.parquet")
    actions = pq.read_table(whole)
    half = actions.num_rows // 2
    for part, table in enumerate([actions.slice(0, half), actions.slice(half)], 1):
        name = f"{1:020d}.checkpoint.{part:010d}.{2:010d}.parquet"
        pq.write_table(table, log / name)
    whole.unlink()
    known = ParquetParts.of(path).read()
    # commits that the checkpoint stands for are not needed
    for version in (0, 1):
        (log / f"{version:020d}.json").rename(tmp_path / f"{version}.json")
    assert ParquetParts.of(path).read().equals(known)
    (log / f"{1:020d}.checkpoint.{2:010d}.{2:010d}.parquet").unlink()
    with pytest.raises(InputError, match="has gaps"):
        ParquetParts.of(path)
    for version in (0, 1):
        shutil.copy(tmp_path / f"{version}.json", log / f"{version:020d}.json")
    assert ParquetParts.of(path).read().equals(known)


def _line(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the lines of the last commit."""
    last = max((path / delta_log.LOG).glob("*.json"))
    lines = [json.loads(line) for line in last.read_text().splitlines()]
    for line in lines:
        change(line)
    last.write_text("\n".join(json.dumps(line) for line in lines))


def _vector(line: dict[str, Any]) -> None:
    if "add" in line:
        line["add"]["deletionVector"] = {
            "storageType": "u",
            "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
            "offset": 4,
            "sizeInBytes": 40,
            "cardinality": 6,
        }


def _mapped(line: dict[str, Any]) -> None:
    if "metaData" in line:
        line["metaData"]["configuration"] = {"delta.columnMapping.mode": "name"}


def _feature(line: dict[str, Any]) -> None:
    if "protocol" in line:
        line["protocol"] = {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["timestampNtz", "somethingNew"],
        }


def _version(line: dict[str, Any]) -> None:
    if "protocol" in line:
        line["protocol"] = {"minReaderVersion": 4, "minWriterVersion": 7}


def _elsewhere(line: dict[str, Any]) -> None:
    if "add" in line:
        line["add"]["path"] = "s3://bucket/part.parquet"


def _outside(line: dict[str, Any]) -> None:
    if "add" in line:
        line["add"]["path"] = "../part.parquet"


def _lost(line: dict[str, Any]) -> None:
    if "add" in line:
        line["add"]["path"] = "part-lost.parquet"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_vector, "rows that were deleted inside its files"),
        (_mapped, "columns under other names than its files"),
        (_feature, "needs the reader feature 'somethingNew'"),
        (_version, "needs reader version 4"),
        (_elsewhere, r"has files elsewhere \(s3:\)"),
        (_outside, "has files outside its folder"),
        (_lost, r"without its file part-lost\.parquet"),
    ],
)
def test_what_is_more_than_a_list_of_files_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], says: str
) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 10))
    _line(path, change)
    with pytest.raises(InputError, match=says):
        ParquetParts.of(path)


def test_rows_deleted_inside_a_file_that_was_written_anew_since_are_gone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 10))
    _line(path, _vector)
    write_deltalake(path, people(20, 25), mode="overwrite")
    assert ParquetParts.of(path).read()["number"].to_pylist() == list(range(20, 25))


def _empty(line: dict[str, Any]) -> None:
    if "add" in line and line["add"]["partitionValues"]["area"] == "n":
        line["add"]["partitionValues"]["area"] = ""


def test_an_empty_text_is_a_missing_value(tmp_path: Path) -> None:
    path = tmp_path / "table"
    write_deltalake(path, people(0, 8), partition_by=["area"])
    _line(path, _empty)
    area = ParquetParts.of(path).column("area")
    assert (area.null_count, sorted(area.drop_null().to_pylist())) == (
        4,
        ["a/b c", "a/b c", "s", "s"],
    )


def test_a_log_with_a_gap_and_one_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "table"
    for first in (0, 10, 20):
        write_deltalake(path, people(first, first + 10), mode="append")
    middle = path / delta_log.LOG / f"{1:020d}.json"
    text = middle.read_text()
    middle.unlink()
    with pytest.raises(InputError, match="has gaps; repair the table"):
        ParquetParts.of(path)
    middle.write_text(text[:-40])
    with pytest.raises(InputError, match="the log of this Delta table cannot be read"):
        ParquetParts.of(path)


def test_a_release_of_a_delta_table_verifies_until_the_table_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    notes = CommitProperties(custom_metadata={"who": "us"})
    write_deltalake("table", people(0, 60), partition_by=["year"])
    DeltaTable("table").delete("number < 9", commit_properties=notes)
    plan = ["--method", "noise", "--set", 'columns=["income"]', "--quasi", "income"]
    beside = ["--identifier", "number", "--release-as-is", "year,area,day"]
    run(monkeypatch, "protect", "table", "a.parquet", *plan, *beside)
    released = io.read("a.parquet")
    assert released.n == 51
    assert sorted(released.table["year"].to_pylist()) == sorted(
        ParquetParts.of("table").read()["year"].to_pylist()
    )
    run(monkeypatch, "verify", "a.parquet.manifest.json")
    assert "yes  verified" in capsys.readouterr().out
    DeltaTable("table").delete("number = 12")
    run(monkeypatch, "verify", "a.parquet.manifest.json", code=1)
