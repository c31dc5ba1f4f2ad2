"""Columns as an intruder reads them: numbers wherever there are any, whatever the file calls them.

'79.0 kg', '03/04/2020' and an income of '12000' among letters are numbers to whoever looks.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Floats, Ints
from tacit.data import dates
from tacit.data.category_codes import floats

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
"""The first number in a text; thousands are not grouped."""
MOSTLY = 0.6
"""Share of the texts that hold a number, or a date, from which a column of texts is one."""
LOOKED_AT = 200
"""Texts that are looked at to find the format of a date."""
DAY = 86_400_000_000
"""Microseconds: moments are counted in days."""


def as_numbers(values: pa.ChunkedArray) -> Floats | None:
    """The column as numbers, NaN where there is none; None: it holds no numbers.

    >>> as_numbers(pa.chunked_array([["79.0 kg", "81.5 kg", None]])).tolist()
    [79.0, 81.5, nan]
    """
    kind = values.type
    if pa.types.is_dictionary(kind):
        return as_numbers(values.cast(kind.value_type))
    if pa.types.is_boolean(kind):
        return floats(values.cast(pa.int8()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _finite(floats(values))
    if pa.types.is_decimal(kind):
        return _finite(floats(values.cast(pa.float64())))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        moments = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        return floats(moments) / DAY
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    return _in_texts(values)


def _finite(numbers: Floats) -> Floats:
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _in_texts(values: pa.ChunkedArray) -> Floats | None:
    """Each distinct text once: a date, or the first number in it."""
    texts, codes = _coded(values)
    if not texts:
        return None
    read = _dates(texts) or [_number(text) for text in texts]
    found = np.array([*read, np.nan], np.float64)
    out = found[codes]
    present = codes < len(texts)
    held = np.isfinite(out[present]).mean() if present.any() else 0.0
    return out if held >= MOSTLY else None


def _number(text: str) -> float:
    found = NUMBER.search(text)
    value = float(found.group()) if found else np.nan
    return value if np.isfinite(value) else np.nan


def _dates(texts: list[str]) -> list[float] | None:
    """Days, where most texts are dates of one format."""
    # no digit and no separator: no date
    some = texts[:: max(1, len(texts) // LOOKED_AT)][:LOOKED_AT]
    if sum(bool(re.search(r"\d\D+\w+\D+\d|^\d{8}$", text)) for text in some) < MOSTLY:
        return None
    formats = dates.formats_of(some)
    if not formats or formats[0][1] < MOSTLY:
        return None
    moments = (dates.read_date(text, formats[0][0]) for text in texts)
    return [np.nan if m is None else m.timestamp() * 1e6 / DAY for m in moments]


def _coded(values: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """The distinct texts, and which of them each record has; their number: none."""
    coded = values.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    texts = [str(text) for text in coded.dictionary.to_pylist()]
    codes = pc.fill_null(coded.indices, len(texts)).to_numpy(zero_copy_only=False)
    return texts, codes.astype(np.int64)


def as_labels(values: pa.ChunkedArray) -> list[str | None]:
    """Every value as text."""
    return [None if value is None else str(value) for value in values.to_pylist()]
