"""Parquet as one file or as a folder of files, read a column or some records at a time.

A folder is read as Hive and Spark write it: ``year=2020/part-0.parquet`` has the column ``year``
beside those of the file. Names that begin with ``_`` or ``.`` are notes of the program that wrote
the folder. Of a Delta table the files are read that it shows now (``delta_log``). Record i is the
i-th record of the files in the order of their names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import InputError
from tacit.data.io import delta_log
from tacit.data.io.delta_log import Texts

# what Hive and Spark write for a partition whose value is missing
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
# records decoded at a time, of so many columns
BATCH = 65_536
COLUMNS = 64

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True)
class PartFile:
    """One file, its number of records, and the values that the names of its folders say."""

    path: Path
    records: int
    partition: Texts


@dataclass(frozen=True)
class ParquetParts:
    """The files of a path; all have the same columns."""

    path: Path
    files: tuple[PartFile, ...]
    schema: pa.Schema

    @classmethod
    def of(cls, path: str | Path) -> ParquetParts:
        """Look at every file's header; what cannot be one table is refused with a sentence."""
        path = Path(path)
        headers = [_header(file) for file in files_of(path)]
        if not headers:
            raise InputError(f"{path}: the folder holds no .parquet file")
        partitions, types = partitions_of(path, [file for file, _, _ in headers])
        inside = headers[0][1]
        for file, schema, _ in headers[1:]:
            _refuse_drift(file, schema, headers[0][0], inside)
        for (file, _, _), texts in zip(headers, partitions, strict=True):
            if list(texts) != list(partitions[0]):
                raise InputError(
                    f"{file}: its folders say {_listed(texts)}, and those of "
                    f"{headers[0][0]} {_listed(partitions[0])}; make them alike"
                )
        schema = inside
        for name in partitions[0]:
            if name in inside.names:
                raise InputError(
                    f"{path}: '{name}' is a column of the files and of the folders' names; "
                    "rename one"
                )
            schema = schema.append(pa.field(name, types[name]))
        files = tuple(
            PartFile(file, records, texts)
            for (file, _, records), texts in zip(headers, partitions, strict=True)
        )
        return cls(path, files, schema)

    def anywhere(self) -> ParquetParts:
        """The same files by paths that mean the same to a process that works in another folder."""
        files = tuple(replace(file, path=file.path.absolute()) for file in self.files)
        return replace(self, files=files)

    @cached_property
    def num_rows(self) -> int:
        """Records of all files."""
        return sum(file.records for file in self.files)

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all files."""
        return self.read([name]).column(name)

    def read(self, names: Sequence[str] | None = None) -> pa.Table:
        """Some columns of all files, in memory."""
        wanted = self.schema.names if names is None else list(names)
        tables = []
        for file in self.files:
            inside = [name for name in wanted if name not in file.partition]
            try:
                table = pq.ParquetFile(file.path).read(inside)
            except (pa.ArrowException, OSError) as error:
                raise _damaged(file.path, error) from None
            tables.append(self._with_partition(table, file, wanted))
        whole = pa.concat_tables(tables).unify_dictionaries()
        return whole.replace_schema_metadata(self.schema.metadata)

    def in_turn(
        self, names: Sequence[str], first: int = 0, stop: int | None = None
    ) -> Iterator[pa.Table]:
        """The records from ``first`` up to ``stop``, in tables of any length."""
        stop = self.num_rows if stop is None else stop
        start = 0
        for file in self.files:
            low, high = max(first, start), min(stop, start + file.records)
            if low < high:
                yield from self._of_file(file, list(names), low - start, high - start)
            start += file.records

    def _of_file(
        self, file: PartFile, wanted: list[str], first: int, stop: int
    ) -> Iterator[pa.Table]:
        inside = [name for name in wanted if name not in file.partition]
        # a map or a read-ahead of the whole file would count against the memory limit
        with pq.ParquetFile(file.path, memory_map=False, pre_buffer=False) as opened:
            groups, row = _groups(opened, first, stop)
            # one group at a time: Arrow holds the bytes of all groups that it was asked for
            batches = itertools.chain.from_iterable(
                opened.iter_batches(
                    batch_of(len(inside)),
                    row_groups=[group],
                    columns=inside,
                    use_threads=False,
                )
                for group in groups
            )
            while row < stop:
                try:
                    batch = next(batches)
                except (pa.ArrowException, OSError) as error:
                    raise _damaged(file.path, error) from None
                low, high = max(first - row, 0), min(stop - row, batch.num_rows)
                row += batch.num_rows
                if low < high:
                    table = pa.Table.from_batches([batch.slice(low, high - low)])
                    yield self._with_partition(table, file, wanted)

    def _with_partition(
        self, table: pa.Table, file: PartFile, wanted: list[str]
    ) -> pa.Table:
        """The table with its partition columns, and text as text."""
        for place, one in enumerate(table.schema):
            if one.type == pa.string_view():
                text = table.column(place).cast(pa.string())
                table = table.set_column(place, one.with_type(pa.string()), text)
        for name, text in file.partition.items():
            if name in wanted:
                type_ = self.schema.field(name).type
                one = pa.scalar(text).cast(type_) if text is not None else None
                repeated = pa.repeat(pa.scalar(one, type_), table.num_rows)
                table = table.append_column(name, repeated)
        return table.select(wanted)


def batch_of(columns: int) -> int:
    """Records decoded at a time: fewer of a file with many columns.

    >>> batch_of(6), batch_of(640)
    (65536, 6553)
    """
    return max(1, BATCH * COLUMNS // max(COLUMNS, columns))


def not_there(path: Path) -> InputError:
    """There is no such file; an address is none at all, and is shown with both of its slashes.

    >>> not_there(Path("s3a://survey/people"))
    InputError('s3a://survey/people: is an address and no file; ...')
    """
    # a path has one slash where an address has two
    address = _ADDRESS.fullmatch(str(path))
    if address is None:
        return InputError(f"{path}: there is no such file")
    return InputError(
        f"{address[1]}://{address[2]}: is an address and no file; name a file or a folder that "
        "this machine and every worker see, or a table of Spark (table:NAME with --engine)"
    )


def files_of(path: Path) -> list[Path]:
    """The Parquet files of a path, in the order of their names."""
    if not path.exists():
        raise not_there(path)
    if not path.is_dir():
        return [path]
    if delta_log.is_delta(path):
        return sorted(delta_log.read(path).files)
    return [
        file
        for file in sorted(path.rglob("*.parquet"))
        if file.is_file()
        and not any(part[0] in "_." for part in file.relative_to(path).parts)
    ]


def partition_of(path: Path, file: Path) -> Texts:
    """The values that the names of a file's folders say.

    >>> partition_of(Path("survey"), Path("survey/year=2020/area=a%2Fb/part-0.parquet"))
    {'year': '2020', 'area': 'a/b'}
    """
    if file == path:
        return {}
    found: Texts = {}
    for folder in file.relative_to(path).parts[:-1]:
        name, equals, text = folder.partition("=")
        if equals:
            found[unquote(name)] = None if text == NO_VALUE else unquote(text)
    return found


def partitions_of(
    path: Path, files: Sequence[Path]
) -> tuple[list[Texts], dict[str, pa.DataType]]:
    """The partition columns of each file, and the types that they have in all of them."""
    if path.is_dir() and delta_log.is_delta(path):
        table = delta_log.read(path)
        return [table.files[file] for file in files], table.columns
    found = [partition_of(path, file) for file in files]
    names = found[0] if found else {}
    types = {name: _type_of([texts.get(name) for texts in found]) for name in names}
    return found, types


def _header(file: Path) -> tuple[Path, pa.Schema, int]:
    try:
        return (
            file,
            _without_views(pq.read_schema(file)),
            pq.read_metadata(file).num_rows,
        )
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{file}: not a Parquet file ({reason})") from None


def _without_views(schema: pa.Schema) -> pa.Schema:
    """Views of text as text: who writes them (delta-rs, polars) writes some files with them."""
    for place, one in enumerate(schema):
        if one.type == pa.string_view():
            schema = schema.set(place, one.with_type(pa.string()))
    return schema


def _groups(file: pq.ParquetFile, first: int, stop: int) -> tuple[list[int], int]:
    """The row groups that hold these records, and the first record of the first of them."""
    groups: list[int] = []
    begin = row = 0
    for group in range(file.metadata.num_row_groups):
        end = row + file.metadata.row_group(group).num_rows
        if row < stop and end > first:
            begin = begin if groups else row
            groups.append(group)
        row = end
    return groups, begin


def _refuse_drift(file: Path, schema: pa.Schema, other: Path, known: pa.Schema) -> None:
    """Files of one folder must have the same columns, of the same types."""
    for name in known.names:
        if name not in schema.names:
            raise InputError(f"{file}: has no column '{name}', which {other} has")
    for name in schema.names:
        if name not in known.names:
            raise InputError(f"{file}: has a column '{name}', which {other} has not")
        here, there = schema.field(name).type, known.field(name).type
        if here != there:
            raise InputError(
                f"{file}: column '{name}' holds {here}, and in {other} {there}; "
                "write the files with one type"
            )


def _type_of(values: Sequence[str | None]) -> pa.DataType:
    """Whole numbers where all are; 01 is text, for as a number it would become 1."""
    known = [value for value in values if value is not None]
    whole = all(_WHOLE.fullmatch(value) for value in known)
    return pa.int64() if known and whole else pa.string()


def _listed(texts: Texts) -> str:
    return ", ".join(f"{name}=..." for name in texts) or "no column"


def _damaged(file: Path, error: Exception) -> InputError:
    reason = str(error).splitlines()[0]
    return InputError(f"{file}: cannot be read ({reason})")
