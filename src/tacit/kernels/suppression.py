"""Which records to suppress where, so that every class of equal records reaches k; see protect/suppression.py.

Both kernels work on classes (distinct rows, `left` records each) and on buckets: the classes that agree on all
keys but one set S. `start`/`member` list the classes of each bucket, `cost` is the price of suppressing S in
one record, `total` the number of records in the bucket. An action is (class, bucket): one record of the class
is suppressed on the S of the bucket.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def cover(
    start: Ints, member: Ints, cost: Floats, total: Ints, left: Ints, need: Ints, k: int, levels: Floats
) -> tuple[Ints, Ints]:
    """Reading 'a missing value matches anything': a suppressed record counts for every class of its bucket.

    A class with `left` open records that needs `need` more matches can be helped in two ways: each open record
    is suppressed itself (it then sees the whole bucket), or others of the bucket are suppressed and count for
    it. Its price is at most min(left, need). Greedy: do the action that lowers the sum of these prices most
    per unit of cost, from the highest level of gain to the lowest; then undo what turned out to be superfluous.
    `left` and `need` are changed in place.
    """
    buckets = cost.shape[0]
    room = 16
    who = np.empty(room, dtype=np.int64)
    where = np.empty(room, dtype=np.int64)
    count = 0
    for level in levels:
        for b in range(buckets):
            while True:
                helped = 0
                for e in range(start[b], start[b + 1]):
                    u = member[e]
                    if 0 < need[u] <= left[u]:
                        helped += 1
                best = -1
                best_gain = 0
                for e in range(start[b], start[b + 1]):
                    u = member[e]
                    if left[u] == 0 or (need[u] > 0 and total[b] < k):
                        continue
                    gain = helped
                    if need[u] > 0:
                        if need[u] <= left[u]:
                            gain -= 1  # it does not count for its own class
                        if left[u] <= need[u]:
                            gain += 1  # but it is settled itself
                    # among equals take the class with most records: one of many loses least
                    if gain > best_gain or (gain == best_gain and best >= 0 and left[u] > left[best]):
                        best_gain = gain
                        best = u
                if best < 0 or best_gain < level * cost[b] - 1e-12:
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
    kept = 0
    for a in range(count):  # the first actions were the greediest; later ones may have made them superfluous
        u = who[a]
        b = where[a]
        spare = need[u] <= 0
        if spare:
            for e in range(start[b], start[b + 1]):
                v = member[e]
                if v != u and left[v] > 0 and need[v] >= 0:
                    spare = False
                    break
        if spare:
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
def _grown(array: Ints, room: int) -> Ints:
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
    small: npt.NDArray[np.bool_],
    k: int,
    levels: Floats,
) -> tuple[Ints, Ints, Ints]:
    """Reading 'a missing value is a value of its own': suppressed records of a bucket form a class of their own.

    All open records of the small classes of a bucket are suppressed on S; when they are fewer than k, records
    that a large class can spare (it keeps k) come along, or one whole large class. Greedy by cost per record
    helped, cheapest first. `held` counts the records that have the suppressed form of a bucket already. Returns
    (class, bucket, number of records); `held`, `left` and `small` are changed in place.
    """
    buckets = cost.shape[0]
    room = 16
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
            short = max(0, k - held[b] - helped)
            whole = -1
            if short > spare:
                for e in range(start[b], start[b + 1]):
                    u = member[e]
                    if not small[u] and left[u] >= short and (whole < 0 or left[u] < left[whole]):
                        whole = u
                if whole < 0:
                    continue
                short = left[whole]
            if cost[b] * (helped + short) > level * helped + 1e-12:
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
