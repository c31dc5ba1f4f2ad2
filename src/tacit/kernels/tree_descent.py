"""Records in trees go one level down, into the children of their nodes.

Idea. Entries (a record in a tree) of nodes that were cut move to the child on their side; entries
of leaves stay behind. Children are numbered 2 k and 2 k + 1 of the k-th node that was cut, so an
order by nodes is kept by counting: no sort is needed.

Invariant. Entries of one child keep their order, so that sums over them have the same bits in
either way.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit

OPERATIONS = 12
"""Operations in numpy on an entry, about: look-ups, a comparison, and a sort of what is nearly
sorted."""


def descend(
    rows: Floats,
    record: Ints,
    node: Ints,
    column: Ints,
    threshold: Floats,
    *,
    by_node: bool,
) -> tuple[Ints, Ints]:
    """(record, child) of the entries that go on; in the order of the children if ``by_node``.

    Node g is cut at threshold[g] of column[g], or is a leaf (column -1); smaller values go left.
    """
    if _descend.pays(OPERATIONS * len(record) * NUMPY_STEP):
        compiled: tuple[Ints, Ints] = _descend(
            rows, record, node, column, threshold, by_node
        )
        return compiled
    cut = column[node]
    on = cut >= 0
    record = record[on]
    node = node[on]
    right = rows[record, cut[on]] >= threshold[node]
    number = np.cumsum(column >= 0) - 1
    child = 2 * number[node] + right
    if by_node:
        order = np.argsort(child, kind="stable")
        return record[order], child[order]
    return record, child


@njit(cache=True, nogil=True)
def _descend(
    rows: Floats,
    record: Ints,
    node: Ints,
    column: Ints,
    threshold: Floats,
    by_node: bool,
) -> tuple[Ints, Ints]:
    """As ``descend``."""
    first_child = np.empty(len(column), np.int64)
    children = 0
    for g in range(len(column)):
        first_child[g] = children
        if column[g] >= 0:
            children += 2
    going = 0
    for e in range(len(record)):
        going += column[node[e]] >= 0
    gone = np.empty(going, np.int64)
    child = np.empty(going, np.int64)
    at = 0
    for e in range(len(record)):
        g = node[e]
        if column[g] >= 0:
            right = rows[record[e], column[g]] >= threshold[g]
            gone[at] = record[e]
            child[at] = first_child[g] + right
            at += 1
    if not by_node:
        return gone, child
    begin = np.zeros(children + 1, np.int64)
    for e in range(going):
        begin[child[e] + 1] += 1
    for c in range(children):
        begin[c + 1] += begin[c]
    placed = np.empty(going, np.int64)
    named = np.empty(going, np.int64)
    for e in range(going):
        place = begin[child[e]]
        begin[child[e]] += 1
        placed[place] = gone[e]
        named[place] = child[e]
    return placed, named
