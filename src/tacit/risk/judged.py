"""The release as its reader sees it: read as the original, gaps filled in, persons counted.

Every measure that counts keys judges this file, so that what a relative's row shows is nowhere
taken for suppressed, and a person with six rows is nowhere six persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.base.typing import Floats
from tacit.data.fill_in import filled
from tacit.data.microdata import Kind, Microdata
from tacit.data.pair import read_as
from tacit.data.units import Units, persons
from tacit.risk.frequencies import keyed

if TYPE_CHECKING:
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.number_files import NumberFiles


@dataclass(frozen=True)
class Judged:
    """A release that keys are counted in."""

    data: Microdata
    keys: list[str]
    """Those named, or else the nominal and ordinal quasi-identifiers: perhaps none."""
    units: Units
    """What is counted: persons, or records where there are none."""
    suppressed: int
    """Cells that the release leaves out and the original has, in all key columns."""
    read_off: int
    """Cells of these that the reader fills in from another row of the person or household."""
    who: Units | None = None
    """Whose records these are, in the file: persons, where ``units`` are rows of combinations."""
    on_disk: OnDisk | None = None
    """The release, where ``data`` holds its combinations of keys in place of its records."""
    row: NumberFiles | None = None
    """The combination of each record then, where somebody has several or lives with others."""

    @classmethod
    def of(
        cls,
        original: object,
        masked: object,
        keys: Sequence[str] | None = None,
        *,
        weight: str | None = None,
        lives: str | None = None,
        every: bool = False,
        beside: Sequence[str] = (),
    ) -> Judged:
        """The release of these files; keys are the nominal and ordinal quasi-identifiers.

        Parameters
        ----------
        original, masked : frame or Microdata
            The file before and after protection.
        keys : list of str, optional
            What is counted.
        weight : str, optional
            Column of sampling weights; the one with that role unless given.
        lives : str, optional
            A column that says who lives together, whatever its role is.
        every : bool
            All quasi-identifiers are keys where none has categories.
        beside : list of str
            Columns that are looked at beside the keys.
        """
        known = Microdata.of(original)
        release = read_as(known, masked)
        if keys is None:
            names = keys_of(release)
        else:
            release, names = keyed(release, keys)
        counted = names
        if every and not names:
            counted = keyed(release, None)[1]
        if not (known.in_memory or release.in_memory) and counted:
            # measured: what reads files is not loaded where they are in memory
            from tacit.data.fill_in_on_disk import Read, has_gap, read_on_disk
            from tacit.data.io.on_disk import OnDisk
            from tacit.risk.combinations import Combinations, has_units, weight_of

            if isinstance(release, OnDisk):
                several = has_units(known, release) or lives is not None
                who = _counted(known, release) if several else None
                by = weight_of(release, weight)
                seen = Read(release)
                # without a gap there is nothing that another row of the person fills
                looked_at = [*counted, *beside]
                if several and any(has_gap(release, name) for name in looked_at):
                    seen = read_on_disk(release, known, looked_at, names)
                found = Combinations.of(seen.data, counted, by, who)
                return cls(
                    found.data,
                    counted,
                    found.units,
                    seen.suppressed,
                    seen.read_off,
                    who,
                    seen.data,
                    found.row,
                )
        reader = filled(release, known)
        suppressed = read_off = 0
        for name in names:
            gaps = release.missing(name)
            # files of other lengths have no cell to compare with
            if known.n == release.n and name in known.schema:
                # what was missing before is not suppressed
                gaps &= ~known.missing(name)
            suppressed += int(gaps.sum())
            filled_in = gaps & ~reader.data.missing(name)
            read_off += int(filled_in.sum())
        units = _counted(known, release)
        return cls(reader.data, names, units, suppressed, read_off)

    def of_records(self, values: Floats) -> Floats | None:
        """A value of each record; None where only combinations of keys are known."""
        return values if self.on_disk is None else None

    @property
    def details(self) -> dict[str, object]:
        """What a measure says of persons and of cells that were read off; empty if nothing."""
        found: dict[str, object] = {}
        if self.units.word == "person":
            found |= {"unit": "person", "persons": self.units.number}
        if self.read_off:
            found |= {"suppressed cells": self.suppressed, "read off": self.read_off}
        return found


def keys_of(release: Microdata) -> list[str]:
    """The nominal and ordinal quasi-identifiers."""
    schema = release.schema
    quasi = release.quasi
    return [name for name in quasi if schema[name].scale is not Kind.continuous]


def _counted(original: Microdata, release: Microdata) -> Units:
    """Whose records these are.

    A release that says nothing of persons, or numbers a person's rows as several persons, hides
    from its reader whose they are; five rows of one man are still one man. Rows of equal number
    belong together, as everywhere.
    """
    said = persons(release)
    if original.n != release.n:
        return said
    truth = persons(original)
    return truth if truth.number < said.number else said
