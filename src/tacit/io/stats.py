"""Stata, SPSS and SAS files through pyreadstat, with value labels kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.errors import InputError, MissingExtra
from tacit.io.labels import annotate, note, value_labels


def read(path: Path, *, encoding: str | None = None) -> pa.Table:
    """Codes stay codes; their labels travel with the table and are written back."""
    pyreadstat = _pyreadstat()
    reader = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }[path.suffix.lower()]
    options = {} if encoding is None else {"encoding": encoding}
    try:
        frame, meta = reader(str(path), **options)
    except (pyreadstat.ReadstatError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    labels = {
        name: {_code(code): str(label) for code, label in meaning.items()}
        for name, meaning in (meta.variable_value_labels or {}).items()
    }
    titles = dict(meta.column_names_to_labels or {})
    return annotate(table, labels=labels, titles=titles)


def write(table: pa.Table, path: Path) -> None:
    """Write with the labels that were read."""
    pyreadstat = _pyreadstat()
    ending = path.suffix.lower()
    frame = table.to_pandas()
    titles = {name: title for name, title in (note(table, "titles") or {}).items() if title and name in frame}
    options: dict[str, Any] = {"column_labels": titles} if titles else {}
    labels = {
        name: {float(code) if _number(code) else code: label for code, label in meaning.items()}
        for name, meaning in value_labels(table).items()
        if name in frame
    }
    if ending == ".dta":
        whole = {n: {int(c): v for c, v in m.items()} for n, m in labels.items() if all(_number(str(c)) for c in m)}
        for name in whole:
            if frame[name].dtype.kind == "f" and not frame[name].isna().any():
                frame[name] = frame[name].astype("int64")
        pyreadstat.write_dta(frame, str(path), variable_value_labels=whole, **options)
    elif ending in (".sav", ".zsav"):
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, row_compress=ending == ".zsav", **options)
    elif ending == ".por":
        pyreadstat.write_por(frame, str(path), **options)
    elif ending == ".xpt":
        pyreadstat.write_xport(frame, str(path), **options)
    else:
        raise InputError(f"{path}: {ending} files can be read but not written; use .xpt, .dta, .sav or .parquet")


def _pyreadstat() -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtra("pyreadstat", "stats", "reading Stata, SPSS and SAS files") from None
    return pyreadstat


def _code(code: Any) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
