"""Rank swapping in a sliding window, column by column.

When the window is full its oldest record leaves. Each of its values that is still its own is
swapped with a value of another record of the window that is still its own too, drawn evenly among
those whose rank (among the values of the window not yet swapped) differs by at most `reach`,
upwards or downwards. The sorted values are kept from record to record: one insertion and one
removal each, instead of a sort. Invariant: `order` lists the unswapped values of a column in order
of size, equals in order of arrival.

At the end of the stream the window shrinks, and `reach` in proportion; a value left without a
partner changes places with the nearest value of a record that has not left yet, so nobody keeps a
value of their own. A missing value is treated as the largest one. `down` is the published reading
(only towards smaller values, the smallest value stays): for comparison only.

State, in two flat arrays: `ints` = head (see the names below), kinds (d), length (d), then `order`
(d, W) as 32-bit slots of the unswapped values of each column in order, and `done` (d, W) as bytes;
`floats` = held (d, W), the value in each ring slot.
"""

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.addressed import bits, row_key, uniform
from tacit.kernels.stream.noise import NOMINAL

# places in the head of the state's integers
HEAD, COUNT, ARRIVAL, REACH, DOWN, COLUMNS, SLOTS, KEY0, KEY1 = range(9)
FIRST = 9


def state(
    reach: int,
    down: bool,
    kinds: Ints,
    slots: int,
    keys: NDArray[np.uint64],
) -> tuple[Floats, Ints]:
    """Fresh (floats, ints)."""
    d = len(kinds)
    cells = d * slots
    # words of 64 bits that hold so many numbers of 32 bits, and so many bytes
    order_words = (cells + 1) // 2
    done_words = (cells + 7) // 8
    ints = np.zeros(FIRST + 2 * d + order_words + done_words, dtype=np.int64)
    ints[[REACH, DOWN, COLUMNS, SLOTS]] = reach, down, d, slots
    ints[[KEY0, KEY1]] = keys.view(np.int64)
    ints[FIRST : FIRST + d] = kinds
    return np.zeros(cells), ints


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _below(
    held: Floats,
    order: Ints,
    length: int,
    x: float,
) -> int:
    """Number of values smaller than x: where the head, the earliest of equals, stands."""
    # binary search; an index without a sign is not looked at for counting from the end
    low = np.uint64(0)
    one = np.uint64(1)
    left = np.uint64(length)
    while left > 0:
        half = left >> one
        smaller = held[np.uint64(order[low + half])] < x
        low = low + half + one if smaller else low
        left = left - half - one if smaller else half
    return int(low)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _up_to(
    held: Floats,
    order: Ints,
    length: int,
    x: float,
) -> int:
    """Number of values of at most x: where a newcomer, the latest of equals, belongs."""
    low = np.uint64(0)
    one = np.uint64(1)
    left = np.uint64(length)
    while left > 0:
        half = left >> one
        smaller = held[np.uint64(order[low + half])] <= x
        low = low + half + one if smaller else low
        left = left - half - one if smaller else half
    return int(low)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _make_room(
    order: Ints,
    length: int,
    at: int,
) -> None:
    """Move order[at:length] one place up, from the top."""
    # nothing but this in the loop and an index without a sign: the compiler makes it one move of
    # memory, twice as fast as blocks by hand
    one = np.uint64(1)
    top = np.uint64(length)
    for step in range(np.uint64(length - at)):
        place = top - step
        order[place] = order[place - one]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _remove_two(
    order: Ints,
    length: int,
    a: int,
    b: int,
) -> None:
    """Take out places a < b."""
    # as in _make_room: two moves of memory
    one = np.uint64(1)
    two = np.uint64(2)
    for p in range(np.uint64(a), np.uint64(b - 1)):
        order[p] = order[p + one]
    for p in range(np.uint64(b - 1), np.uint64(length - 2)):
        order[p] = order[p + two]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _swap_head(
    held: Floats,
    done: NDArray[np.uint8],
    order: Ints,
    length: int,
    head: int,
    reach: int,
    down: bool,
    u: float,
) -> int:
    """Swap one column of the record at the head within reach; returns the new length."""
    at = _below(held, order, length, held[head])
    low = max(0, at - reach)
    high = at if down else min(length - 1, at + reach)
    if high == low:
        return length
    # even among the places low..high without the own one
    pick = low + np.int64(u * (high - low))
    if pick >= at and not down:
        pick += 1
    # both have a value of another now: neither is looked at again
    other = order[pick]
    kept = held[head]
    held[head] = held[other]
    held[other] = kept
    done[head] = done[other] = 1
    _remove_two(order, length, min(at, pick), max(at, pick))
    return length - 2


