"""Numbers that a double does not hold: it keeps about 16 digits, and ends at 1.8e308."""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.data.buffers import listed

# whole numbers up to here are themselves as doubles
EXACT = 2**53
# digits of whole numbers that are themselves as doubles, and of broken ones as doubles are written
WHOLE, BROKEN = 15, 17
# more digits than any number that a double could be
_WIDE = Context(prec=2000)


def may_be_rounded(type_: pa.DataType) -> bool:
    """A type that holds numbers which no double does."""
    if pa.types.is_integer(type_):
        return bool(type_.bit_width == 64)
    is_text = pa.types.is_string(type_) or pa.types.is_large_string(type_)
    return bool(is_text or pa.types.is_decimal(type_))


def is_rounded(values: pa.ChunkedArray) -> bool:
    """Is there a number that changes when it is computed with?

    >>> is_rounded(pa.chunked_array([[1, 2**53 + 1]])), is_rounded(pa.chunked_array([[2**53]]))
    (True, False)
    """
    if not may_be_rounded(values.type):
        return False
    if pa.types.is_integer(values.type):
        ends = pc.min_max(values).as_py().values()
        return any(end is not None and abs(end) > EXACT for end in ends)
    return loses(values.cast(pa.string()))


def rounded(name: str) -> str:
    """What is said of such a column that is to be computed with."""
    return (
        f"column '{name}' has numbers with more digits than arithmetic keeps (16): what is "
        f"computed from them is rounded; if they are names in figures, say --nominal {name}"
    )


def loses(texts: pa.ChunkedArray, decimal: str = ".") -> bool:
    """Is there a number among the texts that a double would change?

    >>> [loses(pa.chunked_array([[x]])) for x in ("0.1", "12345678901234567890", "1e400")]
    [False, True, True]
    """
    found = pc.unique(texts)
    mantissa = pc.replace_substring_regex(found, "[eE].*", "")
    figures = pc.replace_substring_regex(mantissa, "[^0-9]", "")
    digits = pc.binary_length(pc.utf8_ltrim(figures, "0"))
    is_broken = pc.match_substring_regex(found, f"[eE{re.escape(decimal)}]")
    # from their bytes: numbers of Python would have pyarrow import pandas
    whole, broken = listed([WHOLE, BROKEN], digits.type)
    long = pc.greater(digits, pc.if_else(is_broken, broken, whole))
    power = pc.match_substring_regex(found, "[eE][-+]?[0-9]{3}")
    for text in found.filter(pc.or_(long, power)).to_pylist():
        if text is not None and not is_kept(text.replace(decimal, ".")):
            return True
    return False


def is_kept(text: str) -> bool:
    """Is the number that a double makes of the text the one that is written there?"""
    try:
        meant = Decimal(text.strip())
        double = float(text)
    except (InvalidOperation, ValueError, OverflowError):
        return True  # no number: whoever reads it as one says so
    if not meant.is_finite():
        return True
    if math.isinf(double):
        return False
    if meant == Decimal(repr(double)):
        return True
    if meant == meant.to_integral_value(context=_WIDE):
        return False
    # a double that was written with more digits than it needs: 0.1000000000000000055
    try:
        return Decimal(double).quantize(meant, context=_WIDE) == meant
    except InvalidOperation:
        return False


def refuse_rounded(path: Path, name: str, values: pa.ChunkedArray) -> None:
    """Refuse to write a column into a format of doubles that would not keep its numbers."""
    if is_rounded(values):
        raise InputError(
            f"{path}: column '{name}' has numbers with more digits than this format keeps (16); "
            "make the column text, or write CSV or Parquet"
        )
