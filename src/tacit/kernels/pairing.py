"""Links that follow from a link when values were exchanged in pairs.

The idea. Rank swapping exchanges the values of two records, column by column. Let ``owner[c, j]``
be the original record that has the value of masked record j in column c, and ``holder[c, i]`` the
masked record that has the value of original i. If original i became masked j, then the record that
i exchanged with in column c, ``owner[c, j]``, became ``holder[c, i]``: its value went to i, and i's
value went to it. One link implies up to one more per column.

The invariant. The links that follow from a true link are all true, so they form a one-to-one
linkage. Those that follow from a false link behave like random pairs: among n records about
sqrt(n) of them suffice until two contradict each other (the birthday problem). An odd number of
values has three that went in a circle, and these imply false links even from a true one: so a few
contradictions are borne, as long as more links confirm each other. From a false link none do.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Ints
from tacit.kernels.compiler import njit

AGREED = 12
"""Confirmations less contradictions that make links sure, however few they are: links that follow
from a false one confirm each other with a probability of about 1/n each."""
SLACK = 2
"""Contradictions more than confirmations that are borne: a circle of three makes up to two near the
start. A false link meets its third after about twice as many steps as its first."""


@njit(cache=True, nogil=True)
def follow(
    first: int,
    second: int,
    owner: Ints,
    holder: Ints,
    link: Ints,
    back: Ints,
    queue: Ints,
    via: Ints,
    limit: int,
    strict: bool,
) -> tuple[int, int, bool]:
    """Collect what follows from the link ``first -> second``, up to ``limit`` links.

    ``link`` and ``back`` (masked record of an original and the reverse, -1: none) may hold links
    that are known already; those that are collected are written there too, and the caller clears
    them (they are in ``queue``; ``via`` is the column that each came by). Returns their number, how
    often an implied link stood there already less how often it contradicts one, and whether that is
    not below ``-SLACK`` (strict: no contradiction at all).
    """
    columns = owner.shape[0]
    queue[0] = first
    via[0] = -1
    link[first] = second
    back[second] = first
    size = 1
    done = 0
    agreed = 0
    while done < size:
        i = queue[done]
        j = link[i]
        came_by = via[done]
        done += 1
        for c in range(columns):
            # an exchange implies the link that it was implied by: that confirms nothing
            if c == came_by:
                continue
            o = owner[c, j]
            h = holder[c, i]
            # a value that is not unique, or whose owner the intruder does not know, implies nothing
            if o < 0 or h < 0:
                continue
            if link[o] == h:
                agreed += 1
                continue
            if link[o] >= 0 or back[h] >= 0:
                agreed -= 1
                if strict or agreed < -SLACK:
                    return size, agreed, False
                continue
            if size >= limit:
                return size, agreed, True
            link[o] = h
            back[h] = o
            queue[size] = o
            via[size] = c
            size += 1
    return size, agreed, True


@njit(cache=True, nogil=True)
def clear(size: int, link: Ints, back: Ints, queue: Ints) -> None:
    """Forget the links that were collected last."""
    for place in range(size):
        i = queue[place]
        back[link[i]] = -1
        link[i] = -1


@njit(cache=True, nogil=True)
def best_candidates(
    records: Ints,
    candidate: Ints,
    owner: Ints,
    holder: Ints,
    link: Ints,
    back: Ints,
    enough: int,
    most_links: int,
    strict: bool,
) -> tuple[Ints, Ints, Ints, int]:
    """For each record the candidate that most implied links speak for.

    ``candidate[r]`` are the masked records that ``records[r]`` may have become, likeliest first.
    When ``enough`` links follow, or confirm each other ``AGREED`` times, they are sure: all are
    written to ``link`` and ``back``, where later candidates must agree with them. Returns for each
    of the records its best candidate (-1: none), what speaks for it, how many share that, and the
    links followed in all (it stops after ``most_links``).
    """
    queue = np.empty(holder.shape[1], np.int64)
    via = np.empty(holder.shape[1], np.int64)
    best = np.full(len(records), -1, np.int64)
    support = np.zeros(len(records), np.int64)
    ties = np.zeros(len(records), np.int64)
    followed = 0
    for r in range(len(records)):
        i = records[r]
        for place in range(candidate.shape[1]):
            j = candidate[r, place]
            if link[i] >= 0:
                break
            if back[j] >= 0:
                continue
            size, agreed, worth = follow(
                i, j, owner, holder, link, back, queue, via, enough, strict
            )
            followed += size
            if worth and (size >= enough or agreed >= AGREED):
                # go on to the end: a contradiction may be farther out
                clear(size, link, back, queue)
                size, agreed, worth = follow(
                    i, j, owner, holder, link, back, queue, via, len(queue), strict
                )
                followed += size
                if worth:
                    break
            clear(size, link, back, queue)
            for_it = size - 1 + agreed
            if worth and for_it > support[r]:
                best[r] = j
                support[r] = for_it
                ties[r] = 1
            elif worth and for_it == support[r]:
                ties[r] += 1
        if followed > most_links:
            break
    return best, support, ties, followed