@njit(cache=True, nogil=True, error_model="numpy")
def _rescue(
    held: Floats,
    done: NDArray[np.uint8],
    head: int,
    count: int,
) -> None:
    """End of the stream, no partner: change places with the nearest value of those left."""
    slots = held.shape[0]
    best = -1
    gap = np.inf
    for step in range(1, count):
        s = (head + step) % slots
        difference = abs(held[s] - held[head])
        if best < 0 or difference < gap:
            best = s
            gap = difference
    kept = held[head]
    held[head] = held[best]
    held[best] = kept
    done[head] = done[best] = 1


@njit(cache=True, nogil=True, error_model="numpy")
def advance(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """Take in every row; emit what leaves. `last`: the stream ends, emit everything.

    meta[e] = arrival index, delay in records, -1, 1 (no groups). Returns (emitted, withheld).
    """
    d = ints[COLUMNS]
    slots = ints[SLOTS]
    reach = ints[REACH]
    down = ints[DOWN] == 1
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    # the parts of the two arrays, in the order of the module's docstring
    place = ints[:FIRST]
    kinds = ints[FIRST : FIRST + d]
    length = ints[FIRST + d : FIRST + 2 * d]
    at = FIRST + 2 * d
    cells = d * slots
    half = (cells + 1) // 2
    order_cells = ints[at : at + half].view(np.int32)
    order = order_cells[:cells].reshape(d, slots)
    done_cells = ints[at + half :].view(np.uint8)
    done = done_cells[:cells].reshape(d, slots)
    held = floats.reshape(d, slots)
    n = values.shape[0]
    emitted = withheld = i = 0
    while i < n or (last and place[COUNT] > 0):
        if i < n:
            head = place[HEAD]
            s = (head + place[COUNT]) % slots
            for j in range(d):
                # infinite stands for missing, and becomes missing again when it leaves
                x = values[i, j]
                held[j, s] = x if x == x else np.inf
                done[j, s] = 0
                at = _up_to(held[j], order[j], length[j], held[j, s])
                _make_room(order[j], length[j], at)
                order[j, at] = s
                length[j] += 1
            place[COUNT] += 1
            place[ARRIVAL] += 1
            i += 1
            if place[COUNT] < slots:
                continue
        head = place[HEAD]
        count = place[COUNT]
        ending = last and i == n
        row = row_key(key0, key1, place[ARRIVAL] - count)
        # nothing may leave with a value of its own
        whole = True
        for j in range(d):
            # an earlier record may have swapped with it already
            if done[j, head] == 0:
                # categories have no rank: any of them may be the partner
                limit = slots if kinds[j] == NOMINAL else reach
                # the window shrinks, and the percentage is of what is left
                if ending and kinds[j] != NOMINAL:
                    limit = max(1, reach * count // slots)
                u = uniform(bits(row, j, 0))
                length[j] = _swap_head(
                    held[j],
                    done[j],
                    order[j],
                    length[j],
                    head,
                    limit,
                    down,
                    u,
                )
            own = done[j, head] == 0
            # the other of the last two still has its own value and will find nobody
            odd = count == 2 and length[j] == 1
            if down and own:
                # published: the smallest keeps its value
                at = _below(held[j], order[j], length[j], held[j, head])
                for p in range(at, length[j] - 1):
                    order[j, p] = order[j, p + 1]
                length[j] -= 1
            elif ending and count > 1 and (own or odd):
                _rescue(held[j], done[j], head, count)
                length[j] = 0
            whole = whole and (done[j, head] == 1 or down)
        if whole:
            for j in range(d):
                x = held[j, head]
                out[emitted, j] = x if x < np.inf else np.nan
            meta[emitted, 0] = place[ARRIVAL] - count
            meta[emitted, 1] = count - 1
            meta[emitted, 2] = -1
            meta[emitted, 3] = 1
            emitted += 1
        else:
            # a single record in all: nothing to swap with
            withheld += 1
            length[:] = 0
        place[HEAD] = (head + 1) % slots
        place[COUNT] -= 1
    return emitted, withheld
