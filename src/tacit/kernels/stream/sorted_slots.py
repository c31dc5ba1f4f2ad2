"""Slots of a window in the order of the values they hold: where a value belongs, in and out.

A column begins at ``base`` of both arrays: ``held[base + s]`` is the value in slot s, and
``order[base : base + length]`` are slots. Invariant: their values never fall from place to place.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

FEW = np.uint64(8)
"""Values that are looked at one and all: what is left of a search."""
TWO = np.uint64(2)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def below(
    held: Floats,
    order: Ints,
    base: int,
    length: int,
    x: float,
) -> int:
    """Number of values smaller than x: where the head, the earliest of equals, stands."""
    # a search by quarters: three looks that do not wait for each other and no branch on what they
    # see, twice as fast as halves; an index without a sign is not looked at for counting from
    # the end
    column = np.uint64(base)
    low = column
    left = np.uint64(length)
    while left > FEW:
        quarter = left >> TWO
        first = held[column + np.uint64(order[low + quarter])] < x
        second = held[column + np.uint64(order[low + quarter + quarter])] < x
        third = held[column + np.uint64(order[low + quarter + quarter + quarter])] < x
        low += quarter * (np.uint64(first) + np.uint64(second) + np.uint64(third))
        left = left - quarter - quarter - quarter if third else quarter
    place = np.int64(low - column)
    for p in range(left):
        place += 1 if held[column + np.uint64(order[low + p])] < x else 0
    return int(place)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def up_to(
    held: Floats,
    order: Ints,
    base: int,
    length: int,
    x: float,
) -> int:
    """Number of values of at most x: where a newcomer, the latest of equals, belongs."""
    # as in below
    column = np.uint64(base)
    low = column
    left = np.uint64(length)
    while left > FEW:
        quarter = left >> TWO
        first = held[column + np.uint64(order[low + quarter])] <= x
        second = held[column + np.uint64(order[low + quarter + quarter])] <= x
        third = held[column + np.uint64(order[low + quarter + quarter + quarter])] <= x
        low += quarter * (np.uint64(first) + np.uint64(second) + np.uint64(third))
        left = left - quarter - quarter - quarter if third else quarter
    place = np.int64(low - column)
    for p in range(left):
        place += 1 if held[column + np.uint64(order[low + p])] <= x else 0
    return int(place)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def make_room(
    order: Ints,
    stop: int,
    at: int,
) -> None:
    """Move order[at:stop] one place up, from the top."""
    # nothing but this in the loop and an index without a sign: the compiler makes it one move of
    # memory, twice as fast as blocks by hand
    one = np.uint64(1)
    top = np.uint64(stop)
    for step in range(np.uint64(stop - at)):
        place = top - step
        order[place] = order[place - one]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def remove_two(
    order: Ints,
    stop: int,
    a: int,
    b: int,
) -> None:
    """Take places a < b out of order[:stop]."""
    # as in make_room: two moves of memory
    one = np.uint64(1)
    two = np.uint64(2)
    for p in range(np.uint64(a), np.uint64(b - 1)):
        order[p] = order[p + one]
    for p in range(np.uint64(b - 1), np.uint64(stop - 2)):
        order[p] = order[p + two]
