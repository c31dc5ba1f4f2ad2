"""CSV larger than memory: written as an Arrow file, some records at a time, and read from there.

In memory Arrow takes the first type of a ladder that all values of a column fit. A stream cannot
go back, so here it begins with the types of the first block, and where a later value does not fit
the column climbs a rung and the file is read again. The rungs are those of Arrow, so the types
and the values are those of memory.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from tacit.base.errors import InputError
from tacit.data.exact import loses
from tacit.data.io import csv, formulas, long_numbers
from tacit.data.io.disk_table import DiskTable, SpillFolder
from tacit.data.notes import annotate

# names of CSV files end so
ENDINGS = (".csv", ".tsv", ".txt")
# in the order in which Arrow tries them; true and false are text here
LADDER = (
    pa.null(),
    pa.int64(),
    pa.date32(),
    pa.time32("s"),
    pa.timestamp("s"),
    pa.timestamp("ns"),
    pa.float64(),
    pa.string(),
)
_REFUSED = re.compile(r"In CSV column #(\d+): ")


def on_disk(path: Path, folder: SpillFolder, encoding: str | None = None) -> DiskTable:
    """The records of a CSV file in a file of the folder, with the notes of ``csv.read``."""
    dialect, codes = csv.beginning(path, encoding)
    with suppress(_NotText):
        return _written(path, folder, dialect, codes)
    return _written(path, folder, csv.in_windows(path, dialect, encoding), codes)


class _NotText(Exception):
    """The file is not in the encoding that it was read in."""


def _written(
    path: Path,
    folder: SpillFolder,
    dialect: csv.Dialect,
    codes: dict[str, pa.DataType],
) -> DiskTable:
    types: dict[str, pa.DataType] = dict(codes)
    names: list[str] = []
    in_order = False
    while True:
        try:
            tables = _tables(path, dialect, types, names, in_order=in_order)
            table = _spilled(path, folder, tables)
            long = _long(path, dialect, table.schema, in_order=in_order)
            if not long:
                return table
            long_numbers.tell(path, long)
            types.update(dict.fromkeys(long, pa.string()))
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            message = str(error)
            if "utf" in message.lower():
                raise _NotText from None
            refused = _REFUSED.search(message)
            if refused and names:
                name = names[int(refused.group(1))]
                types[name] = _next(types[name])
            elif "columns, got" in message and in_order:
                raise InputError(csv.ragged(path, message)) from None
            elif "columns, got" in message:
                # a line break in quotes, or a line that is not whole
                in_order = True
            else:
                raise


def _long(
    path: Path, dialect: csv.Dialect, schema: pa.Schema, *, in_order: bool
) -> list[str]:
    """Columns with numbers that no double holds."""
    broken = csv.broken_columns(schema)
    if not broken or not long_numbers.may_be_in(
        path, dialect.decimal, dialect.encoding
    ):
        return []
    types = dict.fromkeys(schema.names, pa.string())
    long: set[str] = set()
    for table in _tables(path, dialect, types, [], in_order=in_order):
        for name in broken:
            if name not in long and loses(table[name], dialect.decimal):
                long.add(name)
    return [name for name in broken if name in long]


def _tables(
    path: Path,
    dialect: csv.Dialect,
    types: dict[str, pa.DataType],
    names: list[str],
    *,
    in_order: bool,
) -> Iterator[pa.Table]:
    """The records; ``types`` and ``names`` are told as soon as they are known."""
    how = csv.options(dialect, types, in_order=in_order)
    with pacsv.open_csv(
        path, read_options=how[0], parse_options=how[1], convert_options=how[2]
    ) as stream:
        names[:] = stream.schema.names
        if any(pa.types.is_binary(kind) for kind in stream.schema.types):
            raise _NotText
        for field in stream.schema:
            types.setdefault(field.name, field.type)
        for batch in stream:
            table = formulas.plain_table(pa.Table.from_batches([batch]))
            yield annotate(table, dialect=asdict(dialect))


def _spilled(path: Path, folder: SpillFolder, tables: Iterator[pa.Table]) -> DiskTable:
    first = next(tables, None)
    if first is None:
        raise InputError(f"{path}: has a header but no records")
    records = 0

    def counted() -> Iterator[pa.Table]:
        nonlocal records
        for table in itertools.chain([first], tables):
            records += table.num_rows
            yield table

    # Arrow and not Parquet, which knows no seconds
    written = folder.write(counted())
    readers = dict.fromkeys(first.column_names, written)
    return DiskTable(readers, first.schema, records, folder)


def _next(kind: pa.DataType) -> pa.DataType:
    """The type that is tried after this one."""
    return LADDER[LADDER.index(kind) + 1]
