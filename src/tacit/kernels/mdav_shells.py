"""Live records in shells around a centre: the record farthest from a pole, with deletions.

MDAV asks for the record farthest from a pole that lies at the edge of the data. A box bounds that badly in
many columns, because its corners stick out. So the records are sorted by their distance from a centre c
into shells of falling radius, and each shell is cut into blocks (kd splits). For a record x of a block and
a pole p

    |x - p|^2 = |x - c|^2 + |p - c|^2 - 2 (x - c).(p - c)

is at most (radius + |p - c|)^2, which ends the walk from the outermost shell inwards, and at most radius^2
+ |p - c|^2 - 2 min over the block's box of (x - c).(p - c), which skips single blocks. Both bounds are
widened by more than their rounding error; the distances themselves are those of a plain scan, so the answer
is exact."""

import numpy as np
from numba import njit

from tacit.kernels.mdav_tree import LEAF, Floats, Ints, leaf_distances, split

SHELLS = 16
_WIDEN = 1.0 + 1e-9

Shells = tuple[Floats, Ints, Ints, Floats, Floats, Floats, Floats, Ints]


@njit(cache=True, nogil=True)
def build_shells(values: Floats, live: Ints, centre: Floats) -> Shells:
    """Shells of the records ``live`` (ranks) of ``values`` around ``centre``."""
    n, d = live.size, values.shape[1]
    squared = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(d):
            total += (values[live[i], j] - centre[j]) ** 2
        squared[i] = total
    order = live[np.argsort(-squared)]
    shells = max(min(n // (4 * LEAF), SHELLS), 1)
    each = 1  # blocks of a shell
    while (n + shells * each - 1) // (shells * each) >= LEAF:
        each *= 2
    blocks = shells * each
    bounds = np.empty(blocks + 1, np.int64)
    for shell in range(shells + 1):
        bounds[shell * each] = shell * n // shells
    for shell in range(shells):
        split(order, values, bounds, shell * each, each)
    block = np.full((blocks, d, LEAF), np.inf)
    rank = np.zeros((blocks, LEAF), np.int64)
    count = np.zeros(blocks, np.int64)
    low, high = np.full((blocks, d), np.inf), np.full((blocks, d), -np.inf)
    radius = np.zeros(blocks)
    place = np.full(values.shape[0], -1, np.int64)
    for b in range(blocks):
        count[b] = bounds[b + 1] - bounds[b]
        for t in range(count[b]):
            r = order[bounds[b] + t]
            rank[b, t] = r
            place[r] = b * LEAF + t
            total = 0.0
            for j in range(d):
                x = values[r, j]
                block[b, j, t] = x
                low[b, j], high[b, j] = min(low[b, j], x - centre[j]), max(high[b, j], x - centre[j])
                total += (x - centre[j]) ** 2
            radius[b] = max(radius[b], np.sqrt(total))
    for b in range(blocks - 2, -1, -1):  # the walk may stop at the first block whose bound is too small
        radius[b] = max(radius[b], radius[b + 1])
    return block, rank, count, low, high, radius, centre.copy(), place


@njit(cache=True, nogil=True)
def delete_from_shells(shells: Shells, r: int) -> None:
    """Take the record of rank r out; the bounds stay valid and become loose until the next build."""
    block, rank, count, _, _, _, _, place = shells
    b, slot = place[r] // LEAF, place[r] % LEAF
    last = count[b] - 1
    for j in range(block.shape[1]):
        block[b, j, slot] = block[b, j, last]
        block[b, j, last] = np.inf
    moved = rank[b, last]
    rank[b, slot] = moved
    place[moved] = b * LEAF + slot
    place[r] = -1
    count[b] = last


@njit(cache=True, nogil=True)
def farthest(shells: Shells, pole: Floats, out: Floats) -> int:
    """The live record farthest from ``pole``; of equals, the one of smallest rank."""
    block, rank, count, low, high, radius, centre, _ = shells
    d = pole.size
    away = np.empty(d)
    total = 0.0
    for j in range(d):
        away[j] = pole[j] - centre[j]
        total += away[j] * away[j]
    reach = np.sqrt(total)
    best, who = -1.0, -1
    for b in range(count.size):
        if (radius[b] + reach) ** 2 * _WIDEN < best:
            break
        if count[b] == 0:
            continue
        inner = 0.0
        for j in range(d):
            inner += min(low[b, j] * away[j], high[b, j] * away[j])
        most = radius[b] * radius[b] + total
        # |inner| <= d (radius reach): its rounding error is far below the widening of ``most``
        if most * _WIDEN - 2.0 * inner < best:
            continue
        leaf_distances(block, b, pole, out)
        for t in range(count[b]):
            x = out[t]
            if x > best or (x == best and rank[b, t] < who):
                best, who = x, rank[b, t]
    return who
