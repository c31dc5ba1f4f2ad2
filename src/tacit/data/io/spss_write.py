"""Writing SPSS files: missing codes and ranges, measurement levels, notes."""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from tacit.base.errors import TacitWarning
from tacit.data.io.stats_column import Written, is_number

# how long a line of a note may be in SPSS
_SPSS_NOTE = 80
# formats whose numbers pyreadstat turns into dates and times
_SPSS_DATE = re.compile(r"^([AEJS]?DATE|DATETIME|YMDHMS|[DM]?TIME)\d")


def write_sav(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
    """Write .sav, or .zsav by its ending."""
    import pandas as pd

    spans: dict[str, list[Any]] = {}
    levels: dict[str, str] = {}
    formats: dict[str, str] = {}
    for name, column in columns.items():
        held = _spss_missing(column)
        if held:
            spans[name] = held
        level = column.description.level
        if level:
            # text has no scale
            levels[name] = "nominal" if column.is_text and level == "scale" else level
        spss = column.format_of(_SPSS_DATE, re.compile(r"^A(HEX)?\d"))
        if re.match(r"^[A-Z]+\d+(\.\d+)?$", spss) and not column.is_text:
            formats[name] = spss
    described = {name: column.description for name, column in columns.items()}
    widths = {name: said.width for name, said in described.items() if said.width}
    titles = {name: said.label for name, said in described.items() if said.label}
    frame = {name: column.frame_column() for name, column in columns.items()}
    labels: dict[str, dict[Any, str]] = {}
    for name, column in columns.items():
        known: dict[Any, str] = dict(column.labels())
        if frame[name].dtype == "Int32":
            # codes must have the type of the values
            known = {int(code): words for code, words in known.items() if code % 1 == 0}
        labels[name] = known
    # the two kinds of compression exclude each other
    compressed = path.suffix.lower() == ".zsav"
    pyreadstat.write_sav(
        pd.DataFrame(frame),
        str(path),
        file_label=str(of_file.get("label") or ""),
        note=_lines(of_file.get("notes") or []) or None,
        column_labels=titles or None,
        variable_value_labels={name: known for name, known in labels.items() if known},
        missing_ranges=spans or None,
        variable_measure=levels or None,
        variable_format=formats or None,
        variable_display_width=widths or None,
        compress=compressed,
        row_compress=not compressed,
    )


def _lines(notes: list[Any]) -> list[str]:
    """Notes in lines that SPSS can hold: eighty bytes each."""
    lines: list[str] = []
    for text in notes:
        # letters beyond ASCII take up to four bytes
        width = _SPSS_NOTE if str(text).isascii() else _SPSS_NOTE // 4
        lines += textwrap.wrap(str(text), width) or [""]
    return lines


def _spss_missing(column: Written) -> list[Any]:
    """Missing codes as SPSS defines them: three codes, or a range and one code."""
    if column.is_date:
        return []
    codes: list[Any] = []
    for code in column.missing.codes:
        if column.is_text:
            codes.append(str(code))
        elif is_number(str(code)):
            codes.append(float(code))
    ranges = [] if column.is_text else list(column.missing.ranges)
    # who opens the file must not average the mark of suppressed cells
    mark = column.missing.suppressed
    if mark is not None and mark not in column.missing.codes:
        codes.append(str(mark) if column.is_text else float(mark))
    spans = [{"lo": float(low), "hi": float(high)} for low, high in ranges]
    # SPSS defines no missing text of more than eight bytes
    long_text = any(isinstance(code, str) and len(code.encode()) > 8 for code in codes)
    most_codes = 1 if spans else 3
    too_many = len(spans) > 1 or len(codes) > most_codes
    if too_many or long_text:
        warnings.warn(
            f"column '{column.name}': SPSS defines at most three short missing codes, or "
            "one range and one code; they are written as values, without a definition",
            TacitWarning,
            stacklevel=2,
        )
        return []
    return [*spans, *codes]
