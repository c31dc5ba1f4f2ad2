"""How many decimals people wrote: 2 for money in cents, 0 for ages stored as broken numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa

from tacit.data.buffers import floats_of, numpy_type

# more decimals are those of a computation, not of a person who writes
MOST_DECIMALS = 6
# a look that rules most computed columns out
FIRST_LOOK = 1000
# beyond 2 ** 53 not every whole number has a float of its own
LARGEST = 2.0**53


def decimals_of(values: pa.ChunkedArray | pa.Array) -> int | None:
    """Decimals with which every value can be written exactly; None where more than six are needed.

    Parameters
    ----------
    values : Arrow column
        Any values; only columns of broken numbers have decimals.

    Notes
    -----
    The least d such that each value is the float nearest to its own rounding to d decimals.
    A column of single precision is compared in single precision.

    Examples
    --------
    >>> decimals_of(pa.array([1.25, 3.5, None]))
    2
    >>> decimals_of(pa.array([1 / 3])) is None
    True
    """
    if not pa.types.is_floating(values.type):
        return None
    array = finite(values)
    return decimals_in_turn(lambda: [array[:FIRST_LOOK], array])


def finite(values: pa.ChunkedArray | pa.Array) -> np.ndarray:
    """The broken numbers of a column that are there, in its own precision."""
    known = values.drop_null()
    numbers = floats_of(known.cast(pa.float64()))
    array = numbers.astype(numpy_type(values.type))
    return np.asarray(array[np.isfinite(array)])


def decimals_in_turn(arrays: Callable[[], Iterable[np.ndarray]]) -> int | None:
    """As ``decimals_of``, of finite numbers that come some at a time, as often as asked for."""
    largest = -1.0
    for array in arrays():
        largest = max(largest, float(np.abs(array).max(initial=-1.0)))
    if largest < 0:
        return None
    for decimals in range(MOST_DECIMALS + 1):
        if largest * 10**decimals >= LARGEST:
            return None
        # most columns end at the first numbers that need more
        if all(_hold(array, decimals) for array in arrays()):
            return decimals
    return None


def _hold(array: np.ndarray, decimals: int) -> bool:
    rounded = np.round(array.astype(np.float64), decimals)
    same = rounded.astype(array.dtype) == array
    return bool(same.all())
