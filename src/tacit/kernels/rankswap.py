"""Rank swapping of one sorted column: which position takes the value of which.

Idea. From the smallest value up, every position that has not been swapped yet draws a
partner among the unswapped positions of the next ``window``. These candidates are kept
in an array without order (the pool), and ``place`` says where each of them stands, so
that drawing one and taking one out cost O(1) whatever the window.

Invariant. ``source`` is a permutation after every step, and a position is in the pool
exactly when it is ahead of the present one, within its window, and not yet swapped.

Cycles. Exchanges in pairs can be undone: if i holds j's value, then j holds i's. A permutation
drawn uniformly among all that move no rank further than the window has cycles of any length and
says nothing of that kind. ``stir`` walks to it: each of its steps swaps what two positions hold,
if both stay within the window, and is its own reverse; so uniform stays uniform, and every such
permutation can be reached.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

SWEEPS = 16
"""Sweeps of the walk to a random permutation within the window. At windows from 1 to a tenth of
20,000 ranks the law of the distances changes no more after 4; four times as many are run."""

LINES = 20
"""Lines of the kernels that a position takes, about."""


def draw_positions(
    rng: np.random.Generator,
    n: int,
    window: int,
    *,
    cycles: bool,
) -> Ints:
    """source[i]: the sorted position whose value goes to i, exchanged in pairs or in cycles."""
    if not cycles:
        pairs: Ints = swap_positions.taking(LINES * n)(rng.random(n), window)
        return pairs
    source = np.arange(n, dtype=np.int64)
    # one sweep's numbers at a time: sixteen sweeps of a large file would not fit
    for _ in range(SWEEPS):
        stir.taking(LINES * n)(source, rng.random(n), window)
    return source


@njit(cache=True, nogil=True)
def swap_positions(uniform: Floats, window: int) -> Ints:
    """source[i]: the sorted position whose value goes to i; |source[i] - i| <= window.

    From the smallest value up, an unswapped position i swaps with a uniformly chosen
    unswapped position of i+1 .. i+window; ``uniform[i]`` in [0, 1) makes the choice.
    A position with no partner left (the last one of an odd file, for example) joins a
    pair (j, s) as a cycle of three in which nobody moves further than ``window``; when
    there is no such pair (small windows, at the end of the file) it joins the pair of
    its neighbour, and one value moves by window + 1.
    """
    n = uniform.shape[0]
    source = np.arange(n)
    pool = np.empty(n, dtype=np.int64)
    place = np.full(n, -1, dtype=np.int64)
    size = 0
    ahead = 0  # first position not yet looked at
    for i in range(n):
        # i itself leaves the pool: the last of the pool moves into its place
        if place[i] >= 0:
            size -= 1
            moved = pool[size]
            pool[place[i]] = moved
            place[moved] = place[i]
            place[i] = -1
        # the window moves on by one, so that at most a few positions come in
        while ahead <= min(i + window, n - 1):
            if ahead > i and source[ahead] == ahead:
                pool[size] = ahead
                place[ahead] = size
                size += 1
            ahead += 1
        if source[i] != i:
            continue  # somebody before i chose it
        if size > 0:
            # uniform * size could round up to size
            chosen = min(int(uniform[i] * size), size - 1)
            j = pool[chosen]
            size -= 1
            moved = pool[size]
            pool[chosen] = moved
            place[moved] = chosen
            place[j] = -1
            source[i] = j
            source[j] = i
        elif n > 1:
            _join(source, i, window, uniform[i])
    return source


@njit(cache=True, nogil=True)
def stir(source: Ints, uniform: Floats, window: int) -> None:
    """One sweep over a permutation of positions, in place; |source[i] - i| stays <= window.

    Each position i meets one of i .. i+window (``uniform[i]`` in [0, 1) says which); the two
    exchange what they hold where the window allows it.
    """
    n = source.shape[0]
    for i in range(n):
        # i itself is among the choices: without rest a window of 1 would always alternate
        choices = min(window, n - 1 - i) + 1
        j = i + min(int(uniform[i] * choices), choices - 1)
        held, other = source[i], source[j]
        if abs(other - i) <= window and abs(held - j) <= window:
            source[i] = other
            source[j] = held


@njit(cache=True, nogil=True)
def _fits(
    source: Ints,
    i: int,
    j: int,
    window: int,
) -> bool:
    """Whether i can join the pair of j with nobody moving further than the window."""
    if j == i or source[j] == j:
        return False
    return bool(abs(source[j] - i) <= window)


@njit(cache=True, nogil=True)
def _join(
    source: Ints,
    i: int,
    window: int,
    u: float,
) -> None:
    """Position i, which has no partner left, enters a pair that is there already.

    It takes the value that its partner had, and the partner takes the value of i. All
    pairs that fit are equally likely; ``u`` in [0, 1) makes the choice.
    """
    n = source.shape[0]
    low = max(0, i - window)
    high = min(n - 1, i + window)
    count = 0
    for j in range(low, high + 1):
        if _fits(source, i, j, window):
            count += 1
    pick = min(int(u * count), count - 1)
    partner = -1
    if count > 0:
        # walk again to the chosen one: cheaper than a list for what happens rarely
        for j in range(low, high + 1):
            if _fits(source, i, j, window):
                if pick == 0:
                    partner = j
                    break
                pick -= 1
    else:
        partner = i - 1 if i > 0 else i + 1
    source[i] = source[partner]
    source[partner] = i
