"""Exact line search for the weights of a linkage: the kernel.

A weighted distance sum_k w_k d_k(i, j) links original i correctly when, for every masked record j that is not
identical to its own, w . D_ij > 0 with D_ij,k = d_k(i, j) - d_k(i, i). Along w(t) = w + t u each condition
is a half line in t, so every original has one open interval of t in which it is linked correctly, and the
weighted number of correct links is piecewise constant with at most 2n breakpoints.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def own_intervals(x, z, nominal, own, w, u, low, high, candidates, starts):  # type: ignore[no-untyped-def]
    """Interval (lo, hi) of t for each original in which w + t u links it to masked row own[i].

    x: (n, d) originals, z: (m, d) distinct masked rows, nominal: (d,) bool (0/1 distance instead of a
    square). candidates, starts: rows of z to compare with first, in CSR form (hard ones early make the scan
    short); every other row is compared after them. An empty interval has lo >= hi.
    """
    n, d = x.shape
    m = z.shape[0]
    lo = np.full(n, low)
    hi = np.full(n, high)
    base = np.empty(d)
    for i in range(n):
        o = own[i]
        for k in range(d):
            if nominal[k]:
                base[k] = 0.0 if x[i, k] == z[o, k] else 1.0
            else:
                base[k] = (x[i, k] - z[o, k]) ** 2
        first = starts[i + 1] - starts[i]
        for s in range(first + m):
            j = candidates[starts[i] + s] if s < first else s - first
            if j == o:
                continue
            a = 0.0
            b = 0.0
            for k in range(d):
                if nominal[k]:
                    delta = (0.0 if x[i, k] == z[j, k] else 1.0) - base[k]
                else:
                    delta = (x[i, k] - z[j, k]) ** 2 - base[k]
                a += w[k] * delta
                b += u[k] * delta
            if b > 0.0:
                t = -a / b
                if t > lo[i]:
                    lo[i] = t
            elif b < 0.0:
                t = -a / b
                if t < hi[i]:
                    hi[i] = t
            elif a <= 0.0:
                hi[i] = lo[i]
            if lo[i] >= hi[i]:
                break
    return lo, hi


@njit(cache=True, nogil=True)
def correct_links(x, z, nominal, own, w, killers):  # type: ignore[no-untyped-def]
    """True where the own masked row is strictly nearest; killers[i] receives a row that is not farther (or
    -1).
    """
    n, d = x.shape
    m = z.shape[0]
    good = np.zeros(n, np.bool_)
    for i in range(n):
        o = own[i]
        base = 0.0
        for k in range(d):
            if nominal[k]:
                base += 0.0 if x[i, k] == z[o, k] else w[k]
            else:
                base += w[k] * (x[i, k] - z[o, k]) ** 2
        killers[i] = -1
        nearest = np.inf
        for j in range(m):
            if j == o:
                continue
            c = 0.0
            for k in range(d):
                if nominal[k]:
                    c += 0.0 if x[i, k] == z[j, k] else w[k]
                else:
                    c += w[k] * (x[i, k] - z[j, k]) ** 2
                if c >= nearest:
                    break
            if c < nearest:
                nearest = c
                killers[i] = j
        good[i] = nearest > base
    return good
