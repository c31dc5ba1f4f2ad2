"""Files in and out: ``read`` and ``write`` choose the format by the name's ending; one file a format."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from tacit.errors import InputError
from tacit.microdata import Microdata, Schema

#: ending -> module with ``read(path, **options) -> pa.Table`` and ``write(table, path)``; a new format is one line
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
    ".dta": "stats",
    ".sav": "stats",
    ".zsav": "stats",
    ".por": "stats",
    ".xpt": "stats",
    ".sas7bdat": "stats",
}


def read(
    path: str | Path, schema: Schema | None = None, *, encoding: str | None = None, **roles: Iterable[str] | str | None
) -> Microdata:
    """Read a file of records; roles and kinds as in ``Schema.set``.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = file.write_text("age;income\\n30;1,5\\n40;2,5\\n")
    >>> read(file).numbers(["income"]).tolist()
    [[1.5], [2.5]]
    """
    table = read_table(path, encoding=encoding)
    nominal = _labelled(table)
    if schema is None and nominal:
        schema = Schema.infer(table).set(nominal=nominal)
    return Microdata.of(table, schema, **roles)


def read_table(path: str | Path, *, encoding: str | None = None) -> pa.Table:
    """The records of a file as an Arrow table, or one sentence about what is wrong with it."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    if path.is_dir():
        raise InputError(f"{path}: is a directory, not a file")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty")
    module = _format(path)
    try:
        table = module.read(path, encoding=encoding)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except pa.ArrowException as error:
        raise InputError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from None
    _check_names(path, table.column_names)
    if table.num_rows == 0:
        raise InputError(f"{path}: has a header but no records")
    return table


def write(data: Microdata | Any, path: str | Path, *, force: bool = False, safe_formulas: bool = False) -> None:
    """Write a release. The file appears whole or not at all; an existing one is kept unless ``force``.

    ``safe_formulas`` puts an apostrophe before text cells that a spreadsheet would run as a formula
    (starting with ``= + - @``); it changes data, so it is never done unless asked.
    """
    path = Path(path)
    table = Microdata.of(data).table
    if safe_formulas:
        table = neutralise_formulas(table)
    with replacing(path, force=force) as temporary:
        _format(path).write(table, temporary)


@contextlib.contextmanager
def replacing(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its name when the block ends well."""
    path = Path(path)
    refuse_overwrite(path, force=force)
    handle, name = tempfile.mkstemp(prefix=".tacit-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner can read
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def refuse_overwrite(path: str | Path, *, force: bool = False) -> None:
    """Say now, before any work, that an output cannot be written."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a directory; name a file")
    if path.exists() and not force:
        raise InputError(f"{path}: exists already; choose another name, or overwrite it with --force")


def neutralise_formulas(table: pa.Table) -> pa.Table:
    """Text cells that start like a spreadsheet formula get an apostrophe in front."""
    import pyarrow.compute as pc

    for position, name in enumerate(table.column_names):
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            risky = pc.match_substring_regex(column, r"^[=+\-@\t\r]")
            quoted = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            table = table.set_column(position, name, pc.if_else(risky, quoted, column))
    return table


def _format(path: Path) -> ModuleType:
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise InputError(f"{path}: the ending '{ending}' is not known; use one of {', '.join(FORMATS)}")
    return import_module(f"tacit.io.{FORMATS[ending]}")


def _check_names(path: Path, names: list[str]) -> None:
    twice = [name for j, name in enumerate(names) if name in names[:j]]
    if twice:
        raise InputError(f"{path}: two columns are named '{twice[0]}'; give each column a name of its own")


def _labelled(table: pa.Table) -> list[str]:
    """Columns with value labels (Stata, SPSS, SAS, ARFF) hold codes, whatever their type."""
    from tacit.io.labels import value_labels

    return [name for name in value_labels(table) if name in table.column_names]
