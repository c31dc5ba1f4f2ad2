"""Which records to suppress where, so that every class of equal records reaches k.

Idea. Both kernels work on classes (distinct rows, ``left`` records each) and on buckets:
the classes that agree on all keys but one set S. ``start``/``member`` list the classes
of each bucket, ``cost`` is the price of suppressing S in one record, ``total`` the
number of records in the bucket. An action is (class, bucket): one record of the class is
suppressed on the S of the bucket. Both are greedy: they go through falling levels of
gain for cost (``cover``) or rising levels of cost for gain (``gather``), and at each
level do what is at least that good. ``protect/grouping/anonymity.py`` prepares the
buckets.

Invariant. ``left`` counts the records of a class that no action has touched, and what an
action gives to other classes is entered at once: the next action is judged by what is
still needed then.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import njit

ROUNDING = 1e-12
"""Gains and costs are small sums: what differs by less than this differs by rounding."""
FIRST_ROOM = 16
"""Actions for which there is room at first; the lists double when they are full."""


@njit(cache=True, nogil=True)
def cover(
    start: Ints,
    member: Ints,
    cost: Floats,
    total: Ints,
    left: Ints,
    need: Ints,
    k: int,
    levels: Floats,
) -> tuple[Ints, Ints]:
    """Reading 'a missing value matches anything': which class to suppress on which bucket.

    A suppressed record counts for every class of its bucket. A class with ``left`` open
    records that needs ``need`` more matches can be helped in two ways: each open record
    is suppressed itself (it then sees the whole bucket), or others of the bucket are
    suppressed and count for it. Its price is at most min(left, need). Greedy: do the
    action that lowers the sum of these prices most per unit of cost, from the highest
    level of gain to the lowest; then undo what turned out to be superfluous. ``left``
    and ``need`` are changed in place.
    """
    buckets = cost.shape[0]
    room = FIRST_ROOM
    who = np.empty(room, dtype=np.int64)
    where = np.empty(room, dtype=np.int64)
    count = 0
    for level in levels:
        for b in range(buckets):
            while True:
                best, gain = _best_action(start, member, total, left, need, k, b)
                if best < 0 or gain < level * cost[b] - ROUNDING:
                    break
                left[best] -= 1
                for e in range(start[b], start[b + 1]):
                    u = member[e]
                    if u != best:
                        need[u] -= 1
                if count == room:
                    room *= 2
                    who = _grown(who, room)
                    where = _grown(where, room)
                who[count] = best
                where[count] = b
                count += 1

    # the first actions were the greediest; later ones may have made them superfluous
    kept = 0
    for a in range(count):
        u = who[a]
        b = where[a]
        if _is_superfluous(start, member, left, need, u, b):
            left[u] += 1
            for e in range(start[b], start[b + 1]):
                if member[e] != u:
                    need[member[e]] += 1
        else:
            who[kept] = u
            where[kept] = b
            kept += 1
    return who[:kept].copy(), where[:kept].copy()


@njit(cache=True, nogil=True)
def _best_action(
    start: Ints,
    member: Ints,
    total: Ints,
    left: Ints,
    need: Ints,
    k: int,
    b: int,
) -> tuple[int, int]:
    """The class of bucket b whose suppression gains most, and the gain; -1 if none does."""
    # a class gains from somebody else's record when matches are its cheaper way
    helped = 0
    for e in range(start[b], start[b + 1]):
        u = member[e]
        if 0 < need[u] <= left[u]:
            helped += 1
    best = -1
    best_gain = 0
    for e in range(start[b], start[b + 1]):
        u = member[e]
        if left[u] == 0:
            continue
        if need[u] > 0 and total[b] < k:
            continue  # the whole bucket would not be enough for its record
        gain = helped
        if need[u] > 0:
            if need[u] <= left[u]:
                gain -= 1  # it does not count for its own class
            if left[u] <= need[u]:
                gain += 1  # but it is settled itself
        # among equals take the class with most records: one of many loses least
        better = gain > best_gain
        if gain == best_gain and best >= 0:
            better = left[u] > left[best]
        if better:
            best_gain = gain
            best = u
    return best, best_gain


@njit(cache=True, nogil=True)
def _is_superfluous(
    start: Ints,
    member: Ints,
    left: Ints,
    need: Ints,
    u: int,
    b: int,
) -> bool:
    """Whether the record of class u can be restored and all open classes still have k."""
    if need[u] > 0:
        return False
    for e in range(start[b], start[b + 1]):
        v = member[e]
        # without this record v would need one match more
        if v != u and left[v] > 0 and need[v] >= 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _grown(array: Ints, room: int) -> Ints:
    """The same entries at the head of an array of ``room`` places."""
    bigger = np.empty(room, dtype=np.int64)
    bigger[: array.shape[0]] = array
    return bigger


@njit(cache=True, nogil=True)
def gather(
    start: Ints,
    member: Ints,
    cost: Floats,
    held: Ints,
    left: Ints,
    small: Bools,
    k: int,
    levels: Floats,
) -> tuple[Ints, Ints, Ints]:
    """Reading 'a missing value is a value of its own': (class, bucket, number of records).

    The suppressed records of a bucket form a class of their own. All open records of the
    small classes of a bucket are suppressed on S; when they are fewer than k, records
    that a large class can spare (it keeps k) come along, or one whole large class.
    Greedy by cost per record helped, cheapest first. ``held`` counts the records that
    have the suppressed form of a bucket already. ``held``, ``left`` and ``small`` are
    changed in place.
    """
    buckets = cost.shape[0]
    room = FIRST_ROOM
    who = np.empty(room, dtype=np.int64)
    where = np.empty(room, dtype=np.int64)
    many = np.empty(room, dtype=np.int64)
    count = 0
    for level in levels:
        for b in range(buckets):
            helped = 0
            spare = 0
            for e in range(start[b], start[b + 1]):
                u = member[e]
                if small[u]:
                    helped += left[u]
                elif left[u] > k:
                    spare += left[u] - k
            if helped == 0:
                continue
            # how many records of large classes must come along
            short = max(0, k - held[b] - helped)
            whole = -1
            if short > spare:
                whole = _smallest_whole(start, member, left, small, short, b)
                if whole < 0:
                    continue
                short = left[whole]
            if cost[b] * (helped + short) > level * helped + ROUNDING:
                continue
            for e in range(start[b], start[b + 1]):
                u = member[e]
                move = 0
                if small[u]:
                    move = left[u]
                elif whole >= 0:
                    move = left[u] if u == whole else 0
                elif short > 0 and left[u] > k:
                    move = min(short, left[u] - k)
                    short -= move
                if move == 0:
                    continue
                small[u] = False
                left[u] -= move
                held[b] += move
                if count == room:
                    room *= 2
                    who = _grown(who, room)
                    where = _grown(where, room)
                    many = _grown(many, room)
                who[count] = u
                where[count] = b
                many[count] = move
                count += 1
    return who[:count].copy(), where[:count].copy(), many[:count].copy()


@njit(cache=True, nogil=True)
def _smallest_whole(
    start: Ints,
    member: Ints,
    left: Ints,
    small: Bools,
    short: int,
    b: int,
) -> int:
    """The smallest large class of bucket b with at least ``short`` records, or -1."""
    whole = -1
    for e in range(start[b], start[b + 1]):
        u = member[e]
        if small[u] or left[u] < short:
            continue
        if whole < 0 or left[u] < left[whole]:
            whole = u
    return whole
