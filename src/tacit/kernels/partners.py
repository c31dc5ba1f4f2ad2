"""Households take partners elsewhere, each drawn evenly among all that are free, without a scan.

Idea. Households stand in the order of their kind and, within it, of their areas from the largest
to the smallest. Those of one kind in one area of any level are then a stretch of that order, and so
are those of a larger area around it: who is elsewhere is a stretch without a stretch inside it. A
tree of partial sums (Fenwick 1994) counts the free ones of a stretch, finds the r-th of them, and
takes one out, each in log n steps.

Invariant. ``source[h] == h`` as long as h is free, and the tree at h's place counts it just then.
The r-th free one elsewhere is the r-th in the order of areas, equal ones in that of their numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

Numbers = npt.NDArray[np.int32]
"""One number per household: 31 bits are enough."""
LINES = 400
"""Lines of Python for one household that finds its partner at once, about."""


class Places(NamedTuple):
    """Households of one sort of kind in order."""

    order: Numbers
    """The household at each place."""
    place: Numbers
    """The place of each household."""
    tree: Numbers
    """Sums of who is free: at i, those of the lowest bit of i places that end before place i."""
    run: Numbers
    """Of each household the stretch of its kind and smallest area."""
    start: Numbers
    """(levels + 1, stretches): where its kind begins, then its area at each level."""
    stop: Numbers
    """(levels + 1, stretches): where they end."""


def in_order(kind: Numbers, area: Numbers, up: Ints) -> Places:
    """The households of each kind by area; all are free.

    Parameters
    ----------
    kind : array of int32
        Who may take whom as a partner.
    area : array of int32
        The smallest area of each household, numbered so that those of a larger one follow
        each other.
    up : array (levels, areas)
        The area at each level of each smallest area.
    """
    number = len(kind)
    order = np.lexsort((area, kind)).astype(np.int32)
    place = np.empty(number, np.int32)
    place[order] = np.arange(number, dtype=np.int32)
    labels = [kind[order], *(level[area[order]] for level in up)]
    changes = [np.diff(label, prepend=-1) != 0 for label in labels]
    # an area of another kind is another stretch
    inside = np.logical_or.accumulate(changes)
    first = np.flatnonzero(inside[-1])
    run = np.empty(number, np.int32)
    run[order] = (np.cumsum(inside[-1]) - 1).astype(np.int32)
    start = np.empty((len(labels), len(first)), np.int32)
    stop = np.empty((len(labels), len(first)), np.int32)
    for level, begins in enumerate(inside):
        starts = np.flatnonzero(begins)
        which = np.searchsorted(starts, first, side="right") - 1
        start[level] = starts[which]
        stop[level] = np.append(starts[1:], number)[which]
    every = np.arange(number + 1, dtype=np.int32)
    return Places(order, place, every & -every, run, start, stop)


@njit(cache=True, nogil=True)
def swap_in_turn(
    turn: Numbers,
    uniform: Floats,
    level: int,
    wanted: int,
    source: Numbers,
    alike: Places,
    sized: Places,
    two: bool,
) -> tuple[int, int]:
    """Free households of ``turn`` exchange places with partners, until so many have moved.

    Returns how many have moved, and how many found nobody. ``alike`` has the kinds that are
    asked first, ``sized`` those that are asked where nobody of them is left (``two``: they are
    not the same).
    """
    moved = 0
    alone = 0
    for i in range(turn.shape[0]):
        if moved >= wanted:
            break
        home = turn[i]
        if source[home] != home:
            continue
        partner = _partner(alike, home, uniform[i], level)
        if partner < 0 and two:
            partner = _partner(sized, home, uniform[i], level)
        if partner < 0:
            alone += 1
            continue
        source[home] = partner
        source[partner] = home
        moved += 2
        _take(alike, home)
        _take(alike, partner)
        if two:
            _take(sized, home)
            _take(sized, partner)
    return moved, alone


@njit(cache=True, nogil=True)
def _partner(kinds: Places, home: int, uniform: float, level: int) -> int:
    """A free household of the same kind in another area of that level; -1: there is none."""
    run = kinds.run[home]
    # row 0 is the kind itself, and row l + 1 the area at level l
    here, there = kinds.start[level + 1, run], kinds.stop[level + 1, run]
    before = _free(kinds.tree, here)
    own = _free(kinds.tree, there) - before
    # inside the larger area first, which is the whole file at the largest level
    around = level
    while True:
        first = _free(kinds.tree, kinds.start[around, run])
        elsewhere = _free(kinds.tree, kinds.stop[around, run]) - first - own
        if elsewhere > 0:
            chosen = first + min(int(uniform * elsewhere), elsewhere - 1)
            if chosen >= before:
                chosen += own
            return int(kinds.order[_place(kinds.tree, chosen)])
        if around == 0:
            return -1
        around = 0


@njit(cache=True, nogil=True)
def _free(tree: Numbers, stop: int) -> int:
    """How many are free before a place."""
    total = 0
    at = int(stop)
    while at > 0:
        total += tree[at]
        at &= at - 1
    return total


@njit(cache=True, nogil=True)
def _place(tree: Numbers, rank: int) -> int:
    """The place of the free one before which so many are free."""
    step = 1
    while 2 * step < tree.shape[0]:
        step *= 2
    at = 0
    while step > 0:
        ahead = at + step
        if ahead < tree.shape[0] and tree[ahead] <= rank:
            at = ahead
            rank -= tree[ahead]
        step //= 2
    return at


@njit(cache=True, nogil=True)
def _take(kinds: Places, home: int) -> None:
    """A household is no longer free."""
    at = int(kinds.place[home]) + 1
    while at < kinds.tree.shape[0]:
        kinds.tree[at] -= 1
        at += at & -at
