"""Live records in shells around a centre: the record farthest from a pole, with deletions.

MDAV asks for the record farthest from a pole that lies at the edge of the data. A box bounds that badly in
many columns, because its corners stick out. So the tree is cut by distance from the centre c first, into
shells, and each shell by the widest column; a node has its radius R, besides its box. With a = pole - c and
rho = |a|, for every t >= 0 a record x - c = y of the node has

    |y - a|^2 <= |y - a|^2 + t (R^2 - |y|^2) <= max over the box of the middle term,

and the maximum falls apart into columns. With t = 1 + rho / R, the value that is best for a ball without a
box, it is rho^2 + R^2 + rho R - sum_j y_j (2 a_j + rho/R y_j) at y_j = -a_j R / rho held within the box.
The bound is widened by more than all rounding errors, those of single precision included (``mdav_tree``);
records that it does not exclude are measured in double precision, so the answer is exact."""

import numpy as np
from numba import njit

from tacit.kernels.mdav_tree import LEAF, E, Floats, Ints, Singles, Tree, aim, build, leaf_distances, split, squared

SHELLS = 16

Shells = tuple[Tree, Floats]


@njit(cache=True, nogil=True)
def build_shells(values: Floats, live: Ints, centre: Floats, scale: float) -> Shells:
    """The tree of the records ``live`` (ranks) in shells around ``centre``, and the radius of every node."""
    n, d = live.size, values.shape[1]
    away = np.empty(n)
    for i in range(n):
        away[i] = squared(values, live[i], centre)
    order = live[np.argsort(-away)]
    shells = 1
    while shells < SHELLS and n // (2 * shells) >= 4 * LEAF:
        shells *= 2
    each = 1  # leaves of a shell
    while (n + shells * each - 1) // (shells * each) >= LEAF:
        each *= 2
    leaves = shells * each
    bounds = np.empty(leaves + 1, np.int64)
    for shell in range(shells + 1):
        bounds[shell * each] = shell * n // shells
    for shell in range(shells):
        split(order, values, bounds, shell * each, each)
    tree = build(values, order, bounds, centre, scale)
    block, count = tree[0], tree[2]
    radius = np.zeros(count.size)
    for leaf in range(leaves):
        for t in range(count[leaves - 1 + leaf]):
            total = 0.0
            for j in range(d):
                total += np.float64(block[leaf, j, t]) ** 2
            radius[leaves - 1 + leaf] = max(radius[leaves - 1 + leaf], np.sqrt(total))
    for node in range(leaves - 2, -1, -1):
        radius[node] = max(radius[2 * node + 1], radius[2 * node + 2])
    return tree, radius


@njit(cache=True, nogil=True)
def _farthest_bound(low: Singles, high: Singles, radius: Floats, node: int, single: Singles, rho: float) -> float:
    """See above; radii stay as they were built, so they may be too large after deletions, never too small."""
    r = float(radius[node])
    most = (r + rho) * (r + rho)
    if r <= 0.0 or rho <= 0.0:
        return most
    bound = rho * rho + r * r + rho * r
    for j in range(single.size):
        y = min(max(-single[j] * (r / rho), low[node, j]), high[node, j])
        bound -= y * (2.0 * single[j] + rho / r * y)
    return float(min(bound + E * most, most))


@njit(cache=True, nogil=True)
def farthest(shells: Shells, values: Floats, pole: Floats) -> int:
    """The live record farthest from ``pole``; of equals, the one of smallest rank."""
    tree, radius = shells
    block, rank, count, low, high, _, _, scale = tree
    d = pole.size
    single, out = np.empty(d, np.float32), np.empty(LEAF, np.float32)
    stack, bound = np.empty(64, np.int64), np.empty(64)
    rho = aim(tree, pole, single)
    first_leaf = (count.size + 1) // 2 - 1
    best, who = -1.0, -1
    limit = 0.0  # the least single-precision squared distance of a record that is no nearer than the best
    stack[0], bound[0] = 0, np.inf
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] < limit:
            continue
        while node < first_leaf:
            a, b = 2 * node + 1, 2 * node + 2
            da = _farthest_bound(low, high, radius, a, single, rho) if count[a] > 0 else -1.0
            db = _farthest_bound(low, high, radius, b, single, rho) if count[b] > 0 else -1.0
            if db > da:
                a, b, da, db = b, a, db, da
            if db >= limit:
                stack[top], bound[top] = b, db
                top += 1
            if da < limit:
                node = -1
                break
            node = a
        if node < 0:
            continue
        leaf = node - first_leaf
        leaf_distances(block, leaf, single, out)
        far = 0
        least = np.float32(limit)
        for t in range(LEAF):  # without a branch: most leaves hold nothing (empty slots are infinite)
            far += out[t] >= least
        if far == LEAF - count[node]:
            continue
        for t in range(count[node]):
            if out[t] < least:
                continue
            x = squared(values, rank[leaf, t], pole)
            if x > best or (x == best and rank[leaf, t] < who):
                best, who = x, rank[leaf, t]
        reach = max(np.sqrt(best) * scale * (1.0 - E) - E * rho, 0.0)
        limit = reach * reach * (1.0 - (d + 8) * E)
    return who
