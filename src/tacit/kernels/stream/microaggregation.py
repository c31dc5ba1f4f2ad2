"""Microaggregation in a sliding window by true nearest neighbours.

When the window is full, its oldest record leaves. If it has no group yet, it and its k - 1 nearest
records without a group form one and all take the group's centroid; if fewer than k have no group,
it takes the value of the nearest recent group instead, which grows by one. Invariant: nothing
leaves without a group of at least k.

State, in two flat arrays so that a call is cheap and a copy is a backup: `ints` = head (see the
names below), kinds (d), group (W), size (W), recent_id (R), recent_size (R); `floats` = window (d,
W) of originals by ring slot, masked (W, d), recent (R, d), moments (4, d), weight and missing (2,
d), given weights (d).
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.neighbours import (
    EMPTY,
    NO_GROUP,
    SCALES,
    centroid,
    distances,
    nearest,
    weights,
)
from tacit.kernels.stream.noise import observe

# places in the head of the state's integers
HEAD, COUNT, ARRIVAL, GROUP, FREE, RECENT, K, SCALE, COLUMNS, SLOTS, KNOWN = range(11)
FIRST = 11
_GIVEN = SCALES["range"]


def state(
    k: int,
    scale: int,
    kinds: Ints,
    given: Floats,
    slots: int,
    reuse: int,
) -> tuple[Floats, Ints]:
    """Fresh (floats, ints)."""
    d = len(kinds)
    # window and masked, recent centroids, then seven rows: 4 moments, weight, missing, given
    floats = np.zeros(2 * d * slots + reuse * d + 7 * d)
    floats[len(floats) - d :] = given
    ints = np.zeros(FIRST + d + 2 * slots + 2 * reuse, dtype=np.int64)
    ints[[K, SCALE, COLUMNS, SLOTS, KNOWN]] = k, scale, d, slots, reuse
    ints[FIRST : FIRST + d] = kinds
    # no slot of the ring holds a record yet
    ints[FIRST + d : FIRST + d + slots] = EMPTY
    return floats, ints


@njit(cache=True, nogil=True, error_model="numpy")
def _form(
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
) -> None:
    """A group of the record at the head and its nearest that have none."""
    head = place[HEAD]
    free = place[FREE]
    slots = window.shape[1]
    # at the end of the stream fewer than k left over would be stranded: they join this group
    room = free - 1 if last and free < 2 * k else k - 1
    distance = np.empty(slots)
    heap_d = np.empty(room + 1)
    heap_s = np.empty(room + 1, dtype=np.int64)
    target = window[:, head]
    distances(
        window,
        0,
        slots,
        target,
        weight,
        missing,
        kinds,
        distance,
    )
    found = nearest(
        distance,
        group,
        head,
        place[COUNT],
        room,
        heap_d,
        heap_s,
    )
    # the head itself is a member, behind its neighbours
    heap_s[found] = head
    members = found + 1
    new = place[RECENT] % recent.shape[0]
    centroid(window, heap_s, members, kinds, k, recent[new])
    for i in range(members):
        s = heap_s[i]
        group[s] = place[GROUP]
        size[s] = members
        masked[s] = recent[new]
    recent_id[new] = place[GROUP]
    recent_size[new] = members
    place[GROUP] += 1
    place[RECENT] += 1
    place[FREE] -= members


@njit(cache=True, nogil=True, error_model="numpy")
def _join(
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
) -> None:
    """All who have no group take the nearest recent one.

    All of them now: left behind, they would found poor groups one after the other.
    """
    known = min(place[RECENT], recent.shape[0])
    near = np.empty(recent.shape[0])
    centres = np.ascontiguousarray(recent.T)
    for step in range(place[COUNT]):
        slot = (place[HEAD] + step) % window.shape[1]
        if group[slot] != NO_GROUP:
            continue
        distances(
            centres,
            0,
            known,
            window[:, slot],
            weight,
            missing,
            kinds,
            near,
        )
        # of equals the first
        best = 0
        for g in range(1, known):
            if near[g] < near[best]:
                best = g
        recent_size[best] += 1
        group[slot] = recent_id[best]
        size[slot] = recent_size[best]
        masked[slot] = recent[best]
    place[FREE] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def advance(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """Take in every row of `values`; emit what leaves. `last`: the stream ends, emit everything.

    meta[e] = arrival index, delay in records, group, size of the group when it left.
    Returns (emitted, withheld): a record is withheld only if no group of k exists for it.
    """
    k = ints[K]
    scale = ints[SCALE]
    d = ints[COLUMNS]
    slots = ints[SLOTS]
    reuse = ints[KNOWN]
    # the parts of the two arrays, in the order of the module's docstring
    place = ints[:FIRST]
    at = FIRST + d
    kinds = ints[FIRST:at]
    group = ints[at : at + slots]
    size = ints[at + slots : at + 2 * slots]
    at += 2 * slots
    recent_id = ints[at : at + reuse]
    recent_size = ints[at + reuse : at + 2 * reuse]
    at = d * slots
    window = floats[:at].reshape(d, slots)
    masked = floats[at : 2 * at].reshape(slots, d)
    at *= 2
    recent = floats[at : at + reuse * d].reshape(reuse, d)
    at += reuse * d
    moments = floats[at : at + 4 * d].reshape(4, d)
    at += 4 * d
    weight = floats[at : at + d]
    missing = floats[at + d : at + 2 * d]
    given = floats[at + 2 * d : at + 3 * d]
    n = values.shape[0]
    emitted = withheld = i = 0
    while i < n or (last and place[COUNT] > 0):
        # one in, and when the window is full one out; at the end of the stream only out
        if i < n:
            s = (place[HEAD] + place[COUNT]) % slots
            window[:, s] = values[i]
            group[s] = NO_GROUP
            place[COUNT] += 1
            place[ARRIVAL] += 1
            place[FREE] += 1
            if scale != _GIVEN:
                observe(values[i : i + 1], moments, 1.0)
            i += 1
            if place[COUNT] < slots:
                continue
        head = place[HEAD]
        grouped = True
        if group[head] == NO_GROUP:
            # as far as the stream is known now; later groups may weigh columns differently
            weights(scale, given, moments, kinds, weight, missing)
            if place[FREE] >= k:
                _form(
                    k,
                    last and i == n,
                    window,
                    masked,
                    group,
                    size,
                    place,
                    recent,
                    recent_id,
                    recent_size,
                    weight,
                    missing,
                    kinds,
                )
            elif place[RECENT] > 0:
                _join(
                    window,
                    masked,
                    group,
                    size,
                    place,
                    recent,
                    recent_id,
                    recent_size,
                    weight,
                    missing,
                    kinds,
                )
            else:
                grouped = False
        if grouped:
            out[emitted] = masked[head]
            meta[emitted, 0] = place[ARRIVAL] - place[COUNT]
            meta[emitted, 1] = place[COUNT] - 1
            meta[emitted, 2] = group[head]
            meta[emitted, 3] = size[head]
            emitted += 1
        else:
            withheld += 1
            place[FREE] -= 1
        group[head] = EMPTY
        place[HEAD] = (head + 1) % slots
        place[COUNT] -= 1
    return emitted, withheld
