"""Stata, SPSS and SAS files through pyreadstat: values, missing codes, labels and formats."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError, MissingExtra
from tacit.data.frames import Frame
from tacit.data.io import stats_write
from tacit.data.notes import annotate

__all__ = ["read", "write"]

# what pyreadstat can be asked for codes of missing values
_USER_MISSING = (".dta", ".sav", ".zsav", ".sas7bdat")


class Metadata(Protocol):
    """What pyreadstat says about a file; the part that is used here."""

    column_names: list[str]
    column_names_to_labels: dict[str, str | None]
    variable_value_labels: dict[str, dict[object, str]]
    missing_ranges: dict[str, list[dict[str, float | str]]]
    missing_user_values: dict[str, list[str]]
    variable_measure: dict[str, str]
    original_variable_types: dict[str, str]
    variable_display_width: dict[str, int]
    readstat_variable_types: dict[str, str]
    file_label: str | None
    notes: list[str] | None


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Codes stay codes; what the file says of them travels with the table and is written back.

    A column of Stata or SAS with codes such as ``.a`` is read as text, because no column of
    numbers can hold them; it is numbers again once its missing codes are gaps.
    """
    pyreadstat = pyreadstat_module()
    ending = path.suffix.lower()
    reader = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }[ending]
    # portable files have one encoding only
    given = encoding is not None and ending != ".por"
    options: dict[str, object] = {"encoding": encoding} if given else {}
    if ending in _USER_MISSING:
        # else codes of missing values become gaps, and why there is none is lost
        options["user_missing"] = True
    try:
        frame, meta = reader(str(path), **options)
    except (
        pyreadstat.ReadstatError,
        UnicodeDecodeError,
        LookupError,
        # a date of a damaged file
        OverflowError,
    ) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    columns = {name: _column(frame, name, meta) for name in meta.column_names}
    table = pa.table(columns)
    entries = {name: _entry(name, meta) for name in meta.column_names}
    entries = {name: entry for name, entry in entries.items() if entry}
    of_file = {"label": meta.file_label or "", "notes": list(meta.notes or [])}
    return annotate(table, columns=entries, file=of_file)


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write with the labels, missing codes, levels and formats that were read."""
    stats_write.write(pyreadstat_module(), table, path)


def _column(frame: Frame, name: str, meta: Metadata) -> pa.Array:
    """A column as Arrow; codes such as ``.a`` as the program writes them."""
    values = frame[name]
    codes = meta.missing_user_values.get(name)
    if codes:
        # letters stand for codes among numbers
        texts = [_cell(value, set(codes)) for value in values]
        return pa.array(texts, pa.string())
    array = pa.Array.from_pandas(values)
    # pyarrow makes chunks of texts above 2 GB
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        # no text is how these programs write that there is none
        empty = pc.equal(array, "")
        nothing = pa.scalar(None, array.type)
        array = pc.if_else(empty, nothing, array)
        array = array.cast(pa.string())
    return array


def _cell(value: object, codes: set[str]) -> str | None:
    if isinstance(value, str):
        return f".{value}" if value in codes else value
    # NaN differs from itself
    if value is None or value != value:
        return None
    return code_text(value)


def _entry(name: str, meta: Metadata) -> dict[str, object]:
    """What the file says of a column, as an entry of a schema file."""
    letters = set(meta.missing_user_values.get(name, ()))
    missing: list[object] = [f".{letter}" for letter in sorted(letters)]
    for span in meta.missing_ranges.get(name, ()):
        low, high = span["lo"], span["hi"]
        # pyreadstat gives a single code as a range from it to itself
        ends = [_whole(low), _whole(high)]
        missing.append(ends[0] if low == high else ends)
    labels = {}
    for code, label in meta.variable_value_labels.get(name, {}).items():
        is_letter = isinstance(code, str) and code in letters
        written = f".{code}" if is_letter else code_text(code)
        labels[written] = str(label)
    level = meta.variable_measure.get(name, "unknown")
    entry: dict[str, object] = {
        "missing": missing,
        "label": meta.column_names_to_labels.get(name) or "",
        "level": "" if level == "unknown" else level,
        "format": meta.original_variable_types.get(name) or "",
        "width": abs(meta.variable_display_width.get(name, 0)),
        "storage": meta.readstat_variable_types.get(name, ""),
        "labels": labels,
    }
    return {word: value for word, value in entry.items() if value}


def pyreadstat_module() -> ModuleType:
    """The library, or the sentence that says how to get it."""
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtra(
            "pyreadstat", "stats", "reading Stata, SPSS and SAS files"
        ) from None
    module: ModuleType = pyreadstat
    return module


def code_text(code: object) -> str:
    """A code as text: 1.0 and 1 are the same code."""
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return str(code)


def _whole(code: float | str) -> int | float | str:
    is_whole = isinstance(code, float) and code.is_integer()
    return int(code) if is_whole else code
