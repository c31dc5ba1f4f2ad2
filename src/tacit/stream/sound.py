"""Whole numbers of a saved state: kernels take them for places in arrays, and look at no end.

A state that was changed, by somebody who may write the file, would have compiled code read and
write elsewhere in memory. So what never changes must be as a fresh filter has it, and what counts
or points must lie within its array. Each filter says where its own may lie (`limits`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tacit.base.typing import Ints
from tacit.kernels.stream import (
    clusters,
    coding,
    microaggregation,
    noise,
    rank_swapping,
)
from tacit.kernels.stream.neighbours import EMPTY, NO_GROUP

LONGEST = 2**62
"""No stream is longer."""


class Limits:
    """Between what each number may lie; first all are as fresh."""

    def __init__(self, fresh: Ints) -> None:
        self.low, self.high = fresh.copy(), fresh.copy()

    def free(self, at: int | slice, low: int = 0, high: int = LONGEST) -> None:
        """Numbers that change."""
        self.low[at], self.high[at] = low, high

    def hold(self, ints: Ints) -> None:
        """Refuse numbers that lie elsewhere."""
        if ((ints < self.low) | (ints > self.high)).any():
            raise ValueError("its numbers point elsewhere")


Sound: TypeAlias = Callable[[Ints, Ints], None]
"""(numbers of a state, those of a fresh filter): refuses what no stream leaves."""


def of_coding(ints: Ints, fresh: Ints) -> None:
    """Filters that look at one record."""
    limits = Limits(fresh)
    limits.free(coding.ARRIVAL)
    limits.hold(ints)


def of_noise(ints: Ints, fresh: Ints) -> None:
    """Noise, with the records of its warm-up."""
    warm = int(fresh[noise.WARM])
    limits = Limits(fresh)
    limits.free(noise.ARRIVAL)
    limits.free(noise.HELD, high=warm)
    limits.hold(ints)
    if ints[noise.ARRIVAL] < warm and ints[noise.HELD] > ints[noise.ARRIVAL]:
        raise ValueError("more records wait than came")


def of_microaggregation(ints: Ints, fresh: Ints) -> None:
    """A ring of records, their groups, and the recent ones."""
    m = microaggregation
    d, slots = int(fresh[m.COLUMNS]), int(fresh[m.SLOTS])
    first = m.FIRST + d
    limits = Limits(fresh)
    for counter in (m.ARRIVAL, m.GROUP, m.RECENT):
        limits.free(counter)
    for place in (m.HEAD, m.COUNT, m.FREE):
        limits.free(place, high=slots - 1)
    limits.free(slice(first, first + slots), low=EMPTY)
    limits.free(slice(first + slots, None))
    limits.hold(ints)
    ring = (ints[m.HEAD] + np.arange(ints[m.COUNT])) % slots
    groups = ints[first : first + slots][ring]
    if (groups == NO_GROUP).sum() != ints[m.FREE]:
        raise ValueError("more records are without a group than wait")


def of_rank_swapping(ints: Ints, fresh: Ints) -> None:
    """A ring of records, the order of their values, and which have been swapped."""
    r = rank_swapping
    d, slots = int(fresh[r.COLUMNS]), int(fresh[r.SLOTS])
    limits = Limits(fresh)
    limits.free(r.ARRIVAL)
    for place in (r.HEAD, r.COUNT):
        limits.free(place, high=slots - 1)
    limits.free(slice(r.FIRST + d, r.FIRST + 2 * d), high=slots - 1)
    # two and eight numbers in each word: looked at one by one
    smallest = np.iinfo(np.int64).min
    limits.free(slice(r.FIRST + 2 * d, None), smallest, np.iinfo(np.int64).max)
    limits.hold(ints)
    words = ints[r.FIRST + 2 * d :]
    half = (d * slots + 1) // 2
    order = np.ascontiguousarray(words[:half]).view(np.int32)
    done = np.ascontiguousarray(words[half:]).view(np.uint8)
    if (order < 0).any() or (order >= slots).any() or (done > 1).any():
        raise ValueError("its order points elsewhere")
    if (ints[r.FIRST + d : r.FIRST + 2 * d] > ints[r.COUNT]).any():
        raise ValueError("more values are in order than wait")


def of_clusters(slots: int) -> Sound:
    """Records that wait in so many slots, and the clusters that are remembered."""

    def refuse(ints: Ints, fresh: Ints) -> None:
        limits = Limits(fresh)
        limits.free(slice(None))
        limits.free(clusters.WAITING, high=slots - 1)
        limits.hold(ints)

    return refuse


def of_window(window: int, held: int) -> Sound:
    """Records that wait for their window; what else there is only names and counts."""

    def refuse(ints: Ints, fresh: Ints) -> None:
        if not 0 <= ints[held] < window:
            raise ValueError("more records wait than a window has")

    return refuse
