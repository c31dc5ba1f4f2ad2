"""One column on its way into a Stata, SPSS or SAS file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.data.description import Description
from tacit.data.exact import is_rounded
from tacit.data.frames import Frame
from tacit.data.missing import Missing

# the largest value of Stata's long, above which lie its missing values
LARGEST_LONG = 2_147_483_620
# doubles hold whole numbers up to here; Stata and SPSS have nothing larger
_LARGEST_WHOLE = 2**53
# the largest number of the machines that SAS transport files were made for: 16 ** 63
_LARGEST_SAS = 16.0**63


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
            elif is_number(code):
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
            if pa.types.is_decimal(values.type) and is_rounded(values):
                raise InputError(
                    f"column '{self.name}' has numbers with more digits than Stata, SPSS and SAS "
                    "can hold; make the column text"
                )
            values = values.cast(pa.float64(), safe=False)
            # gaps make pandas read integers as broken numbers: what the file had decides
            whole = self.description.storage.startswith("int")
        numbers = values.cast(pa.float64(), safe=False)
        array = numbers.to_numpy()
        present = array[~np.isnan(array)]
        fits = bool(np.all(np.abs(present) <= LARGEST_LONG))
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
            return self.values.cast(pa.timestamp("us"), safe=False).to_pandas()
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


def is_number(text: str) -> bool:
    """Can the text be read as a number?"""
    try:
        float(text)
    except ValueError:
        return False
    return True
