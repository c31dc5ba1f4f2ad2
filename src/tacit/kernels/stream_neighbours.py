"""Microaggregation in a sliding window by true nearest neighbours.

When the window is full, its oldest record leaves. If it has no group yet, it and its k - 1 nearest records
without a group form one and all take the group's centroid; if fewer than k have no group, it takes the value
of the nearest recent group instead, which grows by one. Nothing leaves without a group of at least k.

Distance: sum over columns of weight_j (x_j - y_j)^2, or weight_j when a category differs; a value missing on
one side costs `missing_j`, on both sides nothing. Ties go to the earlier arrival.

State, in two flat arrays so that a call is cheap and a copy is a backup: `ints` = head (see the names below),
kinds (d), group (W), size (W), recent_id (R), recent_size (R); `floats` = window (d, W) of originals by ring slot,
masked (W, d), recent (R, d), moments (4, d), weight and missing (2, d), given weights (d).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .stream_noise import NOMINAL, ORDINAL, observe, variance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HEAD, COUNT, ARRIVAL, GROUP, FREE, RECENT, K, SCALE, COLUMNS, SLOTS, KNOWN = range(11)
FIRST = 11
EMPTY, NO_GROUP = -2, -1


def state(k: int, scale: int, kinds: Ints, given: Floats, slots: int, reuse: int) -> tuple[Floats, Ints]:
    """Fresh (floats, ints)."""
    d = len(kinds)
    floats = np.zeros(2 * d * slots + reuse * d + 7 * d)
    floats[len(floats) - d :] = given
    ints = np.zeros(FIRST + d + 2 * slots + 2 * reuse, dtype=np.int64)
    ints[[K, SCALE, COLUMNS, SLOTS, KNOWN]] = k, scale, d, slots, reuse
    ints[FIRST : FIRST + d] = kinds
    ints[FIRST + d : FIRST + d + slots] = EMPTY
    return floats, ints


@njit(cache=True, nogil=True, error_model="numpy")
def weights(scale: int, given: Floats, moments: Floats, kinds: Ints, weight: Floats, missing: Floats) -> None:
    """Fill weight and missing. scale 0: values as they are; 1: over the running variance; 2: given."""
    for j in range(kinds.shape[0]):
        v = variance(moments, j)
        if scale == 2:
            weight[j], missing[j] = given[j], 1.0
        elif kinds[j] == NOMINAL:
            weight[j] = missing[j] = 2.0 if scale == 1 else 1.0
        elif scale == 1:
            # two standardised values differ by 2 in expected square: what a missing value costs
            weight[j], missing[j] = (1.0 / v, 2.0) if v > 0.0 else (0.0, 2.0)
        else:
            weight[j], missing[j] = 1.0, 2.0 * v


@njit(cache=True, nogil=True, error_model="numpy")
def distances(
    window: Floats, low: int, high: int, target: Floats, weight: Floats, missing: Floats, kinds: Ints, out: Floats
) -> None:
    """Squared distance of slots low..high to the target; slots are the fast axis, so the loops are vectorised."""
    slots = high - low
    out[:slots] = 0.0
    for j in range(window.shape[0]):
        t, w, gap = target[j], weight[j], missing[j]
        column = window[j][low:high]
        if t != t:
            for s in range(slots):
                out[s] += gap if column[s] == column[s] else 0.0
        elif kinds[j] == NOMINAL:
            for s in range(slots):
                x = column[s]
                out[s] += (0.0 if x == t else w) if x == x else gap
        else:
            for s in range(slots):
                diff = column[s] - t
                cost = w * diff * diff
                out[s] += cost if cost == cost else gap


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(distance: Floats, group: Ints, head: int, count: int, room: int, heap_d: Floats, heap_s: Ints) -> int:
    """The `room` nearest slots without a group among those after the head; returns how many were found.

    heap_d, heap_s hold a max-heap by (distance, arrival), so that of equals the earliest stay.
    """
    slots = distance.shape[0]
    found = 0
    for step in range(1, count):
        s = head + step
        if s >= slots:
            s -= slots
        if group[s] != NO_GROUP:
            continue
        d = distance[s]
        if found < room:
            c = found  # sift up; the newcomer is the latest, so it is above its equals
            found += 1
            while c > 0:
                up = (c - 1) // 2
                if heap_d[up] > d:
                    break
                heap_d[c], heap_s[c] = heap_d[up], heap_s[up]
                c = up
            heap_d[c], heap_s[c] = d, step
        elif room > 0 and d < heap_d[0]:
            c = 0  # sift down
            while True:
                kid = 2 * c + 1
                if kid >= room:
                    break
                if kid + 1 < room and (
                    heap_d[kid + 1] > heap_d[kid] or (heap_d[kid + 1] == heap_d[kid] and heap_s[kid + 1] > heap_s[kid])
                ):
                    kid += 1
                # the newcomer is the latest arrival: of equal distances it belongs on top
                if heap_d[kid] <= d:
                    break
                heap_d[c], heap_s[c] = heap_d[kid], heap_s[kid]
                c = kid
            heap_d[c], heap_s[c] = d, step
    for c in range(found):
        s = head + heap_s[c]
        heap_s[c] = s - slots if s >= slots else s
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def centroid(window: Floats, members: Ints, size: int, kinds: Ints, out: Floats) -> None:
    """Mean, median (lower) or mode (smallest code) of the present values; missing when none is present."""
    values = np.empty(size)
    for j in range(kinds.shape[0]):
        n = 0
        total = 0.0
        for i in range(size):
            x = window[j, members[i]]
            if x == x:
                values[n] = x
                total += x
                n += 1
        if n == 0:
            out[j] = np.nan
        elif kinds[j] == NOMINAL:
            values[:n].sort()
            best, run, mode = 0, 0, values[0]
            for i in range(n):
                run = run + 1 if i > 0 and values[i] == values[i - 1] else 1
                if run > best:
                    best, mode = run, values[i]
            out[j] = mode
        elif kinds[j] == ORDINAL:
            values[:n].sort()
            out[j] = values[(n - 1) // 2]
        else:
            out[j] = total / n


@njit(cache=True, nogil=True, error_model="numpy")
def _settle(
    k: int,
    last: bool,
    window: Floats,
    masked: Floats,
    group: Ints,
    size: Ints,
    place: Ints,
    recent: Floats,
    recent_id: Ints,
    recent_size: Ints,
    weight: Floats,
    missing: Floats,
    kinds: Ints,
) -> bool:
    """Give the record at the head a group. False: impossible, there is none and fewer than k are left."""
    head, count, free = place[HEAD], place[COUNT], place[FREE]
    if free >= k:
        # at the end of the stream fewer than k left over would be stranded: they join this group
        room = free - 1 if last and free < 2 * k else k - 1
        distance = np.empty(window.shape[1])
        heap_d, heap_s = np.empty(room + 1), np.empty(room + 1, dtype=np.int64)
        distances(window, 0, window.shape[1], window[:, head], weight, missing, kinds, distance)
        found = nearest(distance, group, head, count, room, heap_d, heap_s)
        heap_s[found] = head
        new = place[RECENT] % recent.shape[0]
        centroid(window, heap_s, found + 1, kinds, recent[new])
        for i in range(found + 1):
            s = heap_s[i]
            group[s], size[s] = place[GROUP], found + 1
            masked[s] = recent[new]
        recent_id[new], recent_size[new] = place[GROUP], found + 1
        place[GROUP] += 1
        place[RECENT] += 1
        place[FREE] -= found + 1
        return True
    known = min(place[RECENT], recent.shape[0])
    if known == 0:
        return False
    near = np.empty(recent.shape[0])
    centres = np.ascontiguousarray(recent.T)
    # all who have no group join now: left behind, they would found poor groups one after the other
    for step in range(count):
        slot = (head + step) % window.shape[1]
        if group[slot] == NO_GROUP:
            distances(centres, 0, known, window[:, slot], weight, missing, kinds, near)
            best = 0
            for g in range(1, known):
                if near[g] < near[best]:
                    best = g
            recent_size[best] += 1
            group[slot], size[slot] = recent_id[best], recent_size[best]
            masked[slot] = recent[best]
    place[FREE] = 0
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def advance(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """Take in every row of `values`; emit what leaves. `last`: the stream ends, emit everything.

    meta[e] = arrival index, delay in records, group, size of the group when it left.
    Returns (emitted, withheld): a record is withheld only if no group of k exists for it.
    """
    k, scale, d, slots, reuse = ints[K], ints[SCALE], ints[COLUMNS], ints[SLOTS], ints[KNOWN]
    place = ints[:FIRST]
    at = FIRST + d
    kinds = ints[FIRST:at]
    group, size = ints[at : at + slots], ints[at + slots : at + 2 * slots]
    at += 2 * slots
    recent_id, recent_size = ints[at : at + reuse], ints[at + reuse : at + 2 * reuse]
    at = d * slots
    window, masked = floats[:at].reshape(d, slots), floats[at : 2 * at].reshape(slots, d)
    at *= 2
    recent, moments = floats[at : at + reuse * d].reshape(reuse, d), floats[at + reuse * d :][: 4 * d].reshape(4, d)
    at += (reuse + 4) * d
    weight, missing, given = floats[at : at + d], floats[at + d : at + 2 * d], floats[at + 2 * d : at + 3 * d]
    emitted = withheld = i = 0
    n = values.shape[0]
    while i < n or (last and place[COUNT] > 0):
        if i < n:
            s = (place[HEAD] + place[COUNT]) % slots
            window[:, s] = values[i]
            group[s] = NO_GROUP
            place[COUNT] += 1
            place[ARRIVAL] += 1
            place[FREE] += 1
            if scale != 2:
                observe(values[i : i + 1], moments, 1.0)
            i += 1
            if place[COUNT] < slots:
                continue
        head = place[HEAD]
        ready = True
        if group[head] == NO_GROUP:
            weights(scale, given, moments, kinds, weight, missing)
            ending = last and i == n
            ready = _settle(
                k, ending, window, masked, group, size, place, recent, recent_id, recent_size, weight, missing, kinds
            )
        if ready:
            out[emitted] = masked[head]
            meta[emitted, 0], meta[emitted, 1] = place[ARRIVAL] - place[COUNT], place[COUNT] - 1
            meta[emitted, 2], meta[emitted, 3] = group[head], size[head]
            emitted += 1
        else:
            withheld += 1
            place[FREE] -= 1
        group[head] = EMPTY
        place[HEAD] = (head + 1) % slots
        place[COUNT] -= 1
    return emitted, withheld
