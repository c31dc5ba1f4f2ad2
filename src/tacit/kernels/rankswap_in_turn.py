"""Rank swapping of one sorted column, some positions at a time, with the result of ``rankswap``.

Idea. No position is drawn, changed or looked at that is further than the window from the present
one. So a stretch of two windows and the positions in hand is all that is held; what lies behind
it is settled and can be written away.

Invariant. ``move[t]`` is ``source[base + t] - (base + t)`` of ``rankswap.swap_positions`` at the
same step, 0 for a position that has not been swapped; ``place[t]`` is where position ``base + t``
stands in the pool, or -1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.rankswap import LINES

Moves = npt.NDArray[np.int32]
"""How many positions away the value comes from that goes to each position."""


def pairs_in_turn(
    uniform: Callable[[int], Floats], n: int, window: int, length: int
) -> Iterator[Moves]:
    """The moves of ``swap_positions``, in stretches, in order.

    Parameters
    ----------
    uniform : function
        The next so many numbers in [0, 1).
    n, window : int
        Positions, and how far one may move.
    length : int
        Positions in hand at a time.
    """
    # behind the first position in hand: a window, and the neighbour that may move one further
    behind = window + 1
    stretch = behind + length + window
    move = np.zeros(stretch, dtype=np.int32)
    place = np.full(stretch, -1, dtype=np.int32)
    pool = np.empty(min(window, n) + 1, dtype=np.int64)
    # of the pool: how many, and the first position not yet looked at
    state = np.zeros(2, dtype=np.int64)
    kernel = swap_some.taking(LINES * n)
    written = 0
    for first in range(0, n, length):
        some = uniform(min(length, n - first))
        base = first - behind
        kernel(move, place, pool, state, some, base, window, n)
        done = first + len(some)
        # a later position may still join one that is a window or less behind it
        settled = n if done == n else max(done - behind, 0)
        yield move[written - base : settled - base].copy()
        written = settled
        if done < n:
            move[: stretch - length] = move[length:]
            move[stretch - length :] = 0
            place[: stretch - length] = place[length:]
            place[stretch - length :] = -1


def cycles_in_turn(
    source: Iterator[Moves], uniform: Callable[[int], Floats], n: int, window: int
) -> Iterator[Moves]:
    """One sweep of ``stir``: from the moves before it to those after it, in stretches."""
    kernel = stir_some.taking(LINES * n)
    held = np.empty(0, dtype=np.int64)
    first = read = 0
    while first < n:
        # what is in hand, and a window ahead of it
        for moves in source:
            held = np.append(held, moves + np.arange(read, read + len(moves)))
            read += len(moves)
            if read - first > window:
                break
        count = n - first if read == n else read - window - first
        kernel(held, uniform(count), first, window, n)
        place = np.arange(first, first + count)
        yield (held[:count] - place).astype(np.int32)
        held = held[count:]
        first += count


@njit(cache=True, nogil=True)
def swap_some(
    move: Moves,
    place: Moves,
    pool: Ints,
    state: Ints,
    uniform: Floats,
    base: int,
    window: int,
    n: int,
) -> None:
    """The steps of ``swap_positions`` for positions in hand, which begin window + 1 after base."""
    first = base + window + 1
    size, ahead = state[0], state[1]
    for step in range(uniform.shape[0]):
        i = first + step
        t = i - base
        if place[t] >= 0:
            size -= 1
            moved = pool[size]
            pool[place[t]] = moved
            place[moved - base] = place[t]
            place[t] = -1
        while ahead <= min(i + window, n - 1):
            if ahead > i:
                pool[size] = ahead
                place[ahead - base] = size
                size += 1
            ahead += 1
        if move[t] != 0:
            continue
        if size > 0:
            chosen = min(int(uniform[step] * size), size - 1)
            j = pool[chosen]
            size -= 1
            moved = pool[size]
            pool[chosen] = moved
            place[moved - base] = chosen
            place[j - base] = -1
            move[t] = j - i
            move[j - base] = i - j
        elif n > 1:
            _join(move, i, base, window, n, uniform[step])
    state[0], state[1] = size, ahead


@njit(cache=True, nogil=True)
def _join(move: Moves, i: int, base: int, window: int, n: int, u: float) -> None:
    """``rankswap._join`` by moves: i enters a pair in which nobody moves further than allowed."""
    low = max(0, i - window)
    high = min(n - 1, i + window)
    count = 0
    for j in range(low, high + 1):
        held = move[j - base]
        if j != i and held != 0 and abs(j + held - i) <= window:
            count += 1
    pick = min(int(u * count), count - 1)
    partner = i - 1 if i > 0 else i + 1
    if count > 0:
        for j in range(low, high + 1):
            held = move[j - base]
            if j != i and held != 0 and abs(j + held - i) <= window:
                if pick == 0:
                    partner = j
                    break
                pick -= 1
    move[i - base] = partner + move[partner - base] - i
    move[partner - base] = i - partner


@njit(cache=True, nogil=True)
def stir_some(held: Ints, uniform: Floats, first: int, window: int, n: int) -> None:
    """The steps of ``stir`` for the first positions of a stretch that begins at ``first``."""
    for step in range(uniform.shape[0]):
        i = first + step
        choices = min(window, n - 1 - i) + 1
        j = i + min(int(uniform[step] * choices), choices - 1)
        mine, other = held[step], held[j - first]
        if abs(other - i) <= window and abs(mine - j) <= window:
            held[step] = other
            held[j - first] = mine
