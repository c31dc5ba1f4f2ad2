"""Files in and out: ``read`` and ``write`` choose the format by the ending of the name.

One file per format.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from tacit.base.errors import InputError
from tacit.data.frames import Frame, nested, readable, repeated
from tacit.data.io import csv, formulas
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.final_names import (
    Together,
    refuse_overwrite,
    replacing,
    together,
)
from tacit.data.io.parquet_parts import ParquetParts, not_there
from tacit.data.microdata import Microdata, Schema
from tacit.data.notes import annotate
from tacit.data.usual_types import usual

__all__ = [
    "FORMATS",
    "Together",
    "check_names",
    "read",
    "read_table",
    "refuse_overwrite",
    "replacing",
    "together",
    "write",
    "writing",
]

#: ending -> module with ``read(path, **options) -> pa.Table`` and ``write(table, path)``;
#: a new format is one line
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
    ".xlsx": "excel",
    ".fwf": "fixed_width",
    ".dat": "fixed_width",
    ".asc": "fixed_width",
    ".dta": "stats",
    ".sav": "stats",
    ".zsav": "stats",
    ".por": "stats",
    ".xpt": "stats",
    ".sas7bdat": "stats",
}


def read(
    path: str | Path,
    schema: Schema | None = None,
    *,
    encoding: str | None = None,
    **roles: Iterable[str] | str | None,
) -> Microdata:
    """Read a file of records.

    Parameters
    ----------
    path : path
        The file; its ending says the format. Or a folder of Parquet files.
    schema : Schema
        What the columns are; guessed unless given.
    encoding : str
        Encoding of text; detected unless given.
    **roles
        Roles and kinds, as in ``Schema.set``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = file.write_text("age;income\\n30;1,5\\n40;2,5\\n")
    >>> read(file).numbers(["income"]).tolist()
    [[1.5], [2.5]]
    """
    table = read_table(path, encoding=encoding)
    return Microdata.of(table, schema, **roles)


def read_table(
    path: str | Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """The records of a file as an Arrow table, or one sentence about what is wrong with it.

    A folder of Parquet files is one table, as Hive and Spark write it.
    """
    path = Path(path)
    try:
        is_there = path.exists()
    except OSError as error:
        # a name that no file system knows
        raise InputError(
            f"{str(path)[:80]}: cannot be read ({error.strerror})"
        ) from None
    if not is_there:
        raise not_there(path)
    if path.is_dir():
        return _checked(path, ParquetParts.of(path).read())
    if not path.is_file():
        raise InputError(
            f"{path}: is a named pipe or a device, which cannot be read twice; save what comes "
            "from it in a file (tacit stream reads pipes)"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty")
    module = _format(path)
    try:
        table = module.read(path, encoding=encoding)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path}: cannot be read ({reason})") from None
    except UnicodeDecodeError:
        # names that no writer wrote
        raise InputError(f"{path}: cannot be read (it is damaged)") from None
    except MemoryError:
        # lengths that no writer wrote, or a packed file that is made to fill the memory
        raise InputError(
            f"{path}: cannot be read (it is damaged, or needs more memory than there is)"
        ) from None
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read ({reason})") from None
    return _checked(path, table)


def _checked(path: Path, table: pa.Table) -> pa.Table:
    """The table, if it holds records that can be compared."""
    if table.num_columns == 0:
        raise InputError(f"{path}: has no columns")
    check_names(path, table.column_names)
    table = usual(table, f"{path}: ")
    left_out = nested(table.schema)
    if left_out:
        table = table.select(readable(table.column_names, left_out, f"{path}: "))
    if table.num_rows == 0:
        raise InputError(f"{path}: has a header but no records")
    return table


def write(
    data: Frame,
    path: str | Path,
    *,
    force: bool = False,
    safe_formulas: bool = True,
) -> None:
    """Write a release; the file appears whole or not at all.

    Parameters
    ----------
    data : frame
        The records.
    path : path
        The file; its ending says the format.
    force : bool
        Replace a file that exists already.
    safe_formulas : bool
        In a CSV file, put an apostrophe before cells of text and names that a spreadsheet would
        run as a formula (``tacit.data.io.formulas``); ``read`` takes it off again. In an Excel
        file text is text, with or without this.
    """
    with writing(data, path, force=force, safe_formulas=safe_formulas):
        pass


@contextlib.contextmanager
def writing(
    data: Frame,
    path: str | Path,
    *,
    force: bool = False,
    safe_formulas: bool = True,
    files: Together | None = None,
) -> Iterator[Path]:
    """As ``write``: the block has the whole file under another name, and ends before it appears.

    ``files``: those that get their names together with it, which then says what ``force`` is.
    """
    path = Path(path)
    data = Microdata.of(data)
    words = {
        column.name: column.missing.to_entry() | column.description.to_entry()
        for column in data.schema
    }
    said = {name: entry for name, entry in words.items() if entry}
    table = data.written()
    if said:
        table = annotate(table, columns=said)
    module = _format(path)
    if isinstance(table, DiskTable) and FORMATS[path.suffix.lower()] != "parquet":
        raise InputError(
            f"{path}: a file that is larger than memory is written as Parquet; "
            "name a file that ends in .parquet"
        )
    if safe_formulas and module.__name__ == csv.__name__:
        table = formulas.safe_table(table)
    # a format may need a second file, such as the layout of a fixed-width one
    companions: dict[Path, str] = {}
    if hasattr(module, "beside"):
        companions = module.beside(table, path)
    with contextlib.ExitStack() as stack:
        if files is None:
            files = stack.enter_context(together(force=force))
        for companion, text in companions.items():
            files.add(companion).write_text(text, encoding="utf-8")
        # added last, so that it has its name last
        temporary = files.add(path)
        try:
            module.write(table, temporary)
        except InputError as error:
            # nobody knows the file by its name for now
            error.args = (str(error).replace(str(temporary), str(path)),)
            raise
        yield temporary


def _format(path: Path) -> ModuleType:
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise InputError(
            f"{path}: the ending '{ending}' is not known; "
            f"use one of {', '.join(FORMATS)}"
        )
    return import_module(f"tacit.data.io.{FORMATS[ending]}")


def check_names(
    path: Path,
    names: list[str],
) -> None:
    """Refuse a name that stands twice."""
    twice = repeated(names)
    if twice:
        raise InputError(
            f"{path}: two columns are named '{twice[0]}'; "
            "give each column a name of its own"
        )
