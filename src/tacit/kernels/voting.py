"""Who has most votes, without a table of all votes.

Idea. The votes of one person are added up in an array with a place for every candidate; only the
places that were touched are looked at and cleared. So a person costs as many steps as votes, and
nothing but that array is held.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def winners(
    first: int,
    stop: int,
    ballots: tuple[Ints, Ints, Floats],
    share: tuple[Ints, Ints, Floats],
    right: tuple[Ints, Ints],
    candidates: int,
    slack: float,
    success: Floats,
    lead: Floats,
) -> None:
    """Votes of the persons from ``first`` up to ``stop``: how often the winner is right.

    ballots: lists (pointers, classes, votes) of each person; share: lists (pointers, candidates,
    what a vote for the class gives each) of each class; right: lists (pointers, candidates) of each
    person. Votes within ``slack`` of the most, relatively, are as many; equal ones share the
    success. ``lead`` is the distance to the next, 0 where several win.
    """
    votes = np.zeros(candidates)
    seen_by = np.full(candidates, -1, np.int64)
    right_of = np.full(candidates, -1, np.int64)
    touched = np.empty(candidates, np.int64)
    for p in range(first, stop):
        number = 0
        for b in range(ballots[0][p], ballots[0][p + 1]):
            c = ballots[1][b]
            w = ballots[2][b]
            for e in range(share[0][c], share[0][c + 1]):
                q = share[1][e]
                if seen_by[q] != p:
                    seen_by[q] = p
                    votes[q] = 0.0
                    touched[number] = q
                    number += 1
                votes[q] += w * share[2][e]
        for r in range(right[0][p], right[0][p + 1]):
            right_of[right[1][r]] = p
        most = 0.0
        for t in range(number):
            most = max(most, votes[touched[t]])
        tied = 0
        hits = 0
        next_most = 0.0
        for t in range(number):
            q = touched[t]
            if votes[q] >= most * (1 - slack):
                tied += 1
                if right_of[q] == p:
                    hits += 1
            else:
                next_most = max(next_most, votes[q])
        success[p] = hits / max(tied, 1)
        lead[p] = most - next_most if tied == 1 else 0.0
