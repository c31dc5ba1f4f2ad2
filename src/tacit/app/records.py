"""The records of a file in pages: sorted, searched, filtered; original beside masked.

Only workers import this module: it holds the file. Risks are those of `tacit.risk`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.app.messages import CellView, RecordsOrder, RecordsView, RecordView
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import io
from tacit.data.microdata import Kind, Microdata
from tacit.data.units import households, persons
from tacit.plan import manifest
from tacit.report.words import count, percent
from tacit.risk.frequencies import frequencies
from tacit.risk.individual import individual

# Records of one page: two screens of a table.
PAGE = 50
# What can be sorted by besides the columns.
ROW, ALIKE, UNIT = "row", "alike", "unit"


@dataclass(frozen=True)
class Standing:
    """How each record stands on the keys: counted once for a file and its roles."""

    keys: list[str]
    sizes: Ints
    """How many share the record's keys; 1 where there are no keys."""
    labels: Ints
    """The group of each record."""
    unit: str
    """The word for what belongs together: household, person, or ''."""
    together: Floats | None
    """The chance that somebody of the record's unit is found."""
    members: Ints | None
    """The unit of each record."""


@dataclass(frozen=True)
class Known:
    """A file with its roles; two of them are the same when their names are."""

    name: str
    data: Microdata = field(compare=False, repr=False)


@lru_cache(maxsize=2)
def standing_of(known: Known) -> Standing:
    """Count who is alike, and what that means for those who belong together."""
    data = known.data
    # all of them, as the look before protection counts: fewer keys would look safer
    keys = data.quasi
    ones = np.ones(data.n, np.int64)
    units = households(data) or persons(data)
    unit = "" if units.word == "record" else units.word
    members = units.labels if unit else None
    if not keys:
        return Standing([], ones, np.arange(data.n), unit, None, members)
    counted = frequencies(data, keys, missing="category")
    # by who is in the file, as the groups are counted: weights would speak of the population
    counts = data.drop(data.schema.names(role="weight"))
    risk = individual(counts, keys, missing="category") if unit else None
    together = None if risk is None else risk.household
    return Standing(keys, counted.sample, counted.labels, unit, together, members)


def records_of(known: Known, order: RecordsOrder) -> RecordsView:
    """One page of the records that were asked for."""
    data = known.data
    now = standing_of(known)
    wanted = _matching(data, order["search"])
    if order["below"]:
        wanted &= now.sizes < order["below"]
    rows = _sorted(data, now, np.flatnonzero(wanted), order)
    pages = max(-(-len(rows) // PAGE), 1)
    page = min(max(order["page"], 1), pages)
    shown = rows[(page - 1) * PAGE : page * PAGE]
    found = released(data, order["masked"], order["manifest"])
    return {
        "columns": list(data.names),
        "keys": now.keys,
        "found": count(len(rows)),
        "all": count(data.n),
        "page": page,
        "pages": pages,
        "released": found is not None,
        "unit": now.unit if now.together is not None else "",
        "numbers": data.schema.names(scale=Kind.continuous),
        "rows": views(data, now, found, shown),
    }


def views(
    data: Microdata, now: Standing, found: Released | None, shown: Ints
) -> list[RecordView]:
    """These records as a table shows them."""
    names = list(data.names)
    cells = data.table.take(pa.array(shown)).to_pylist()
    masked = None if found is None else found.values(shown)
    counted = bool(now.keys)
    return [
        RecordView(
            row=count(int(row) + 1),
            place=int(row) + 1,
            alike=count(int(now.sizes[row])) if counted else "–",
            risk=percent(1 / now.sizes[row]) if counted else "–",
            together="" if now.together is None else percent(now.together[row]),
            alone=bool(counted and now.sizes[row] == 1),
            cells=_cells(names, cells[place], masked, place),
        )
        for place, row in enumerate(shown)
    ]


def _matching(data: Microdata, search: str) -> Bools:
    """Records of which some cell holds the text, in whatever case."""
    found = np.ones(data.n, bool)
    if not search:
        return found
    found[:] = False
    for name in data.names:
        column = data.table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        texts = column.cast(pa.string())
        hits = pc.match_substring(texts, search, ignore_case=True)
        found |= pc.fill_null(hits, False).to_numpy().astype(bool)
    return found


def _sorted(data: Microdata, now: Standing, rows: Ints, order: RecordsOrder) -> Ints:
    """These rows by what was asked for; equal ones in the order of the file."""
    by = order["sort"]
    key: Floats | Ints | None = now.together if by == UNIT else None
    if by == ALIKE:
        key = now.sizes
    if key is not None:
        key = key[rows]
        places = np.argsort(-key if order["falling"] else key, kind="stable")
        return np.asarray(rows[places], np.int64)
    if by not in data.names:
        return rows[::-1] if order["falling"] else rows
    column = data.table.column(by).take(pa.array(rows))
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    table = pa.table({"value": column, "place": pa.array(np.arange(len(rows)))})
    way = "descending" if order["falling"] else "ascending"
    # gaps come last either way: who sorts looks for values
    places = pc.sort_indices(table, sort_keys=[("value", way), ("place", "ascending")])
    return np.asarray(rows[np.asarray(places)], np.int64)


@dataclass(frozen=True)
class Released:
    """The chosen release, and which of its rows belongs to each original."""

    data: Microdata
    truth: Ints

    def values(self, rows: Ints) -> dict[str, list[object]]:
        """What became of these originals, by column."""
        table = self.data.table.take(pa.array(self.truth[rows]))
        return {name: table.column(name).to_pylist() for name in self.data.names}


def released(data: Microdata, masked: str, record: str) -> Released | None:
    """The chosen release; None where none is chosen, or nobody can say whose row is whose."""
    return _read(masked, record, data.n) if masked else None


@lru_cache(maxsize=1)
def _read(masked: str, record: str, n: int) -> Released | None:
    """A release never changes once it is written, so it is read once."""
    known = json.loads(Path(record).read_text(encoding="utf-8"))
    truth = manifest.truth_of(known, n, "manifest")
    # a sample, or rows that the method itself shuffled
    return None if truth is None else Released(io.read(masked), truth)


def _cells(
    names: Sequence[str],
    original: dict[str, object],
    masked: dict[str, list[object]] | None,
    place: int,
) -> list[CellView]:
    """The values of a record; where there is a release, what became of them."""
    cells = []
    for name in names:
        before = _text(original[name])
        if masked is None:
            cells.append(CellView(before=before, after="", change=""))
        elif name not in masked:
            cells.append(CellView(before=before, after="not released", change="gone"))
        else:
            after = _text(masked[name][place])
            change = "" if after == before else "changed"
            shown = "" if after == before else after or "blank"
            cells.append(CellView(before=before, after=shown, change=change))
    return cells


def _text(value: object) -> str:
    if value is None:
        return ""
    # 3.0 and 3 are one value, whichever file it stands in
    return f"{value:.15g}" if isinstance(value, float) else str(value)
