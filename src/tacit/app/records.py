"""The records of a file in pages: sorted, searched, filtered; original beside masked.

Only workers import this module: it holds the file. Risks are those of `tacit.risk`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.app.messages import CellView, RecordsOrder, RecordsView, RecordView
from tacit.base.typing import Bools, Ints
from tacit.data import io
from tacit.data.microdata import Microdata
from tacit.plan import manifest
from tacit.report.words import count, percent
from tacit.risk.frequencies import frequencies

# Records of one page: two screens of a table.
PAGE = 50
# What can be sorted by besides the columns.
ROW, ALIKE = "row", "alike"


def records_of(data: Microdata, order: RecordsOrder) -> RecordsView:
    """One page of the records that were asked for."""
    # all of them, as the look before protection counts: fewer keys would look safer
    keys = data.quasi
    counted = frequencies(data, keys, missing="category") if keys else None
    sizes = np.ones(data.n, np.int64) if counted is None else counted.sample
    wanted = _matching(data, order["search"])
    if order["below"]:
        wanted &= sizes < order["below"]
    rows = _sorted(data, sizes, np.flatnonzero(wanted), order)
    pages = max(-(-len(rows) // PAGE), 1)
    page = min(max(order["page"], 1), pages)
    shown = rows[(page - 1) * PAGE : page * PAGE]
    masked = _released(data, order, shown)
    names = list(data.names)
    cells = data.table.take(pa.array(shown)).to_pylist()
    return {
        "columns": names,
        "keys": keys,
        "found": count(len(rows)),
        "all": count(data.n),
        "page": page,
        "pages": pages,
        "released": masked is not None,
        "rows": [
            RecordView(
                row=count(int(row) + 1),
                alike=count(int(sizes[row])) if counted else "–",
                risk=percent(1 / sizes[row]) if counted else "–",
                alone=bool(counted is not None and sizes[row] == 1),
                cells=_cells(names, cells[place], masked, place),
            )
            for place, row in enumerate(shown)
        ],
    }


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
        found |= np.asarray(pc.fill_null(hits, False).to_pylist(), bool)
    return found


def _sorted(data: Microdata, sizes: Ints, rows: Ints, order: RecordsOrder) -> Ints:
    """These rows by what was asked for; equal ones in the order of the file."""
    by = order["sort"]
    if by == ALIKE:
        key = sizes[rows]
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


def _released(
    data: Microdata, order: RecordsOrder, shown: Ints
) -> dict[str, list[object]] | None:
    """The chosen release, for the records that are shown; None where none is chosen."""
    if not order["masked"]:
        return None
    release = io.read(order["masked"])
    record = json.loads(Path(order["manifest"]).read_text(encoding="utf-8"))
    truth = manifest.truth_of(record, data.n, "manifest")
    # a sample, or rows that the method itself shuffled: nobody can say whose is whose
    if truth is None:
        return None
    at = truth[shown]
    table = release.table.take(pa.array(at))
    return {name: table.column(name).to_pylist() for name in release.names}


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
