"""Which households may be the same, when some keys of their members are suppressed.

Idea. Two households of s members agree when their members can be paired one to one so that every
pair agrees on the keys that both have. That is a perfect matching of a bipartite graph with s
nodes on each side; it is grown by augmenting paths, s of them at most.
"""

import numpy as np

from tacit.kernels.arrays import Bools, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def _agree(ours: Ints, theirs: Ints) -> bool:
    """Whether two members differ on no key that both have (-1: suppressed)."""
    for j in range(len(ours)):
        if ours[j] >= 0 and theirs[j] >= 0 and ours[j] != theirs[j]:
            return False
    return True


@njit(cache=True, nogil=True)
def _augment(
    member: int,
    agrees: Bools,
    partner: Ints,
    tried: Bools,
) -> bool:
    """Find a partner for a member, moving others if need be."""
    for other in range(agrees.shape[1]):
        if agrees[member, other] and not tried[other]:
            tried[other] = True
            if partner[other] < 0 or _augment(partner[other], agrees, partner, tried):
                partner[other] = member
                return True
    return False


@njit(cache=True, nogil=True)
def _can_be_the_same(ours: Ints, theirs: Ints) -> bool:
    """Whether the members of two households can be paired; (members, keys) each."""
    size = len(ours)
    agrees = np.zeros((size, size), np.bool_)
    for a in range(size):
        any_ = False
        for b in range(size):
            agrees[a, b] = _agree(ours[a], theirs[b])
            any_ = any_ or agrees[a, b]
        if not any_:
            return False
    partner = np.full(size, -1, np.int64)
    paired = 0
    for a in range(size):
        if _augment(a, agrees, partner, np.zeros(size, np.bool_)):
            paired += 1
    return paired == size


@njit(cache=True, nogil=True)
def same_households(members: Ints, gaps: Bools) -> Bools:
    """(a, b): whether household a may be household b; (households, members, keys) in.

    Households without gaps are only compared with those that have some: they are distinct.
    """
    n = len(members)
    same = np.zeros((n, n), np.bool_)
    for a in range(n):
        same[a, a] = True
        for b in range(a + 1, n):
            if (gaps[a] or gaps[b]) and _can_be_the_same(members[a], members[b]):
                same[a, b] = True
                same[b, a] = True
    return same
