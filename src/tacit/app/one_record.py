"""One record: its group, who lives with it, and which released records compete for it.

Only workers import this module. Groups and risks are those of `tacit.risk`, competitors those of
`tacit.attack`.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from tacit.app.messages import OneRecordView, RecordsOrder, RivalView
from tacit.app.records import Known, Released, Standing, released, standing_of, views
from tacit.attack.explain import competing
from tacit.base.errors import InputError
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.report.words import count, number

# Records of a group or household that are listed.
LISTED = 12


def one_record(known: Known, order: RecordsOrder, row: int) -> OneRecordView:
    """Everything that is known about record `row`, which counts from 1."""
    data = known.data
    i = row - 1
    if not 0 <= i < data.n:
        raise InputError(f"There is no record {row}; the file has {count(data.n)}.")
    now = standing_of(known)
    found = released(data, order["masked"], order["manifest"])
    group = np.flatnonzero(now.labels == now.labels[i])
    home = np.zeros(0, np.int64)
    if now.members is not None:
        home = np.flatnonzero(now.members == now.members[i])
    return {
        "columns": list(data.names),
        "keys": now.keys,
        "released": found is not None,
        "record": views(data, now, found, np.array([i]))[0],
        "group": views(data, now, found, group[:LISTED]),
        "in_group": count(len(group)),
        "unit": now.unit,
        "home": views(data, now, found, home[:LISTED]),
        "in_home": count(len(home)),
        "rivals": [] if found is None else _rivals(data, now, found, i),
    }


def _rivals(data: Microdata, now: Standing, found: Released, i: int) -> list[RivalView]:
    """The released records nearest to this one, and what speaks for each."""
    columns = [name for name in now.keys if name in found.data.names]
    if not columns:
        return []
    own = int(found.truth[i])
    rivals = []
    for one in competing(data, found.data, columns, i):
        same = _same(data, found.data, columns, i, one["record"])
        alike = _alike(found.data, columns, one["record"])
        rivals.append(
            RivalView(
                distance=number(one["distance"]),
                identical=count(one["identical"]),
                own=bool(own in alike),
                same=", ".join(same) or "nothing",
                other=", ".join(name for name in columns if name not in same),
                values=[
                    f"{name} = {_text(found.data, name, one['record'])}"
                    for name in columns
                ],
            )
        )
    return rivals


def _same(
    data: Microdata, masked: Microdata, columns: list[str], i: int, j: int
) -> list[str]:
    """The columns whose released value is the original one."""
    return [name for name in columns if _text(data, name, i) == _text(masked, name, j)]


def _alike(masked: Microdata, columns: list[str], j: int) -> Ints:
    """The released records that nobody can tell from this one."""
    same = np.ones(masked.n, bool)
    for name in columns:
        values = masked.table.column(name)
        value = values[j]
        equal = pc.equal(values, value) if value.is_valid else pc.is_null(values)
        same &= pc.fill_null(equal, False).to_numpy().astype(bool)
    return np.flatnonzero(same)


def _text(data: Microdata, name: str, row: int) -> str:
    value = data.table.column(name)[row].as_py()
    if value is None:
        return "blank"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
