"""Household risk of a file on the disk: persons by person, then households by household."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped
from tacit.data.spread import Spread
from tacit.data.units import Units
from tacit.data.units_on_disk import who_live_together


def in_households(
    file: OnDisk, household: str, row: NumberFiles, risk: Floats, units: Units
) -> float:
    """Sum over persons (or records) of 1 - product over their household of (1 - r).

    Parameters
    ----------
    file : OnDisk
        The file.
    household : str
        The column that says who lives together; who has no number lives alone.
    row : NumberFiles
        The combination of keys of each record.
    risk : array
        The risk of each combination.
    units : Units
        Whose records these are.
    """
    with np.errstate(divide="ignore"):
        # ln 0 = -inf where somebody is certain to be found
        safe = np.log1p(-risk)
    each: NumberSource = _OfRecords(row, safe)
    written = None
    if isinstance(units, Spread):
        written = _of_persons(units, safe)
        each = written
    homes = who_live_together(file, household)
    together = homes.gathered(each)
    total = float(sum(homes.in_turn(_Together(), together)))
    if written is not None:
        written.remove()
    return total


@dataclass(frozen=True)
class _OfRecords:
    """What a table says of the row of each record."""

    row: NumberFiles
    table: Floats

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.row.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span."""
        return np.asarray(self.table[self.row.read(first, stop)])


def _of_persons(units: Spread, safe: Floats) -> NumberFiles:
    """The logarithm of each person at his last record, in row order; NaN at the others."""
    who = units.who
    items = [(*piece, who.folder.next_file()) for piece in who.pieces]
    work = _LastRecord(who.in_order, units.row, safe)
    lengths = mapped(work, items)
    ordered = NumberFiles(tuple(path for _, _, path in items), tuple(lengths))
    at_rows = who.at_rows(ordered)
    ordered.remove()
    return at_rows


@dataclass(frozen=True)
class _LastRecord:
    """Item: (first, stop, file), whole persons. The least of each at his last record."""

    in_order: NumberFiles
    row: NumberSource
    safe: Floats

    def __call__(self, item: tuple[int, int, Path]) -> int:
        first, stop, path = item
        unit = self.in_order.read(first, stop)
        starts = np.flatnonzero(np.concatenate([[True], unit[1:] != unit[:-1]]))
        values = self.safe[self.row.read(first, stop)]
        out = np.full(stop - first, np.nan)
        ends = np.append(starts[1:], stop - first) - 1
        # the record that is found most easily has the least chance to be safe
        out[ends] = np.minimum.reduceat(values, starts)
        return write_numbers(path, out)


@dataclass(frozen=True)
class _Together:
    """The sum over the persons of a piece of households."""

    def __call__(self, starts: Ints, safe: Floats, length: int) -> float:
        counted = ~np.isnan(safe)
        members = np.add.reduceat(counted.astype(np.int64), starts)
        log_safe = np.add.reduceat(np.where(counted, safe, 0.0), starts)
        return float((members * -np.expm1(log_safe)).sum())
