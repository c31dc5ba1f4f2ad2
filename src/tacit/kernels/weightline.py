"""Exact line search for the weights of a linkage: the kernel.

Idea. A weighted distance sum_k w_k d_k(i, j) links original i correctly when, for every
masked record j that is not identical to its own, w . D_ij > 0 with
D_ij,k = d_k(i, j) - d_k(i, i). Along w(t) = w + t u each condition is a half line in t,
so every original has one open interval of t in which it is linked correctly, and the
weighted number of correct links is piecewise constant with at most 2n breakpoints.

Invariant. An interval only shrinks while masked records are compared with, so the scan
of an original may end as soon as its interval is empty.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def _part(
    x: Floats,
    i: int,
    z: Floats,
    j: int,
    k: int,
    nominal: Bools,
) -> float:
    """d_k(i, j): 0 or 1 for a nominal column, else the squared difference."""
    if nominal[k]:
        return 0.0 if x[i, k] == z[j, k] else 1.0
    return float((x[i, k] - z[j, k]) ** 2)


@njit(cache=True, nogil=True)
def own_intervals(
    x: Floats,
    z: Floats,
    nominal: Bools,
    own: Ints,
    w: Floats,
    u: Floats,
    low: float,
    high: float,
    candidates: Ints,
    starts: Ints,
) -> tuple[Floats, Floats]:
    """Interval (lo, hi) of t for each original: w + t u links it to row own[i].

    x: (n, d) originals, z: (m, d) distinct masked rows, nominal: (d,) bool (0/1
    distance instead of a square). candidates, starts: rows of z to compare with first,
    in CSR form (hard ones early make the scan short); every other row is compared after
    them. An empty interval has lo >= hi.
    """
    n, d = x.shape
    m = z.shape[0]
    lo = np.full(n, low)
    hi = np.full(n, high)
    own_part = np.empty(d)
    for i in range(n):
        for k in range(d):
            own_part[k] = _part(x, i, z, own[i], k, nominal)
        first = starts[i + 1] - starts[i]
        for s in range(first + m):
            j = candidates[starts[i] + s] if s < first else s - first
            if j == own[i]:
                continue
            # the condition of j is at_zero + t * slope > 0
            at_zero = 0.0
            slope = 0.0
            for k in range(d):
                delta = _part(x, i, z, j, k, nominal) - own_part[k]
                at_zero += w[k] * delta
                slope += u[k] * delta
            if slope > 0.0:
                t = -at_zero / slope
                if t > lo[i]:
                    lo[i] = t
            elif slope < 0.0:
                t = -at_zero / slope
                if t < hi[i]:
                    hi[i] = t
            elif at_zero <= 0.0:
                # no t helps: j is at least as near everywhere on the line
                hi[i] = lo[i]
            if lo[i] >= hi[i]:
                break
    return lo, hi


@njit(cache=True, nogil=True)
def _weighted_part(
    x: Floats,
    i: int,
    z: Floats,
    j: int,
    k: int,
    nominal: Bools,
    w: Floats,
) -> float:
    """w_k d_k(i, j), the term of column k in a weighted distance."""
    if nominal[k]:
        return 0.0 if x[i, k] == z[j, k] else float(w[k])
    return float(w[k] * (x[i, k] - z[j, k]) ** 2)


@njit(cache=True, nogil=True)
def correct_links(
    x: Floats,
    z: Floats,
    nominal: Bools,
    own: Ints,
    w: Floats,
    killers: Ints,
) -> Bools:
    """True where the own masked row is strictly nearest.

    killers[i] receives the nearest other row (or -1): where the answer is False it is
    not farther than the own one.
    """
    n, d = x.shape
    m = z.shape[0]
    good = np.zeros(n, np.bool_)
    for i in range(n):
        own_distance = 0.0
        for k in range(d):
            own_distance += _weighted_part(x, i, z, own[i], k, nominal, w)
        killers[i] = -1
        nearest = np.inf
        for j in range(m):
            if j == own[i]:
                continue
            distance = 0.0
            for k in range(d):
                distance += _weighted_part(x, i, z, j, k, nominal, w)
                # the sum only grows, for weights that are not negative
                if distance >= nearest:
                    break
            if distance < nearest:
                nearest = distance
                killers[i] = j
        good[i] = nearest > own_distance
    return good
