"""``moving`` of a file on the disk: columns that move together within a person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats
from tacit.data.category_codes import floats
from tacit.data.io.on_disk import ColumnInTurn, OnDisk
from tacit.data.moving import FIRST_LOOK
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.units import SLIPS, Units, valued
from tacit.data.units_on_disk import stands_on_disk


def moving_on_disk(
    data: OnDisk, units: UnitNumbers, *, slips: float = SLIPS
) -> dict[str, str]:
    """As ``moving``: one number of each record at a time.

    Parameters
    ----------
    data : OnDisk
        The file.
    units : UnitNumbers
        Its persons.
    slips : float
        As in ``units.levels``.
    """
    folder = data.disk.folder
    numbers = {
        name: ColumnInTurn(data.disk.select([name]), name)
        for name in valued(data)
        if _is_whole(data, name)
    }
    # what hardly changes moves with nothing
    numbers = {
        name: source
        for name, source in numbers.items()
        if not stands_on_disk(source, units, slips, folder)
    }
    if len(numbers) < 2:
        return {}
    # a first look at a few units rules almost every pair out
    rows = units.rows.read(0, min(FIRST_LOOK, units.n))
    _, labels = np.unique(units.in_order.read(0, len(rows)), return_inverse=True)
    few = Units("person", labels.astype(np.int64))
    table = data.few(rows, list(numbers)).table
    some = {name: floats(table.column(name)) for name in numbers}
    found: dict[str, str] = {}
    for name in numbers:
        for other in numbers:
            if other == name:
                continue
            differs = few.split(some[name] - some[other])
            if few.share(differs[few.labels]) > 0.5:
                continue
            apart = _Apart(numbers[name], numbers[other])
            if stands_on_disk(apart, units, slips, folder):
                # one column that tells it is enough
                found[name] = other
                break
    return found


@dataclass(frozen=True)
class _Apart:
    """The difference of two columns."""

    one: NumberSource
    other: NumberSource

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.one.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of rows."""
        return np.asarray(self.one.read(first, stop) - self.other.read(first, stop))


def _is_whole(data: OnDisk, name: str) -> bool:
    """Is it a column of whole numbers, whatever its kind?"""
    kind = data.disk.schema.field(name).type
    if pa.types.is_integer(kind):
        return True
    if not pa.types.is_floating(kind):
        return False
    source = ColumnInTurn(data.disk.select([name]), name)
    return all(mapped(_AllWhole(source), spans(data.n)))


@dataclass(frozen=True)
class _AllWhole:
    """Item: a span of rows. Is every number in it whole, or missing?"""

    source: NumberSource

    def __call__(self, item: tuple[int, int]) -> bool:
        numbers = self.source.read(*item)
        with np.errstate(invalid="ignore"):
            fractional = numbers != np.rint(numbers)
        return not bool((fractional & np.isfinite(numbers)).any())
