"""Computed numbers without the last digits, in which the order of rows shows.

A sum of the same numbers in another order differs in its last digits, and where two distances are
equal that decides who is nearer.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats

DIGITS = 34
"""Binary digits that are kept, of the widest difference: far finer than people lie apart."""
FLAT = 1e-9
"""Values that differ by less than this share of their size are one."""


def steady(values: Floats) -> Floats:
    """Values to so many binary digits of their spread."""
    there = values[np.isfinite(values)]
    if not len(there):
        return values
    low, high = float(there.min()), float(there.max())
    spread = max(high - low, FLAT * max(abs(low), abs(high)))
    if spread == 0.0:
        return values
    # a power of two, which noise in the last digits of the spread does not change
    unit = 2.0 ** (np.floor(np.log2(spread)) - DIGITS)
    return np.asarray(np.rint(values / unit) * unit)
