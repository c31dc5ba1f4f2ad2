"""How many values of a sorted column lie below, or at and below, each of some rising values.

The column lies on the disk in stretches, each of them sorted. With c_s the number of values of
stretch s that are below v,

    #{x < v} = sum over stretches s of c_s

where a stretch that ends below v counts whole and one that begins above it not at all: neither is
read. A piece of another sorted column therefore reads the few stretches that it overlaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.sorting import SortedNumbers, Stretch


@dataclass(frozen=True)
class OrderCounts:
    """The distribution of a column, as counts; can be sent to a worker."""

    values: NumberFiles
    stretches: tuple[Stretch, ...]

    @classmethod
    def of(cls, ordered: SortedNumbers) -> OrderCounts:
        """Of a column that was sorted."""
        return cls(ordered.values, ordered.stretches)

    @property
    def n(self) -> int:
        """How many values are there."""
        return self.values.n

    def below(self, rising: Floats) -> Ints:
        """How many values are below each of some rising numbers."""
        return self._counted(rising, "left")

    def up_to(self, rising: Floats) -> Ints:
        """How many values are at or below each of some rising numbers."""
        return self._counted(rising, "right")

    def _counted(self, rising: Floats, side: Literal["left", "right"]) -> Ints:
        count = np.zeros(len(rising), np.int64)
        row = 0
        for stretch in self.stretches if len(rising) else ():
            if not stretch.records:
                continue
            if stretch.first > rising[-1]:
                break
            if stretch.last < rising[0]:
                count += stretch.records
            else:
                held = self.values.read(row, row + stretch.records)
                count += np.searchsorted(held, rising, side=side)
            row += stretch.records
        return count


def at_rising(numbers: NumberFiles, places: Ints) -> Floats:
    """The numbers at some rising places, a piece of the file at a time."""
    found = np.empty(len(places), numbers.dtype)
    done = 0
    while done < len(places):
        first = int(places[done])
        stop = int(np.searchsorted(places, first + pieces.PIECE, side="left"))
        held = numbers.read(first, int(places[stop - 1]) + 1)
        found[done:stop] = held[places[done:stop] - first]
        done = stop
    return found


def distinct(rising: Floats) -> Floats:
    """Each of some rising values once.

    >>> distinct(np.array([1.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return np.asarray(rising[np.concatenate([[True], rising[1:] != rising[:-1]])])
