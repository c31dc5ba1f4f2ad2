"""Writing Stata, SPSS and SAS transport files: each says what its format can hold."""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError, TacitWarning
from tacit.data.description import Description
from tacit.data.frames import Frame
from tacit.data.io import header_clock, legal_names, zero_bytes
from tacit.data.missing import Missing
from tacit.data.notes import columns as said_of_columns
from tacit.data.notes import note

# doubles hold whole numbers up to here; Stata and SPSS have nothing larger
_LARGEST_WHOLE = 2**53
# the largest value of Stata's long, above which lie its missing values
_LARGEST_LONG = 2_147_483_620
# bytes of a text; what is longer would be lost without a word
_LONGEST_TEXT = {".sav": 32_767, ".zsav": 32_767, ".xpt": 32_767}
# the largest number of the machines that SAS transport files were made for: 16 ** 63
_LARGEST_SAS = 16.0**63
# how long labels may be in Stata
_STATA_LABEL = 80
# how long a line of a note may be in SPSS
_SPSS_NOTE = 80
# formats whose numbers pyreadstat turns into dates and times
_SPSS_DATE = re.compile(r"^([AEJS]?DATE|DATETIME|YMDHMS|[DM]?TIME)\d")
_STATA_DATE = re.compile(r"^%-?\d*(td|d|tc|tC)")


