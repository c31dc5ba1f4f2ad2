"""One face: frames, tables and CSV files are released, with a manifest that verifies."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.large_manifest import written_in_blocks
from scale.test_any_size import ROLES, run, table
from tacit.base.errors import InputError, TacitWarning
from tacit.data import content_hash, io
from tacit.data.io import csv, csv_stream
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.plan import manifest
from tacit.scale import any_size

SWAP = ["--method", "rank_swapping", "--set", "p=5", "--seed", 4, *ROLES]
COLUMNS = {
    "quasi": ["income", "age", "sex"],
    "confidential": "debt",
    "identifier": "name",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def released(source: Any, path: str, **how: Any) -> pa.Table:
    plan = tc.protect.RankSwapping(p=5, columns=["income", "age"], random_state=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        tc.scale.release(plan, source, path, allow_unprotected=True, **how, **COLUMNS)
    release = pq.read_table(path)
    # text of polars is long text
    for place, field in enumerate(release.schema):
        if pa.types.is_large_string(field.type):
            text = release.column(place).cast(pa.string())
            release = release.set_column(place, field.name, text)
    return release.replace_schema_metadata(None)


def test_a_frame_of_any_kind_is_released_as_its_file_is(here: Path) -> None:
    pq.write_table(table(), "in.parquet")
    known = released("in.parquet", "file.parquet")
    relation = duckdb.connect().read_parquet("in.parquet")
    for name, frame in {
        "arrow": table(),
        "polars": pl.scan_parquet("in.parquet"),
        "duckdb": relation,
    }.items():
        assert released(frame, f"{name}.parquet").equals(known)
        beside = f"{name}.parquet.manifest.json"
        assert manifest.verify(beside, source=frame)["verified"]
    other = pl.scan_parquet("in.parquet").reverse()
    checks = manifest.verify("polars.parquet.manifest.json", source=other)
    assert checks["input_unchanged"] is False
    with pytest.raises(InputError, match="the input was a polars LazyFrame; give it"):
        manifest.verify("polars.parquet.manifest.json")


def test_a_frame_that_does_not_fit_is_released_from_the_disk(here: Path) -> None:
    pq.write_table(table(), "in.parquet")
    known = released("in.parquet", "file.parquet")
    any_plan = {"memory": "1GB"}
    frame = pl.scan_parquet("in.parquet")
    from tacit.data.lazy import reading

    before = reading.COPIES
    reading.COPIES = 10**6
    try:
        assert released(frame, "b.parquet", **any_plan).equals(known)
        assert isinstance(tc.Microdata.of(frame), OnDisk)
    finally:
        reading.COPIES = before


@pytest.mark.parametrize("fits", [True, False])
def test_a_table_of_a_duckdb_file_by_its_name(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, fits: bool
) -> None:
    people = table()
    with duckdb.connect("survey.duckdb") as database:
        database.from_arrow(people).create("people")
    pq.write_table(people, "in.parquet")
    run(monkeypatch, "protect", "in.parquet", "a.parquet", *SWAP)
    if not fits:
        monkeypatch.setattr("tacit.data.lazy.reading.COPIES", 10**6)
    run(monkeypatch, "protect", "table:survey.duckdb:people", "b.parquet", *SWAP)
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
    assert ("Out of core, on this machine" in capsys.readouterr().err) != fits
    run(monkeypatch, "verify", "b.parquet.manifest.json")
    assert "yes  verified" in capsys.readouterr().out
    assert not [path for path in here.iterdir() if path.name.startswith(".tacit")]


def test_tables_that_are_not_there_are_refused_with_a_sentence(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    duckdb.connect("survey.duckdb").close()
    for name, says in {
        "table:survey.duckdb:people": "people does not exist",
        "table:other.duckdb:people": "there is no file other.duckdb",
        "table:db.people": "read by Spark: give --engine",
    }.items():
        run(monkeypatch, "protect", name, "b.parquet", *SWAP, code=2)
        said = capsys.readouterr().err
        assert says in said
        assert said.count("Error: ") == 1


def test_csv_that_does_not_fit_gives_the_release_of_memory(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pacsv.write_csv(table(), "in.csv")
    run(monkeypatch, "protect", "in.csv", "a.parquet", *SWAP)
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", "in.csv", "b.parquet", *SWAP, "--memory", "1GB")
    assert "Out of core" in capsys.readouterr().err
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
    run(monkeypatch, "verify", "b.parquet.manifest.json", "--memory", "1GB")
    assert "yes  verified" in capsys.readouterr().out


ROWS = 60_000
LATER = 50_000
ODD = {
    "whole then broken": lambda i: i if i < LATER else i + 0.5,
    "whole then text": lambda i: i if i != LATER else "z",
    "empty then whole": lambda i: "" if i < LATER else i,
    "days then moments": lambda i: "2020-01-02" + (" 10:00:00" if i >= LATER else ""),
    "days then number": lambda i: "2020-01-02" if i < LATER else 5,
    "times then moments": lambda i: (
        "10:00:00" if i < LATER else "2020-01-02T10:00:00.5"
    ),
    "codes": lambda i: f"0{i % 9}",
    "formulas": lambda i: "'=1+1" if i >= LATER else "x",
    "lines": lambda i: f'"a\nb{i}"',
}


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", ODD)
def test_a_stream_of_csv_has_the_types_of_memory(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    lines = (f"{i},{ODD[kind](i)},{'x' * 15}" for i in range(ROWS))
    file.write_text("n,odd,wide\n" + "\n".join(lines) + "\n")
    whole = csv.read(file)
    stream = csv_stream.on_disk(file, SpillFolder(tmp_path))
    assert stream.schema.equals(whole.schema, check_metadata=True)
    assert stream.num_rows == ROWS
    assert stream.load(stream.column_names).equals(whole)


def test_csv_of_windows_and_a_broken_line(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    lines = [f"{i},{'cafe' if i < LATER else 'café'}{'x' * 15}" for i in range(ROWS)]
    file.write_bytes(("n,word\n" + "\n".join(lines) + "\n").encode("latin-1"))
    stream = csv_stream.on_disk(file, SpillFolder(tmp_path))
    assert stream.load(["n", "word"]).equals(csv.read(file))
    lines[LATER] += ",more"
    file.write_text("n,word\n" + "\n".join(lines) + "\n")
    with pytest.raises(InputError, match=f"line {LATER + 2} has 3 fields where"):
        csv_stream.on_disk(file, SpillFolder(tmp_path))
    (tmp_path / "empty.csv").write_text("n,word\n")
    with pytest.raises(InputError, match="has a header but no records"):
        csv_stream.on_disk(tmp_path / "empty.csv", SpillFolder(tmp_path))


def test_the_hash_of_records_is_that_of_their_values(tmp_path: Path) -> None:
    known = content_hash.content_hash(tc.Microdata.of(table(300)))
    pq.write_table(table(300), tmp_path / "a.parquet", row_group_size=7)
    on_disk = OnDisk.open(tmp_path / "a.parquet", tmp_path)
    assert content_hash.content_hash(on_disk) == known
    for place, (column, value) in enumerate(
        [("income", 1.25), ("age", 33), ("sex", "y"), ("sex", None), ("name", "p")]
    ):
        values = table(300)[column].to_pylist()
        values[200 + place] = value
        at = table(300).column_names.index(column)
        changed = table(300).set_column(at, column, pa.array(values))
        assert content_hash.content_hash(tc.Microdata.of(changed)) != known

    one, other = ({"a": ["xy", "z"], "b": [1, 2]}, {"a": ["x", "yz"], "b": [1, 2]})
    hashes = {content_hash.content_hash(tc.Microdata.of(each)) for each in (one, other)}
    assert len(hashes) == 2


@pytest.mark.slow
def test_a_wide_file_is_the_same_from_the_disk(tmp_path: Path) -> None:
    """500 columns: numbers, text, dates and gaps."""
    n, rng = 300, np.random.default_rng(0)
    columns: dict[str, Any] = {}
    for place in range(500):
        values: Any = rng.normal(size=n).round(3)
        if place % 4 == 1:
            values = rng.choice(["a", "b", "c"], n)
        elif place % 4 == 2:
            values = pa.array(rng.integers(0, 9999, n).astype(np.int32)).cast(
                pa.date32()
            )
        elif place % 4 == 3:
            values = pa.array(values, mask=rng.random(n) < 0.2)
        columns[f"c {place}.x"] = values
    pq.write_table(pa.table(columns), tmp_path / "wide.parquet")
    numbers = [name for place, name in enumerate(columns) if place % 4 == 0]
    swap = tc.protect.RankSwapping(p=5, columns=numbers, random_state=1)
    memory = swap.fit_transform(io.read(tmp_path / "wide.parquet"))
    on_disk = swap.fit_transform(OnDisk.open(tmp_path / "wide.parquet", tmp_path))
    for name in memory.names:
        here, there = on_disk.table.column(name), memory.table.column(name)
        assert here.combine_chunks().equals(there.combine_chunks())


def test_a_release_in_blocks_has_a_manifest_that_verifies(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """As version 0.1 wrote it."""
    pq.write_table(table(3000), "in.parquet")
    files = (Path("in.parquet"), Path("out.parquet"))
    how: dict[str, Any] = {"columns": ["income", "age"], "drop": ["name"], "leaf": 500}
    beside = written_in_blocks(*files, parameters={"k": 3}, **how)
    run(monkeypatch, "verify", beside)
    assert "yes  verified" in capsys.readouterr().out
    # rounding draws: the key that was drawn is in the manifest
    base = {"base": 100, "kind": "random"}
    written_in_blocks(
        *files, method="rounding", parameters=base, seed=2**128 + 5, **how
    )
    capsys.readouterr()
    run(monkeypatch, "verify", beside)
    assert "yes  repeated same bytes" in capsys.readouterr().out
    pq.write_table(table(3000, seed=9), "in.parquet")
    run(monkeypatch, "verify", beside, code=1)
    assert "NO   input unchanged" in capsys.readouterr().out


@pytest.mark.parametrize("fits", [True, False])
def test_nested_columns_of_a_file_are_left_out_and_said(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, fits: bool
) -> None:
    more = table(3000).append_column("visits", pa.array([[1, 2]] * 3000))
    pq.write_table(more.append_column("scan", pa.array([b"x"] * 3000)), "in.parquet")
    pq.write_table(table(3000), "plain.parquet")
    run(monkeypatch, "protect", "plain.parquet", "a.parquet", *SWAP)
    if not fits:
        monkeypatch.setattr(any_size, "COPIES", 10**6)
    capsys.readouterr()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run(monkeypatch, "protect", "in.parquet", "b.parquet", *SWAP)
    said = capsys.readouterr().err + " ".join(str(one.message) for one in seen)
    assert (
        "left out, and not in the release: visits (lists or structures), scan (byt"
        in said
    )
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
    pq.write_table(more.select(["visits"]), "c.parquet")
    run(monkeypatch, "protect", "c.parquet", "d.parquet", *SWAP, code=2)
    assert "has no column that holds text or numbers" in capsys.readouterr().err


def test_files_of_a_folder_that_differ_are_refused_on_a_cluster_too(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """With one sentence, and before Spark is started."""
    Path("in").mkdir()
    pq.write_table(table(50), "in/a.parquet")
    for other, says in {
        "more": "has a column 'note', which in/a.parquet has not",
        "less": "has no column 'age', which in/a.parquet has",
        "type": "column 'age' holds double, and in in/a.parquet int64",
    }.items():
        drifted = table(50)
        if other == "more":
            drifted = drifted.append_column("note", pa.array(["x"] * 50))
        elif other == "less":
            drifted = drifted.drop_columns(["age"])
        else:
            floats = drifted["age"].cast(pa.float64())
            drifted = drifted.set_column(2, "age", floats)
        pq.write_table(drifted, "in/b.parquet")
        for engine in ("local", "spark://127.0.0.1:1"):
            run(
                monkeypatch,
                "protect",
                "in",
                "o.parquet",
                *SWAP,
                "--engine",
                engine,
                code=2,
            )
            said = capsys.readouterr().err
            assert says in said
            assert said.count("\n") <= 2
    assert not Path("o.parquet").exists()
