"""Plain masking methods and plain twins, written again from their definitions, to test against."""

from __future__ import annotations

import itertools

import numpy as np
from numba import njit


def mdav(values, k):
    """MDAV by the book (fixed size groups); returns the group label of each row."""
    n = len(values)
    left = list(range(n))
    labels = np.full(n, -1)
    group = 0

    def take(rows, pole):
        gap = ((values[rows] - pole) ** 2).sum(1)
        return [rows[i] for i in np.argsort(gap, kind="stable")[:k]]

    while len(left) >= 3 * k:
        mean = values[left].mean(0)
        far = left[int(np.argmax(((values[left] - mean) ** 2).sum(1)))]
        chosen = take(left, values[far])
        far_from = left[int(np.argmax(((values[left] - values[far]) ** 2).sum(1)))]
        labels[chosen] = group
        group += 1
        left = [i for i in left if labels[i] < 0]
        chosen = take(left, values[far_from])
        labels[chosen] = group
        group += 1
        left = [i for i in left if labels[i] < 0]
    if len(left) >= 2 * k:
        mean = values[left].mean(0)
        far = left[int(np.argmax(((values[left] - mean) ** 2).sum(1)))]
        chosen = take(left, values[far])
        labels[chosen] = group
        group += 1
        left = [i for i in left if labels[i] < 0]
    labels[left] = group
    return labels


def microaggregate(values, k, blocks, standardise=False):
    """Group means per block of columns; k may be one number or one per block."""
    out = np.empty_like(values, dtype=float)
    ks = [k] * len(blocks) if np.isscalar(k) else list(k)
    for block, size in zip(blocks, ks, strict=True):
        part = values[:, block]
        form = (part - part.mean(0)) / part.std(0) if standardise else part
        labels = mdav(form, size)
        for g in np.unique(labels):
            out[np.ix_(labels == g, block)] = part[labels == g].mean(0)
    return out


def rank_swap(values, p, rng):
    """Moore's rank swapping: each value swaps with one at most p percent of n ranks away."""
    n, d = values.shape
    out = values.copy()
    reach = max(1, int(p * n / 100))
    for c in range(d):
        order = np.argsort(values[:, c], kind="stable")
        free = np.ones(n, bool)
        for r in range(n):
            if not free[r]:
                continue
            options = [s for s in range(r + 1, min(n, r + reach + 1)) if free[s]]
            if not options:
                continue
            s = options[rng.integers(len(options))]
            out[order[r], c], out[order[s], c] = (
                values[order[s], c],
                values[order[r], c],
            )
            free[r] = free[s] = False
    return out


def permanent(matrix):
    """Ryser's formula, exact up to rounding; fine up to about 14 rows."""
    n = len(matrix)
    total = 0.0
    for size in range(1, n + 1):
        for columns in itertools.combinations(range(n), size):
            total += (-1) ** size * np.prod(matrix[:, list(columns)].sum(1))
    return (-1) ** n * total


def exact_marginals(phi):
    """P(i -> j) over all permutations weighted by the product of phi, by dynamic programming."""
    n = len(phi)
    full = (1 << n) - 1
    forward = np.zeros((n + 1, 1 << n))
    forward[0, 0] = 1.0
    for i in range(n):
        for s in range(1 << n):
            if forward[i, s]:
                for j in range(n):
                    if not s >> j & 1:
                        forward[i + 1, s | 1 << j] += forward[i, s] * phi[i, j]
    backward = np.zeros((n + 1, 1 << n))
    backward[n, full] = 1.0
    out = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for s in range(1 << n):
            if bin(s).count("1") == i:
                for j in range(n):
                    if not s >> j & 1:
                        term = phi[i, j] * backward[i + 1, s | 1 << j]
                        backward[i, s] += term
                        out[i, j] += forward[i, s] * term
    return out / forward[n, full]


def permutation_chain(log_phi, sweeps, rng, near=12, burn=0.2):
    """Marginals by a Metropolis chain that swaps the images of two rows, started at the identity.

    Pairs of rows are drawn from a fixed list (rows that want similar columns), so proposals
    are symmetric.
    """
    n = len(log_phi)
    wish = np.argsort(-log_phi, axis=1)[:, :near]
    holders = [set() for _ in range(n)]
    for i in range(n):
        for j in wish[i]:
            holders[j].add(i)
    pairs = np.array(
        sorted(
            {(min(a, b), max(a, b)) for h in holders for a in h for b in h if a != b}
        )
    )
    return _walk(
        np.ascontiguousarray(log_phi),
        pairs,
        sweeps,
        int(burn * sweeps),
        int(rng.integers(2**31)),
    )


@njit(cache=False)
def _walk(log_phi, pairs, sweeps, burn, seed):
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    n = len(log_phi)
    image = np.arange(n)
    seen = np.zeros((n, n))
    for sweep in range(sweeps):
        for _ in range(4 * n):
            i, j = pairs[np.random.randint(len(pairs))]  # noqa: NPY002
            p, q = image[i], image[j]
            gain = log_phi[i, q] + log_phi[j, p] - log_phi[i, p] - log_phi[j, q]
            if np.log(np.random.random()) < gain:  # noqa: NPY002
                image[i], image[j] = q, p
        if sweep >= burn:
            for i in range(n):
                seen[i, image[i]] += 1
    return seen / (sweeps - burn)


def nearest_correct(x, z, weights=None):
    """Expected correct nearest links of aligned arrays, ties shared."""
    w = np.ones(x.shape[1]) if weights is None else weights
    total = 0.0
    for i in range(len(x)):
        gap = (w * (x[i] - z) ** 2).sum(1)
        best = np.flatnonzero(np.isclose(gap, gap.min(), rtol=1e-12, atol=0))
        total += (i in best) / len(best)
    return total
