"""The discrete Laplace distribution, drawn exactly from given random words, one number at a time.

Idea. The algorithm is that of `tacit.protect.private.discrete_laplace` (Canonne, Kamath and Steinke
2020): uniform integers by rejection, Bernoulli(exp(-u/t)) by von Neumann's series, integers only.
There it runs on arrays that are drawn ahead; here it reads words in order, so that the same words
give the same numbers, whoever asks for how many.

Invariant: place[0] words have been read. Where they run out, place[1] is set, nothing is returned
that is used, and the caller comes again with more words, of which these are the first.
"""

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Ints
from tacit.kernels.compiler import njit

READ, ENDED = range(2)
_SIGN = np.uint64(63)


@njit(cache=True, nogil=True, error_model="numpy")
def _below(limit: int, words: NDArray[np.uint64], place: Ints) -> int:
    """Uniform on 0 .. limit - 1: the lowest bits that are needed, again while too large."""
    mask = limit - 1
    # all bits below the highest one
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    while place[READ] < words.shape[0]:
        word = words[place[READ]]
        place[READ] += 1
        drawn = np.int64(word & np.uint64(mask))
        if drawn < limit:
            return int(drawn)
    place[ENDED] = 1
    return 0


@njit(cache=True, nogil=True, error_model="numpy")
def _exp_minus(u: int, t: int, words: NDArray[np.uint64], place: Ints) -> bool:
    """Bernoulli(exp(-u/t)): the first failure of Bernoulli(u / (t k)), k = 1, 2, .., is odd."""
    k = 1
    while place[ENDED] == 0:
        if _below(t, words, place) >= u or (k > 1 and _below(k, words, place) > 0):
            break
        k += 1
    return k % 2 == 1


@njit(cache=True, nogil=True, error_model="numpy")
def exact_laplace(t: int, s: int, words: NDArray[np.uint64], out: Ints) -> bool:
    """Fill ``out`` with draws of scale t / s; False: there were too few words."""
    place = np.zeros(2, dtype=np.int64)
    done = 0
    while done < out.shape[0]:
        u = _below(t, words, place)
        if not _exp_minus(u, t, words, place):
            if place[ENDED] == 1:
                return False
            continue
        folds = 0
        while place[ENDED] == 0 and _exp_minus(1, 1, words, place):
            folds += 1
        if place[ENDED] == 1 or place[READ] >= words.shape[0]:
            return False
        negative = words[place[READ]] >> _SIGN > np.uint64(0)
        place[READ] += 1
        x = (u + t * folds) // s
        # zero has one sign, or it would be drawn twice as often
        if not (negative and x == 0):
            out[done] = -x if negative else x
            done += 1
    return True
