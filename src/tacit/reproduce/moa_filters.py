"""The filters of Martinez Rodriguez (2015) with the very numbers that they drew.

The published program (github.com/necavit/moa-ppsm) makes a java.util.Random with the default seed
of its option, 3141592, and draws from it record by record and column by column. On the streams of
`moa_streams` every published loss and risk of rank swapping and of the private filter then comes
out to the printed digits: nothing is left to chance, and the faults are those re-enacted here.
The plain twin of the kernel is in tests/reproduce/test_moa.py.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.datasets.rbf import JavaRandom
from tacit.kernels.compiler import njit
from tacit.reproduce.moa_streams import uniform

# The default of the option randomSeed of the published filters.
SEED = 3141592


class JavaNoise:
    """Laplace noise as the published filter draws it, for `faults.private_microaggregation`.

    With u uniform on [-1/2, 1/2): -sign(u) log(1 - 2 |u|).
    """

    def __init__(self, seed: int = SEED) -> None:
        self._state = np.array([JavaRandom(seed).state], dtype=np.int64)

    def laplace(self, size: tuple[int, ...]) -> Floats:
        """The next numbers of scale 1, row by row."""
        drawn = np.empty(int(np.prod(size)))
        _fill(self._state, drawn)
        centred = drawn.reshape(size) - 0.5
        # the program keeps the logarithm finite in the same way
        rest = np.maximum(1.0 - 2.0 * np.abs(centred), np.nextafter(0.0, 1.0))
        return np.asarray(np.where(centred < 0.0, 1.0, -1.0) * np.log(rest))


def swap_downwards(records: Floats, reach: int, window: int) -> Floats:
    """Rank swapping as published: ``reach`` ranks, downwards only, the smallest value stays.

    The last ``window`` records have no full window; the published stream never ends, so give so
    many more records than are looked at.
    """
    state = np.array([JavaRandom(SEED).state], dtype=np.int64)
    columns = np.ascontiguousarray(records.T)
    out = columns.copy()
    _swap(columns, reach, window, state, out)
    return np.ascontiguousarray(out.T)


@njit(cache=True, nogil=True)
def _fill(state: Ints, out: Floats) -> None:
    for i in range(len(out)):
        out[i] = uniform(state)


@njit(cache=True, nogil=True)
def _swap(
    columns: Floats,
    reach: int,
    window: int,
    state: Ints,
    out: Floats,
) -> None:
    """Fill ``out`` (columns by records) with the swapped values.

    Invariant: when record t is the oldest, ``value[j, :count[j]]`` are the values of column j that
    are free in records t .. t + window - 1, sorted, and ``record`` says whose they are. Sorted
    arrays make a step cost the logarithm of the window and one short move.
    """
    d, n = columns.shape
    value = np.empty((d, window + 1))
    record = np.empty((d, window + 1), dtype=np.int64)
    count = np.zeros(d, dtype=np.int64)
    free = np.ones((d, n), dtype=np.bool_)
    for s in range(min(window, n)):
        for j in range(d):
            _insert(value[j], record[j], count, j, columns[j, s], s)
    for t in range(n):
        for j in range(d):
            if free[j, t]:
                _swap_one(
                    columns[j],
                    reach,
                    state,
                    out[j],
                    t,
                    value[j],
                    record[j],
                    count,
                    j,
                    free[j],
                )
        if t + window < n:
            for j in range(d):
                _insert(
                    value[j], record[j], count, j, columns[j, t + window], t + window
                )


@njit(cache=True, nogil=True)
def _swap_one(
    column: Floats,
    reach: int,
    state: Ints,
    out: Floats,
    t: int,
    value: Floats,
    record: Ints,
    count: Ints,
    j: int,
    free: Bools,
) -> None:
    """The oldest record changes places with one of the next smaller values, if there is one."""
    place = np.searchsorted(value[: count[j]], column[t])
    # equal values stand together in some order
    while record[place] != t:
        place += 1
    smaller = min(reach, place)
    # a number is drawn only where there is a choice
    if smaller > 0:
        step = int(uniform(state) / (1.0 / smaller) + 1.0)
        partner = place - step
        s = record[partner]
        out[t], out[s] = column[s], column[t]
        free[s] = False
        _remove(value, record, count, j, place)
        _remove(value, record, count, j, partner)
    else:
        _remove(value, record, count, j, place)


@njit(cache=True, nogil=True)
def _insert(
    value: Floats,
    record: Ints,
    count: Ints,
    j: int,
    new: float,
    owner: int,
) -> None:
    place = np.searchsorted(value[: count[j]], new)
    for i in range(count[j], place, -1):
        value[i], record[i] = value[i - 1], record[i - 1]
    value[place], record[place] = new, owner
    count[j] += 1


@njit(cache=True, nogil=True)
def _remove(
    value: Floats,
    record: Ints,
    count: Ints,
    j: int,
    place: int,
) -> None:
    count[j] -= 1
    for i in range(place, count[j]):
        value[i], record[i] = value[i + 1], record[i + 1]
