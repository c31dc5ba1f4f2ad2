"""Who a record belongs to: a number for each person."""

from __future__ import annotations

import hashlib
import math

# 48 bits fit a float exactly, and two of a million values collide with probability 0.002
TOKEN_BYTES = 6


def token(value: object) -> float:
    """A number for a person or value, the same in every process; NaN: not known.

    A number stands for itself, everything else for 48 bits of its hash.
    """
    if value is None or value == "":
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    digest = hashlib.blake2b(repr(value).encode(), digest_size=TOKEN_BYTES).digest()
    return float(int.from_bytes(digest, "big"))
