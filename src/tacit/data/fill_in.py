"""What a reader of a release can fill in: suppressed cells that relatives or other years show."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from weakref import WeakKeyDictionary, ref

import numpy as np

from tacit.base.typing import Bools, Floats
from tacit.data.category_codes import decode_numbers, floats
from tacit.data.microdata import Microdata, Role
from tacit.data.moving import moving
from tacit.data.pair import read_as
from tacit.data.units import Units, households, levels, persons


@dataclass(frozen=True)
class Filled:
    """A release with every cell filled in that its reader can fill in."""

    data: Microdata
    cells: dict[str, Bools] = field(default_factory=dict, repr=False)
    """Where a cell was filled in, for each column with any."""

    @property
    def number(self) -> int:
        """How many cells were filled in."""
        return sum(int(rows.sum()) for rows in self.cells.values())

    def counts(self) -> dict[str, int]:
        """Cells filled in, by column."""
        return {name: int(rows.sum()) for name, rows in self.cells.items()}


def filled(release: Microdata, original: Microdata | None = None) -> Filled:
    """The release as its reader sees it: gaps filled from the other rows of the unit.

    Parameters
    ----------
    release : Microdata
        The file that is published; only its own person and household columns are used.
    original : Microdata, optional
        The file before protection: a codebook says which columns are the household's or the
        person's, and a few masked values do not hide that.

    Notes
    -----
    **Definition.** A missing cell of a column at the level of the household (the person) takes the
    value that the unit's other rows show, if they show one value. Repeated until nothing changes:
    what a man's other year shows, his wife's row may need. A number that moves with another one
    within the person (an age with the year) is filled in by their difference.

    Examples
    --------
    >>> release = Microdata.of(
    ...     {"hid": [1, 1, 2, 2], "region": ["n", None, "s", "s"]}, household="hid"
    ... )
    >>> filled(release).counts(), filled(release).data.table["region"].to_pylist()
    ({'region': 1}, ['n', 'n', 's', 's'])
    """
    known = release if original is None else original
    given = release
    release = _moved(release, known)
    sources = _sources(release, known)
    values: dict[str, Floats] = {}
    changed = bool(sources)
    while changed:
        changed = False
        for units, names in sources:
            for name in names:
                before = values.get(name)
                column = release.column(name) if before is None else before
                gaps = np.isnan(column)
                shown = units.shared(column)[units.labels]
                fillable = gaps & ~np.isnan(shown)
                if fillable.any():
                    values[name] = np.where(gaps, shown, column)
                    changed = True
    data = release
    cells = {}
    for name, numbers in values.items():
        # written back once, when nothing changes any more
        data = data.with_numbers([name], numbers[:, None])
    for name in given.names:
        cells[name] = given.missing(name) & ~data.missing(name)
    marked = {name: rows for name, rows in cells.items() if rows.any()}
    return Filled(data, marked)


_READ: WeakKeyDictionary[Microdata, tuple[ref[Microdata], Microdata | None]]
_READ = WeakKeyDictionary()
"""Of each release: the original it was last read beside, and what was read (None: the release)."""


def as_read(release: Microdata, original: Microdata) -> Microdata:
    """The release with what its reader fills in; the very same where that is nothing.

    Every attack on a release asks for it, an average over sets of columns dozens of times: what
    was read last of two files is kept as long as they are.
    """
    beside, read = _READ.get(release, (None, None))
    if beside is None or beside() is not original:
        found = _as_read(release, original)
        # a release that is kept by itself would never be forgotten
        read = None if found is release else found
        _READ[release] = ref(original), read
    return release if read is None else read


def _as_read(release: Microdata, original: Microdata) -> Microdata:
    """As ``as_read``."""
    known = read_as(original, release)
    numbered = any(
        known.schema.names(role=role) for role in (Role.person, Role.household)
    )
    if not numbered:
        return release
    reader = filled(known, original)
    return reader.data if reader.number else release


def _moved(release: Microdata, known: Microdata) -> Microdata:
    """Gaps of numbers that move with another number within a person, filled by the difference."""
    units = persons(release)
    for name, other in moving(known, persons(known)).items():
        if name not in release.schema or other not in release.schema:
            continue
        column, beside = release.table[name], release.table[other]
        # a column that was recoded moves with nothing any more
        if column.type != known.table[name].type or not release.missing(name).any():
            continue
        numbers, others = floats(column), floats(beside)
        apart = units.shared(numbers - others)
        told = apart[units.labels] + others
        values = np.where(np.isnan(numbers), told, numbers)
        kind = release.schema[name].kind
        array = decode_numbers(values, column.type)
        release = release.with_column(name, array, kind=kind)
    return release


def _sources(release: Microdata, known: Microdata) -> list[tuple[Units, list[str]]]:
    """Units of the release, and the columns that their rows share."""
    sources = []
    for units_of in (persons, households):
        units, levelled = units_of(release), units_of(known)
        if units is None or levelled is None or units.single:
            continue
        standing = known.once(
            f"columns of the {levelled.word}", partial(levels, known, levelled)
        )
        sources.append((units, [name for name in standing if name in release.schema]))
    return sources
