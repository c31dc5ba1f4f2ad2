"""The nearest masked records of a few originals, in one pass over a release of any size.

With L the least distance of an original in all pieces seen so far, a piece adds its tied records
where its own least distance is L, and replaces all others where it is less. So pieces are looked at
one by one, and what is kept is the least distance, how many records tie, and whether the original's
own record is among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import scored
from tacit.attack.nearest import Nearest
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.schema import Schema

PIECE = 1 << 18
"""Masked records that are searched at a time."""

Found = tuple[Floats, Floats, Floats]
"""Of each original: the least distance, who ties, and whether its own record is among them."""


@dataclass(frozen=True)
class LinkPiece:
    """Item: a span of masked records. What the originals find in it."""

    originals: Microdata
    table: DiskTable
    schema: Schema
    columns: tuple[str, ...]
    truth: Ints

    def __call__(self, item: tuple[int, int]) -> Found:
        first, stop = item
        table = next(self.table.in_turn(stop - first, self.columns, first, stop))
        masked = Microdata(table, self.schema, NativeFrame.of(table))
        names = list(self.columns)
        matching = Nearest(columns=names)._link(self.originals, masked, names)
        here = (self.truth >= first) & (self.truth < stop)
        success, ties = scored(matching, np.where(here, self.truth - first, -1))
        return matching.score, ties, (success > 0).astype(np.float64)


def found_among_all(
    originals: Microdata, masked: OnDisk, columns: list[str], truth: Ints
) -> Floats:
    """The probability that each original's own record is named by ``Nearest(columns=columns)``.

    Parameters
    ----------
    originals : Microdata
        Few records, in memory.
    masked : OnDisk
        The release; nobody has several rows in it.
    columns : list of str
        What is compared: columns that both files hold as the same sort of thing.
    truth : array of int
        The masked row of each original.
    """
    # categories are those of the whole release, whatever a piece holds of them
    schema = masked.closed(columns).select(columns)
    table = masked.disk.select(columns)
    work = LinkPiece(originals, table, schema, tuple(columns), truth)
    least = np.full(originals.n, np.inf)
    ties, own = np.zeros(originals.n), np.zeros(originals.n)
    for score, tied, has_own in mapped(work, spans(masked.n, PIECE)):
        nearer = score * (1 + TIE) < least
        equal = ~nearer & (score <= least * (1 + TIE))
        ties = np.where(nearer, tied, ties + np.where(equal, tied, 0.0))
        own = np.where(nearer, has_own, np.maximum(own, np.where(equal, has_own, 0.0)))
        least = np.minimum(least, score)
    return own / np.maximum(ties, 1.0)