def write(pyreadstat: ModuleType, table: pa.Table, path: Path) -> None:
    """Write the table with what is said of its columns, as far as the format has it."""
    ending = path.suffix.lower()
    writers = {
        ".dta": _write_dta,
        ".sav": _write_sav,
        ".zsav": _write_sav,
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


class Written:
    """One column on its way into a file: its values, and what is said of it."""

    def __init__(
        self,
        name: str,
        values: pa.ChunkedArray,
        entry: Mapping[str, Any],
    ) -> None:
        # pyreadstat knows no dictionaries
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        self.name = name
        self.values = values
        self.missing = Missing.from_entry(entry)
        self.description = Description.from_entry(entry)

    @property
    def is_text(self) -> bool:
        """Does the column hold text?"""
        kind = self.values.type
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    @property
    def is_date(self) -> bool:
        """Does the column hold dates or times?"""
        return bool(pa.types.is_temporal(self.values.type))

    def refuse_long_text(self, most: int) -> None:
        """Refuse a text that the format cannot hold."""
        if not self.is_text:
            return
        too_long = pc.greater(pc.binary_length(self.values), most)
        row = pc.index(too_long, True).as_py()
        if row >= 0:
            raise InputError(
                f"column '{self.name}', row {row + 1}: the text has more than {most:,} bytes, "
                "which SPSS and SAS cannot hold; write CSV or Parquet"
            )

    def refuse_large(self) -> None:
        """Refuse a number that would be infinite in a SAS transport file."""
        if not pa.types.is_floating(self.values.type):
            return
        sizes = pc.abs(self.values.cast(pa.float64()))
        too_large = pc.and_(pc.is_finite(sizes), pc.greater(sizes, _LARGEST_SAS))
        row = pc.index(too_large, True).as_py()
        if row >= 0:
            raise InputError(
                f"column '{self.name}', row {row + 1}: {self.values[row]} is larger than any "
                "number of a SAS transport file; write CSV or Parquet"
            )

    def labels(self) -> dict[float | str, str]:
        """Labels of codes that the column can hold."""
        if self.is_date:
            return {}
        labels: dict[float | str, str] = {}
        for code, words in self.description.labels.items():
            if self.is_text:
                labels[code] = words
            elif _is_number(code):
                labels[float(code)] = words
        if self.is_text and self.description.storage not in ("", "string"):
            # categories of a method stand where numbers were: their labels are gone
            distinct = pc.unique(self.values)
            present = set(distinct.to_pylist())
            return {code: words for code, words in labels.items() if code in present}
        return labels

    def numbers(self) -> Frame:
        """Numbers as pandas has them: whole ones with 32 bits where they fit."""
        import pandas as pd

        values = self.values
        # none of these formats has a type for yes and no
        if pa.types.is_boolean(values.type):
            values = values.cast(pa.int8())
        if pa.types.is_integer(values.type):
            self._refuse_long(values)
            whole = True
        else:
            values = values.cast(pa.float64(), safe=False)
            # gaps make pandas read integers as broken numbers: what the file had decides
            whole = self.description.storage.startswith("int")
        numbers = values.cast(pa.float64(), safe=False)
        array = numbers.to_numpy()
        present = array[~np.isnan(array)]
        fits = bool(np.all(np.abs(present) <= _LARGEST_LONG))
        if whole and fits and np.array_equal(present, np.rint(present)):
            return pd.Series(array).astype("Int32")
        return pd.Series(array)

    def frame_column(self) -> Frame:
        """The values as pyreadstat takes them."""
        import pandas as pd

        kind = self.values.type
        if self.is_text:
            return pd.Series(self.values.to_pylist(), dtype=object)
        if pa.types.is_timestamp(kind):
            # these formats have no time zones
            return self.values.cast(pa.timestamp("us")).to_pandas()
        if self.is_date:
            return pd.Series(self.values.to_pylist(), dtype=object)
        if pa.types.is_null(kind):
            gaps = np.full(len(self.values), np.nan)
            return pd.Series(gaps)
        return self.numbers()

    def format_of(self, dates: re.Pattern[str], texts: re.Pattern[str]) -> str:
        """The display format, if it still fits what the column holds."""
        said = self.description.format
        shows_dates = bool(dates.match(said))
        shows_text = bool(texts.match(said))
        # a method may have turned dates or numbers into text: the old format would not open
        fits = shows_dates == self.is_date and shows_text == self.is_text
        return said if fits else ""

    def _refuse_long(self, values: pa.ChunkedArray) -> None:
        # shorter types hold no such number, nor the bound
        if values.type.bit_width < 64:
            return
        too_long = pc.greater(values, pa.scalar(_LARGEST_WHOLE, values.type))
        if pa.types.is_signed_integer(values.type):
            below = pc.less(values, pa.scalar(-_LARGEST_WHOLE, values.type))
            too_long = pc.or_(too_long, below)
        # index gives -1 where there is none
        row = pc.index(too_long, True).as_py()
        if row >= 0:
            raise InputError(
                f"column '{self.name}', row {row + 1}: {values[row]} has more digits than "
                "Stata, SPSS and SAS can hold; make the column text"
            )


def _write_dta(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
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
            elif _is_number(code) and float(code).is_integer():
                known[int(float(code))] = words
        # text and dates cannot carry labels of values in Stata
        is_number = name in letters or not (column.is_text or column.is_date)
        if known and is_number:
            labels[name] = known
            if name not in letters:
                frame[name] = _whole_if_can(frame[name])
        stata = _stata_format(column, is_number)
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


def _write_sav(
    pyreadstat: ModuleType,
    columns: dict[str, Written],
    path: Path,
    of_file: Mapping[str, Any],
) -> None:
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


def _stata_format(column: Written, is_number: bool) -> str:
    said = column.description.format
    if not said.startswith("%"):
        return ""
    if is_number:
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
    fits = bool(np.all(np.abs(present) <= _LARGEST_LONG))
    if fits and np.array_equal(present, np.rint(present)):
        return series.astype("Int32")
    return series


def _spss_missing(column: Written) -> list[Any]:
    """Missing codes as SPSS defines them: three codes, or a range and one code."""
    if column.is_date:
        return []
    codes: list[Any] = []
    for code in column.missing.codes:
        if column.is_text:
            codes.append(str(code))
        elif _is_number(str(code)):
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


def _only_numbers(values: pa.ChunkedArray, plain: Mapping[str, str]) -> bool:
    """Is everything but the codes a number?"""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return not pa.types.is_temporal(values.type)
    distinct = pc.unique(values).to_pylist()
    return all(
        value is None or value in plain or _is_number(value) for value in distinct
    )


# Stata has the missing values .a to .z
def _is_letter(code: object) -> bool:
    return isinstance(code, str) and re.fullmatch(r"\.[a-z]", code) is not None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
