"""Sums over records whose bits depend neither on memory nor on who added them.

The tree of additions is fixed: each block of ``length`` records is summed by itself (by numpy), and
the sums of blocks are added in file order. Moments and cross products are such sums, in two
passes: the mean first, and then what is centred at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.column_numbers import numbers_of_span
from tacit.data.out_of_core.pieces import mapped, whole_blocks
from tacit.data.schema import Schema

OfBlock = Callable[[Floats], Floats]
"""From a block (records, columns) to an array of sums; can be sent to a worker."""


@dataclass(frozen=True)
class _Summed:
    """Item: a span of rows. The sums of each of its blocks."""

    table: DiskTable
    schema: Schema
    names: tuple[str, ...]
    of_block: OfBlock
    length: int

    def __call__(self, item: tuple[int, int]) -> list[Floats]:
        numbers = numbers_of_span(self.table, self.schema, self.names, *item)
        starts = range(0, len(numbers), self.length)
        return [self.of_block(numbers[at : at + self.length]) for at in starts]


def block_sums(
    data: Microdata, names: Iterable[str], of_block: OfBlock, length: int
) -> Floats:
    """The sum over all records of a file, in memory or on the disk, of what a block gives.

    Parameters
    ----------
    data : Microdata
        The file.
    names : names of columns
        What blocks hold, as ``Microdata.numbers``.
    of_block : function
        Sums of one block, always of the same shape.
    length : int
        Records of a block.
    """
    names = tuple(names)
    if not isinstance(data, OnDisk):
        return _added(of_block(block) for block in data.in_turn(names, length))
    schema = data.closed(names).select(list(names))
    work = _Summed(data.disk.select(names), schema, names, of_block, length)
    found = mapped(work, whole_blocks(data.n, length))
    return _added(one for several in found for one in several)


def _added(sums: Iterable[Floats]) -> Floats:
    """One after the other."""
    total: Floats | None = None
    for one in sums:
        total = np.array(one, dtype=np.float64) if total is None else total + one
    assert total is not None, "a file has records"
    return total
