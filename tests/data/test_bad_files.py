"""Files that are damaged or hold what no method can use: one sentence each."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2, 3]]),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([b"x", b"y"]),
        pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    ],
)
def test_nested_columns_are_named(tmp_path: Path, column: pa.Array) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"age": [1, 2], "odd": column})
    pq.write_table(table, path)
    with pytest.warns(TacitWarning, match=r"a\.parquet: left out.*odd \(") as caught:
        assert tc.read(path).names == ["age"]
    assert len(caught) == 1
    with pytest.raises(tc.TacitError, match="'odd'"):
        tc.Microdata.of(table)


def test_nested_columns_of_polars_are_named() -> None:
    with pytest.raises(tc.TacitError, match="'odd'"):
        tc.Microdata.of(pl.DataFrame({"odd": [[1], [2, 3]]}))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_empty_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    write = pq.write_table if ending == "parquet" else feather.write_feather
    write(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(tc.TacitError, match="no records"):
        tc.read(path)
    write(pa.table({}), path)
    with pytest.raises(tc.TacitError, match="no columns"):
        tc.read(path)


READ = """
import sys, pathlib
import tacit as tc
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    try:
        tc.read(path).numbers()
    except tc.TacitError as error:
        assert "\\n" not in str(error), error
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("ending", ["feather", "parquet"])
def test_damaged_bytes_end_no_program(tmp_path: Path, ending: str) -> None:
    good = tmp_path / f"good.{ending}"
    words = pa.array(["u", "v"] * 25).dictionary_encode()
    table = pa.table({"a": range(50), "s": [f"x{i}" for i in range(50)], "d": words})
    if ending == "parquet":
        pq.write_table(table, good)
    else:
        feather.write_feather(table, good, compression="uncompressed")
    whole = good.read_bytes()
    rng = random.Random(7)
    folder = tmp_path / "damaged"
    folder.mkdir()
    for number in range(200):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 2, 8])):
            damaged[rng.randrange(len(whole))] = rng.randrange(256)
        cut = rng.randrange(1, len(whole)) if number % 5 == 0 else len(whole)
        (folder / f"{number}.{ending}").write_bytes(damaged[:cut])
    # in a process of its own: it was a segmentation fault
    done = subprocess.run(
        [sys.executable, "-c", READ, str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-500:]
