"""A table as a file of each format, whole or damaged."""

from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from tacit.base.errors import TacitError
from tacit.data import io as tacit_io
from tools.fuzz.tables import Rng

#: what a file may be written as; the ending says the format
ENDINGS = [
    "csv", "tsv", "txt", "parquet", "feather", "arrow", "arff", "xlsx", "dat", "dta", "sav",
    "zsav", "por", "xpt",
]  # fmt: skip
ENCODINGS = [
    "utf-8",
    "utf-8-sig",
    "cp1252",
    "latin-1",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "cp437",
]


def write(table: pa.Table, path: Path, rng: Rng, *, plainly: bool) -> bool:
    """Write the table; False: this format cannot hold it.

    ``plainly``: a comma, UTF-8, no quotes but those that are needed.
    """
    ending = path.suffix.lstrip(".")
    try:
        if ending in ("csv", "tsv", "txt"):
            _text(table, path, rng, plainly)
        elif ending == "jsonl":
            lines = [json.dumps(row, default=str) for row in table.to_pylist()]
            path.write_text("\n".join(lines) + "\n")
        elif ending == "parquet":
            pq.write_table(table, path)
        elif ending in ("feather", "arrow"):
            compression = "lz4" if rng.random() < 0.5 else "uncompressed"
            feather.write_feather(table, str(path), compression=compression)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tacit_io.write(table, path, force=True)
    except (TacitError, pa.ArrowException, ValueError, TypeError, OverflowError):
        path.unlink(missing_ok=True)
        return False
    return True


def _text(table: pa.Table, path: Path, rng: Rng, plainly: bool) -> None:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    encoding = "utf-8"
    end = "\n"
    if not plainly:
        delimiter = str(rng.choice(list(",;\t|")))
        encoding = str(rng.choice(ENCODINGS))
        end = str(rng.choice(["\n", "\r\n", "\r"], p=[0.6, 0.3, 0.1]))
    out = io.StringIO()
    quoting = csv.QUOTE_MINIMAL if rng.random() < 0.7 else csv.QUOTE_ALL
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(table.column_names)
    columns = [column.to_pylist() for column in table.columns]
    writer.writerows(zip(*columns, strict=True))
    path.write_bytes(out.getvalue().encode(encoding, "replace"))


def damage(path: Path, rng: Rng) -> str:
    """Make the file another one; what was done to it, in a word."""
    whole = path.read_bytes()
    kind = str(
        rng.choice(["cut", "flipped", "empty", "garbage", "grown", "nulls", "ragged"])
    )
    if kind == "cut":
        path.write_bytes(whole[: int(rng.integers(0, max(len(whole), 1)))])
    elif kind == "flipped":
        changed = bytearray(whole)
        for _ in range(int(rng.integers(1, 9))):
            changed[rng.integers(len(changed))] = int(rng.integers(256))
        path.write_bytes(bytes(changed))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "garbage":
        noise = rng.integers(0, 256, int(rng.integers(1, 3000)))
        path.write_bytes(noise.astype("u1").tobytes())
    elif kind == "grown":
        path.write_bytes(whole + whole[: len(whole) // 2])
    elif kind == "nulls":
        at = int(rng.integers(len(whole) + 1))
        path.write_bytes(whole[:at] + b"\x00" * 5 + whole[at:])
    else:
        at = int(rng.integers(len(whole) + 1))
        path.write_bytes(whole[:at] + b'\n"1,2,3\n' + whole[at:])
    return kind
