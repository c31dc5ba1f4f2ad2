"""What a cell is: a number, missing, infinite, or text. A code with leading zeros is text, as in
files.
"""

from __future__ import annotations

import math
import re

from tacit.data.io.csv import NULLS

MISSING = frozenset(NULLS)
# as JSON writes numbers, and with a sign or without a digit before or after the point
_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
CODE = re.compile(r"[+-]?0[0-9]+")
"""Digits that begin with a zero: a phone number, a postcode; never a quantity."""


def missing(value: object) -> bool:
    """Nothing, NaN, or a word for it."""
    if isinstance(value, str):
        return value in MISSING
    # NaN is the one value that differs from itself
    return value is None or value != value


def number(value: object, decimal: str = ".") -> float | None:
    """The number that a cell or JSON value is; None: it is none.

    Infinite where it says so, or where it is too large.
    """
    if isinstance(value, str):
        text = value.strip()
        # a cell that has a point already is taken as it is
        if decimal == "," and "." not in text:
            text = text.replace(",", ".", 1)
        if _NUMBER.fullmatch(text):
            return float(text)
        return math.inf if _INFINITE.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
