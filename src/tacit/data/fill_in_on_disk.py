"""``fill_in`` of a release on the disk: rows of a person or household meet in sorted pieces.

A column whose gaps another row may show is put in the order of units, filled there some whole units
at a time, and put back at its rows. Only columns that are asked for and have gaps are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats, Ints
from tacit.data.category_codes import decode_numbers
from tacit.data.io.disk_table import SpilledColumns, write_columns
from tacit.data.io.on_disk import ColumnInTurn, OnDisk
from tacit.data.microdata import Microdata
from tacit.data.moving import moving
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.unit_numbers import UnitNumbers, starts_of
from tacit.data.out_of_core.written_numbers import with_numbers_of
from tacit.data.units import SLIPS, Units, households, is_number, persons, valued
from tacit.data.units_on_disk import UnitsOnDisk

SPAN = 1 << 17
"""Records that are read at a time while gaps are looked for."""


@dataclass(frozen=True)
class Read:
    """A release with every cell of some columns filled in that its reader can fill in."""

    data: OnDisk
    suppressed: int = 0
    """Cells that the release leaves out and the original has."""
    read_off: int = 0
    """Cells of these that were filled in."""


def read_on_disk(
    release: OnDisk, known: Microdata, names: Sequence[str], counted: Sequence[str]
) -> Read:
    """The release as its reader sees it; made once for the same files and columns.

    Parameters
    ----------
    release, known : OnDisk
        The file that is published, read as the original, and the original.
    names : list of str
        The columns that are looked at.
    counted : list of str
        Those of them whose suppressed cells are counted.
    """
    what = f"{list(names)} read beside {id(known)}, {list(counted)} counted"
    # who was asked about is kept with the answer, so that nobody else gets its identity
    make = partial(_read, release, known, names, counted)
    return release.once(what, lambda: (make(), known))[0]


def has_gap(file: OnDisk, name: str) -> bool:
    """Is a value of a column missing anywhere?"""

    def looked_for() -> bool:
        return any(bool(np.isnan(some).any()) for some in file.in_turn([name], SPAN))

    return file.once(f"gaps of {name}", looked_for)


def _read(
    release: OnDisk, known: Microdata, names: Sequence[str], counted: Sequence[str]
) -> Read:
    assert isinstance(known, OnDisk)
    open_ones = [name for name in names if has_gap(release, name)]
    data = _filled(_moved(release, known, open_ones), known, open_ones)
    suppressed = read_off = 0
    for name in counted:
        if name in open_ones:
            gaps, filled_in = _gaps(release, known, data, name)
            suppressed, read_off = suppressed + gaps, read_off + filled_in
    return Read(data, suppressed, read_off)


def _filled(release: OnDisk, known: OnDisk, names: Sequence[str]) -> OnDisk:
    """Gaps take the one value that other rows of the unit show, until nothing changes."""
    sources = _sources(release, known, names)
    values: dict[str, NumberSource] = {}
    # how often a column has changed, and when it was last looked at by units of each sort
    version = dict.fromkeys(names, 0)
    looked: dict[tuple[int, str], int] = {}
    changed = bool(sources)
    while changed:
        changed = False
        for place, (units, standing) in enumerate(sources):
            for name in standing:
                if looked.get((place, name)) == version[name]:
                    continue
                before = values.get(name) or ColumnNumbers.of(release, name)
                after = _shown(units, before)
                if after is not None:
                    if isinstance(before, NumberFiles):
                        before.remove()
                    values[name] = after
                    version[name] += 1
                    changed = True
                looked[place, name] = version[name]
    return with_numbers_of(release, values)


def _sources(
    release: OnDisk, known: OnDisk, names: Sequence[str]
) -> list[tuple[UnitNumbers, list[str]]]:
    """Units of the release, and those of the columns that their rows share."""
    asked: list[Callable[[Microdata], Units | None]] = [persons, households]
    out = []
    told = set(valued(known))
    for units_of in asked:
        units, levelled = units_of(release), units_of(known)
        if units is None or levelled is None or units.single or levelled.single:
            continue
        assert isinstance(units, UnitsOnDisk)
        standing = [
            name
            for name in names
            if name in told and levelled.stand(known, name, SLIPS)
        ]
        out.append((units.numbers, standing))
    return out


def _shown(units: UnitNumbers, values: NumberSource) -> NumberFiles | None:
    """The values with gaps filled in from the other rows of the unit; None: there are none."""
    gathered = units.gathered(values)
    items = [(*piece, units.folder.next_file()) for piece in units.pieces]
    found = mapped(_Shown(units.in_order, gathered), items)
    lengths = tuple(stop - first for first, stop, _ in items)
    ordered = NumberFiles(tuple(path for _, _, path in items), lengths)
    if isinstance(gathered, NumberFiles) and gathered is not values:
        gathered.remove()
    filled = units.at_rows(ordered) if any(found) else None
    ordered.remove()
    return filled


@dataclass(frozen=True)
class _Shown:
    """Item: (first, stop, file), whole units. Whether a gap was filled."""

    in_order: NumberFiles
    values: NumberSource

    def __call__(self, item: tuple[int, int, Path]) -> bool:
        first, stop, path = item
        values = self.values.read(first, stop)
        shown = of_unit(self.in_order.read(first, stop), values)
        gaps = np.isnan(values) & ~np.isnan(shown)
        write_numbers(path, np.where(gaps, shown, values))
        return bool(gaps.any())


def of_unit(label: Ints, values: Floats) -> Floats:
    """At each row the one value that all rows of its unit have, gaps aside; NaN: there is none.

    >>> of_unit(np.array([0, 0, 1, 1]), np.array([2.0, np.nan, 1.0, 3.0])).tolist()
    [2.0, 2.0, nan, nan]
    """
    starts = starts_of(label)
    low, high = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
    one = np.where(low == high, low, np.nan)
    return np.repeat(one, np.diff(starts, append=len(values)))


def _moved(release: OnDisk, known: OnDisk, names: Sequence[str]) -> OnDisk:
    """Gaps of numbers that move with another number within a person, filled by the difference."""
    units, levelled = persons(release), persons(known)
    if units.single or levelled.single:
        return release
    schema, before = release.disk.schema, known.disk.schema
    # a column that was recoded moves with nothing any more
    whole = [
        name
        for name in names
        if name in known.schema and schema.field(name).type == before.field(name).type
    ]
    if not any(is_number(schema.field(name).type) for name in whole):
        return release
    assert isinstance(units, UnitsOnDisk)
    pairs = known.once("columns that move together", partial(moving, known, levelled))
    for name, other in pairs.items():
        if name not in release.schema or other not in release.schema:
            continue
        if schema.field(name).type != before.field(name).type:
            continue
        if has_gap(release, name):
            release = _told(release, units.numbers, name, other)
    return release


def _told(release: OnDisk, units: UnitNumbers, name: str, other: str) -> OnDisk:
    """A column whose gaps another one tells."""
    table, folder = release.disk, release.disk.folder
    numbers, others = (ColumnInTurn(table.select([one]), one) for one in (name, other))
    columns = units.gathered(numbers), units.gathered(others)
    items = [(*piece, folder.next_file()) for piece in units.pieces]
    mapped(_Told(units.in_order, *columns), items)
    lengths = tuple(stop - first for first, stop, _ in items)
    ordered = NumberFiles(tuple(path for _, _, path in items), lengths)
    at_rows = units.at_rows(ordered)
    ordered.remove()
    kind = table.schema.field(name).type
    files = [folder.next_file() for _ in spans(release.n)]
    for path, (first, stop) in zip(files, spans(release.n), strict=True):
        array = decode_numbers(at_rows.read(first, stop), kind)
        write_columns(path, [pa.table({name: array})])
    at_rows.remove()
    column = replace(release.schema[name], categories=None, ask="")
    written = SpilledColumns(tuple(files))
    return release.with_spilled([name], written, release.schema.put(column))


@dataclass(frozen=True)
class _Told:
    """Item: (first, stop, file), whole units. Gaps take the other number and its distance."""

    in_order: NumberFiles
    numbers: NumberSource
    others: NumberSource

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        numbers, others = self.numbers.read(first, stop), self.others.read(first, stop)
        apart = of_unit(self.in_order.read(first, stop), numbers - others)
        told = np.where(np.isnan(numbers), apart + others, numbers)
        write_numbers(path, told)


def _gaps(release: OnDisk, known: OnDisk, filled: OnDisk, name: str) -> tuple[int, int]:
    """Cells that are missing in the release and not in the original, and those filled in."""
    files = [release, filled]
    # files of other lengths have no cell to compare with
    if known.n == release.n and name in known.schema:
        files.append(known)
    suppressed = read_off = 0
    for gap, still, *missing_before in _missing(files, name):
        # what was missing before is not suppressed
        gone = gap & ~missing_before[0] if missing_before else gap
        suppressed += int(gone.sum())
        read_off += int((gone & ~still).sum())
    return suppressed, read_off


def _missing(files: Sequence[OnDisk], name: str) -> Iterator[tuple[np.ndarray, ...]]:
    """Where a column of each file has no value, some records at a time."""
    sources = [ColumnNumbers.of(file, name) for file in files]
    for span in spans(files[0].n, SPAN):
        yield tuple(np.isnan(source.read(*span)) for source in sources)
