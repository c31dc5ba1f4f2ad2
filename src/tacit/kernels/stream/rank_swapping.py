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
from tacit.kernels.stream.sorted_slots import below, make_room, remove_two, up_to

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
def _swap_head(
    held: Floats,
    done: NDArray[np.uint8],
    order: Ints,
    base: int,
    length: int,
    head: int,
    reach: int,
    down: bool,
    u: float,
) -> int:
    """Swap one column of the record at the head within reach; returns the new length."""
    own = held[base + head]
    at = below(held, order, base, length, own)
    low = max(0, at - reach)
    high = at if down else min(length - 1, at + reach)
    if high == low:
        return length
    # even among the places low..high without the own one
    pick = low + np.int64(u * (high - low))
    if pick >= at and not down:
        pick += 1
    # both have a value of another now: neither is looked at again
    other = order[base + pick]
    held[base + head] = held[base + other]
    held[base + other] = own
    done[base + head] = done[base + other] = 1
    remove_two(order, base + length, base + min(at, pick), base + max(at, pick))
    return length - 2


@njit(cache=True, nogil=True, error_model="numpy")
def _rescue(
    held: Floats,
    done: NDArray[np.uint8],
    base: int,
    slots: int,
    head: int,
    count: int,
) -> None:
    """End of the stream, no partner: change places with the nearest value of those left."""
    best = -1
    gap = np.inf
    own = held[base + head]
    for step in range(1, count):
        s = (head + step) % slots
        difference = abs(held[base + s] - own)
        if best < 0 or difference < gap:
            best = s
            gap = difference
    held[base + head] = held[base + best]
    held[base + best] = own
    done[base + head] = done[base + best] = 1


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
    n = values.shape[0]
    emitted, withheld = _advance(
        values.ravel(), n, last, floats, ints, out.reshape(-1), meta.reshape(-1)
    )
    return emitted, withheld


@njit(cache=True, nogil=True, error_model="numpy")
def advance_one(desk: Floats, floats: Floats, ints: Ints) -> int:
    """Take in the record on the desk: its row, then room for the row that leaves and its books.

    Returns 1 when a record left, 2 when it has missing values, 0 when none did, and -1 when the
    row is not finite: nothing was taken in then.
    """
    d = ints[COLUMNS]
    for j in range(d):
        # a number minus itself is 0 unless it is missing or infinite
        if desk[j] - desk[j] != 0.0:
            return -1
    out = desk[d : 2 * d]
    meta = desk[2 * d :].view(np.int64)
    emitted, _ = _advance(desk, 1, False, floats, ints, out, meta)
    if emitted == 0:
        return 0
    for j in range(d):
        if out[j] != out[j]:
            return 2
    return 1


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(
    values: Floats,
    n: int,
    last: bool,
    held: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """``advance`` of n rows that stand one after the other, as does what leaves.

    Arrays of one axis: making two of it takes as long as a column of one record.
    """
    d = ints[COLUMNS]
    slots = ints[SLOTS]
    reach = ints[REACH]
    down = ints[DOWN] == 1
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    # the parts of the integers, in the order of the module's docstring; column j of the others
    # begins at j * slots
    kinds = ints[FIRST : FIRST + d]
    length = ints[FIRST + d : FIRST + 2 * d]
    at = FIRST + 2 * d
    half = (d * slots + 1) // 2
    order = ints[at : at + half].view(np.int32)
    done = ints[at + half :].view(np.uint8)
    emitted = withheld = i = 0
    while i < n or (last and ints[COUNT] > 0):
        if i < n:
            s = (ints[HEAD] + ints[COUNT]) % slots
            for j in range(d):
                base = j * slots
                # infinite stands for missing, and becomes missing again when it leaves
                x = values[i * d + j]
                x = x if x == x else np.inf
                held[base + s] = x
                done[base + s] = 0
                at = base + up_to(held, order, base, length[j], x)
                make_room(order, base + length[j], at)
                order[at] = s
                length[j] += 1
            ints[COUNT] += 1
            ints[ARRIVAL] += 1
            i += 1
            if ints[COUNT] < slots:
                continue
        head = ints[HEAD]
        count = ints[COUNT]
        ending = last and i == n
        row = row_key(key0, key1, ints[ARRIVAL] - count)
        # nothing may leave with a value of its own
        whole = True
        for j in range(d):
            base = j * slots
            # an earlier record may have swapped with it already
            if done[base + head] == 0:
                # categories have no rank: any of them may be the partner
                limit = slots if kinds[j] == NOMINAL else reach
                # the window shrinks, and the percentage is of what is left
                if ending and kinds[j] != NOMINAL:
                    limit = max(1, reach * count // slots)
                u = uniform(bits(row, j, 0))
                length[j] = _swap_head(
                    held, done, order, base, length[j], head, limit, down, u
                )
            own = done[base + head] == 0
            # the other of the last two still has its own value and will find nobody
            odd = count == 2 and length[j] == 1
            if down and own:
                # published: the smallest keeps its value
                at = base + below(held, order, base, length[j], held[base + head])
                for p in range(at, base + length[j] - 1):
                    order[p] = order[p + 1]
                length[j] -= 1
            elif ending and count > 1 and (own or odd):
                _rescue(held, done, base, slots, head, count)
                length[j] = 0
            whole = whole and (done[base + head] == 1 or down)
        if whole:
            for j in range(d):
                x = held[j * slots + head]
                out[emitted * d + j] = x if x < np.inf else np.nan
            meta[4 * emitted] = ints[ARRIVAL] - count
            meta[4 * emitted + 1] = count - 1
            meta[4 * emitted + 2] = -1
            meta[4 * emitted + 3] = 1
            emitted += 1
        else:
            # a single record in all: nothing to swap with
            withheld += 1
            length[:] = 0
        ints[HEAD] = (head + 1) % slots
        ints[COUNT] -= 1
    return emitted, withheld
