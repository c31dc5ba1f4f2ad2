"""Writing Stata, SPSS and SAS transport files: each says what its format can hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from tacit.base.errors import InputError
from tacit.data.frames import Frame
from tacit.data.io import header_clock, legal_names, zero_bytes
from tacit.data.io.spss_write import write_sav
from tacit.data.io.stata_write import write_dta
from tacit.data.io.stats_column import Written
from tacit.data.notes import columns as said_of_columns
from tacit.data.notes import note

# bytes of a text; what is longer would be lost without a word
_LONGEST_TEXT = {".sav": 32_767, ".zsav": 32_767, ".xpt": 32_767}


def write(pyreadstat: ModuleType, table: pa.Table, path: Path) -> None:
    """Write the table with what is said of its columns, as far as the format has it."""
    ending = path.suffix.lower()
    writers = {
        ".dta": write_dta,
        ".sav": write_sav,
        ".zsav": write_sav,
        ".por": _write_por,
        ".xpt": _write_xpt,
    }
    if ending not in writers:
        raise InputError(
            f"{path}: {ending} files can be read but not written; "
            "use .xpt, .dta, .sav or .parquet"
        )
    zero_bytes.refuse(table)
    entries = said_of_columns(table)
    names = legal_names.legal(table.column_names, ending)
    legal_names.tell(names, ending)
    columns: dict[str, Written] = {}
    for name in table.column_names:
        entry = entries.get(name, {})
        column = Written(name, table.column(name), entry)
        if ending in _LONGEST_TEXT:
            column.refuse_long_text(_LONGEST_TEXT[ending])
        if ending == ".xpt":
            column.refuse_large()
        columns[names[name]] = column
    # a table that was made in Python has no file to speak of
    of_file = note(table, "file") or {}
    try:
        writers[ending](pyreadstat, columns, path, of_file)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise InputError(f"{path}: cannot be written ({error})") from None
    _refuse_cut(pyreadstat, path, table.num_rows)
    # the time of writing stands in the header: same seed, same bytes
    header_clock.stop(path)


def _refuse_cut(pyreadstat: ModuleType, path: Path, records: int) -> None:
    """See that the file is whole: the library does not say that the last bytes found no room."""
    readers = {
        ".dta": pyreadstat.read_dta,
        ".por": pyreadstat.read_por,
        ".xpt": pyreadstat.read_xport,
    }
    reader = readers.get(path.suffix.lower(), pyreadstat.read_sav)
    try:
        frame, _ = reader(str(path))
        is_whole = len(frame) == records
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        is_whole = False
    if path.suffix.lower() == ".dta":
        # labels of values, which are not read here, stand before this mark
        is_whole = is_whole and path.read_bytes().endswith(b"</stata_dta>")
    if not is_whole:
        raise InputError(f"{path}: could not be written whole; is there room for it?")


def _write_por(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
    pyreadstat.write_por(*_plain(columns, path), **_titles(columns, of_file))


def _write_xpt(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
    pyreadstat.write_xport(*_plain(columns, path), **_titles(columns, of_file))


def _plain(columns: dict[str, Written], path: Path) -> tuple[Frame, str]:
    import pandas as pd

    frame = {name: column.frame_column() for name, column in columns.items()}
    return pd.DataFrame(frame), str(path)


def _titles(
    columns: dict[str, Written],
    of_file: Mapping[str, Any],
) -> dict[str, object]:
    titles = {
        name: column.description.label
        for name, column in columns.items()
        if column.description.label
    }
    label = str(of_file.get("label") or "")
    return {"column_labels": titles or None, "file_label": label}
