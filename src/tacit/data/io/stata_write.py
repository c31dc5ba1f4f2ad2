"""Writing Stata files: letters as missing codes, labels of whole numbers, display formats."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import TacitWarning
from tacit.data.frames import Frame
from tacit.data.io.stats_column import LARGEST_LONG, Written, is_number

# how long labels may be in Stata
_STATA_LABEL = 80
# formats whose numbers pyreadstat turns into dates and times
_STATA_DATE = re.compile(r"^%-?\d*(td|d|tc|tC)")


def write_dta(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
    """Write .dta."""
    import pandas as pd

    frame: dict[str, Frame] = {}
    letters: dict[str, list[str]] = {}
    labels: dict[str, dict[int | str, str]] = {}
    formats: dict[str, str] = {}
    for name, column in columns.items():
        codes = [code for code in column.missing.codes if _is_letter(code)]
        # .a is written a
        plain = {str(code): str(code)[1:] for code in codes}
        if codes and _only_numbers(column.values, plain):
            frame[name] = _with_letters(column, plain)
            letters[name] = list(plain.values())
        else:
            frame[name] = column.frame_column()
        known: dict[int | str, str] = {}
        for code, words in column.description.labels.items():
            if code in plain:
                if name in letters:
                    known[plain[code]] = words
            # Stata labels whole numbers only
            elif is_number(code) and float(code).is_integer():
                known[int(float(code))] = words
        # text and dates cannot carry labels of values in Stata
        holds_numbers = name in letters or not (column.is_text or column.is_date)
        if known and holds_numbers:
            labels[name] = known
            if name not in letters:
                frame[name] = _whole_if_can(frame[name])
        stata = _stata_format(column, holds_numbers)
        if stata:
            formats[name] = stata
    titles = {
        name: column.description.label[:_STATA_LABEL]
        for name, column in columns.items()
        if column.description.label
    }
    # a label that loses its end may lose its meaning: say so
    cut = [
        f"'{name}'"
        for name in titles
        if titles[name] != columns[name].description.label
    ]
    if cut:
        warnings.warn(
            f"Stata keeps {_STATA_LABEL} characters of a label; those of {', '.join(cut)} "
            "were cut",
            TacitWarning,
            stacklevel=2,
        )
    pyreadstat.write_dta(
        pd.DataFrame(frame),
        str(path),
        file_label=str(of_file.get("label") or "")[:_STATA_LABEL],
        column_labels=titles or None,
        variable_value_labels=labels,
        missing_user_values=letters or None,
        variable_format=formats or None,
    )


def _stata_format(column: Written, holds_numbers: bool) -> str:
    said = column.description.format
    if not said.startswith("%"):
        return ""
    if holds_numbers:
        # a column of numbers that was read as text for its codes
        is_other = _STATA_DATE.match(said) or said.endswith("s")
        return "" if is_other else said
    return column.format_of(_STATA_DATE, re.compile(r"^%.*s$"))


def _with_letters(column: Written, plain: Mapping[str, str]) -> Frame:
    """Numbers and letters in one column, as pyreadstat takes Stata's missing codes."""
    import pandas as pd

    texts = column.values.cast(pa.string()).to_pylist()
    values: list[float | str] = []
    for text in texts:
        if text is None:
            values.append(np.nan)
        else:
            values.append(plain[text] if text in plain else float(text))
    numbers = [value for value in values if not isinstance(value, str)]
    # among integers pyreadstat writes a gap as 0
    whole = column.description.storage.startswith("int") and all(
        np.isfinite(number) and number.is_integer() for number in numbers
    )
    if whole:
        return pd.Series(
            [value if isinstance(value, str) else int(value) for value in values],
            dtype=object,
        )
    return pd.Series(values, dtype=object)


def _whole_if_can(series: Frame) -> Frame:
    """Numbers that are all whole, as integers: Stata labels no others."""
    present = series.dropna().to_numpy(dtype=np.float64)
    fits = bool(np.all(np.abs(present) <= LARGEST_LONG))
    if fits and np.array_equal(present, np.rint(present)):
        return series.astype("Int32")
    return series


def _only_numbers(values: pa.ChunkedArray, plain: Mapping[str, str]) -> bool:
    """Is everything but the codes a number?"""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return not pa.types.is_temporal(values.type)
    distinct = pc.unique(values).to_pylist()
    return all(
        value is None or value in plain or is_number(value) for value in distinct
    )


# Stata has the missing values .a to .z
def _is_letter(code: object) -> bool:
    return isinstance(code, str) and re.fullmatch(r"\.[a-z]", code) is not None
