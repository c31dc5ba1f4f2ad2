"""Live records in shells around a centre: the record farthest from a pole, with deletions.

Idea. MDAV asks for the record farthest from a pole that lies at the edge of the data. A
box bounds that badly in many columns, because its corners stick out. So the tree is cut
by distance from the centre c first, into shells, and each shell by the widest column; a
node has its radius R, besides its box. With a = pole - c and rho = |a|, for every t >= 0
a record x - c = y of the node has

    |y - a|^2 <= |y - a|^2 + t (R^2 - |y|^2) <= max over the box of the middle term,

and the maximum falls apart into columns. With t = 1 + rho / R, the value that is best
for a ball without a box, it is rho^2 + R^2 + rho R - sum_j y_j (2 a_j + rho/R y_j) at
y_j = -a_j R / rho kept within the box.

Invariant. A bound is never below the distance of a live record of its node. It is
widened by more than all rounding errors, those of single precision included
(``live_tree``); records that it does not exclude are measured in double precision, so
the answer is exact.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.mdav.live_tree import (
    LEAF,
    E,
    Singles,
    Tree,
    aim,
    build,
    leaf_distances,
    split,
    squared,
)

SHELLS = 16
"""Shells at most, a power of two: they are the upper levels of a binary tree."""
SHELL_LEAVES = 4
"""Leaves that a shell fills at least; thinner shells would leave nothing for columns."""
STACK = 64
"""One node waits on each level at most, and no tree in memory has 64 levels."""

Shells = tuple[Tree, Floats]


@njit(cache=True, nogil=True)
def build_shells(
    values: Floats,
    live: Ints,
    centre: Floats,
    scale: float,
) -> Shells:
    """The tree of the records ``live`` (ranks) in shells around ``centre``.

    With the radius of every node.
    """
    n = live.size
    away = np.empty(n)
    for i in range(n):
        away[i] = squared(values, live[i], centre)
    order = live[np.argsort(-away)]
    shells = 1
    while shells < SHELLS and n // (2 * shells) >= SHELL_LEAVES * LEAF:
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
    return tree, _radii(tree)


@njit(cache=True, nogil=True)
def _radii(tree: Tree) -> Floats:
    """The largest distance from the centre in each node, in the unit of the tree."""
    leaves, d, _ = tree.block.shape
    first_leaf = leaves - 1
    radius = np.zeros(tree.live.size)
    for leaf in range(leaves):
        node = first_leaf + leaf
        for t in range(tree.live[node]):
            total = 0.0
            for j in range(d):
                total += np.float64(tree.block[leaf, j, t]) ** 2
            radius[node] = max(radius[node], np.sqrt(total))
    for node in range(first_leaf - 1, -1, -1):
        radius[node] = max(radius[2 * node + 1], radius[2 * node + 2])
    return radius


@njit(cache=True, nogil=True)
def _bound(
    tree: Tree,
    radius: Floats,
    node: int,
    single: Singles,
    rho: float,
) -> float:
    """At most how far a record of the node is from the pole, squared; -1 without one.

    Radii stay as they were built, so they may be too large after deletions, never too
    small.
    """
    if tree.live[node] == 0:
        return -1.0
    r = float(radius[node])
    most = (r + rho) * (r + rho)  # the ball alone
    if r <= 0.0 or rho <= 0.0:
        return most
    bound = rho * rho + r * r + rho * r
    for j in range(single.size):
        y = max(-single[j] * (r / rho), tree.low[node, j])
        y = min(y, tree.high[node, j])
        bound -= y * (2.0 * single[j] + rho / r * y)
    return float(min(bound + E * most, most))


@njit(cache=True, nogil=True)
def farthest(
    shells: Shells,
    values: Floats,
    pole: Floats,
) -> int:
    """The live record farthest from ``pole``; of equals, the one of smallest rank."""
    tree, radius = shells
    count = tree.live
    d = pole.size
    single = np.empty(d, np.float32)
    out = np.empty(LEAF, np.float32)
    stack = np.empty(STACK, np.int64)
    bound = np.empty(STACK)
    rho = aim(tree, pole, single)
    first_leaf = (count.size + 1) // 2 - 1
    best = -1.0
    who = -1
    # the least single-precision squared distance of a record no nearer than the best
    limit = 0.0
    stack[0] = 0
    bound[0] = np.inf
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] < limit:
            continue
        # down to a leaf, always into the child whose bound is larger
        while node < first_leaf:
            far = 2 * node + 1
            near = far + 1
            far_bound = _bound(tree, radius, far, single, rho)
            near_bound = _bound(tree, radius, near, single, rho)
            if near_bound > far_bound:
                far, near = near, far
                far_bound, near_bound = near_bound, far_bound
            if near_bound >= limit:
                stack[top] = near
                bound[top] = near_bound
                top += 1
            if far_bound < limit:
                node = -1
                break
            node = far
        if node < 0:
            continue
        leaf = node - first_leaf
        leaf_distances(tree.block, leaf, single, out)
        beyond = 0
        least = np.float32(limit)
        # without a branch: most leaves have nothing far (empty slots are infinite)
        for t in range(LEAF):
            beyond += out[t] >= least
        if beyond == LEAF - count[node]:
            continue
        for t in range(count[node]):
            if out[t] < least:
                continue
            r = tree.rank[leaf, t]
            x = squared(values, r, pole)
            if x > best or (x == best and r < who):
                best = x
                who = r
        # the error bound of ``live_tree``, turned round
        reach = max(np.sqrt(best) * tree.scale * (1.0 - E) - E * rho, 0.0)
        limit = reach * reach * (1.0 - (d + 8) * E)
    return who
