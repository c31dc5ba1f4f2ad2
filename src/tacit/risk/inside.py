"""What the confidential values inside a group give away: l-diversity and t-closeness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import ColumnError, ParameterError
from tacit.measure import Measure
from tacit.microdata import Kind, Microdata, Role
from tacit.risk.frequency import categorical, key_codes, keyed
from tacit.risk.keys import FloatArray, classes, codes
from tacit.risk.shares import Shares, distances, distinct, entropy, recursive, shares


@dataclass(frozen=True)
class Diversity:
    """l of each record's group: ``distinct`` values, ``entropy`` (effective number), ``recursive`` (c, l)."""

    distinct: FloatArray
    entropy: FloatArray
    recursive: FloatArray
    column: str
    c: float


def _cells(data: Microdata, keys: list[str], column: str) -> tuple[Any, int, Any, Shares]:
    if column in keys:
        raise ColumnError(f"the confidential column '{column}' is also a key; leave it out of the keys")
    labels, number = classes(key_codes(data, keys))
    values = codes(data.numbers([column]))[:, 0]
    return labels, number, values, shares(labels, number, values)


def diversity(data: Any, keys: Sequence[str] | None, column: str, *, c: float = 2.0) -> Diversity:
    """l-diversity of a confidential column in the group of records that share a key.

    distinct: number of different values; entropy: exp(- sum s ln s) over their shares s; recursive: the largest l with
    r_1 < c (r_l + ... + r_m), r the counts in falling order. Range: 1 to the number of values; 1: the group gives the
    value away (distinct, entropy), higher is safer. Missing values count in no share.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007.

    >>> diversity({"k": [1, 1, 1, 2], "ill": ["a", "b", "b", "a"]}, ["k"], "ill").distinct.tolist()
    [2.0, 2.0, 2.0, 1.0]
    """
    if c <= 0:
        raise ParameterError(f"c={c} must be above 0")
    data, names = keyed(data, keys)
    labels, _, _, cells = _cells(data, names, column)
    return Diversity(distinct(cells)[labels], entropy(cells)[labels], recursive(cells, c)[labels], column, c)


def closeness(data: Any, keys: Sequence[str] | None, column: str, *, ordered: bool | None = None) -> FloatArray:
    """t of each record's group: earth mover's distance of the column's distribution there from the whole file's.

    equal distance (nominal columns): 1/2 sum |p_v - q_v|; ordered (ordinal and continuous): sum |P_v - Q_v| / (m - 1).
    Range [0, 1]; 0: the group tells nothing that the file does not; higher: it tells more.
    Source: Li, Li and Venkatasubramanian 2007.
    """
    data, names = keyed(data, keys)
    labels, _, values, cells = _cells(data, names, column)
    if ordered is None:
        ordered = data.schema[column].kind is not Kind.nominal
    return np.asarray(distances(cells, values, ordered=ordered)[labels])


def _confidential(data: Microdata, columns: Sequence[str] | None) -> list[str]:
    return data.schema.names(role=Role.confidential) if columns is None else list(columns)


def l_diversity(
    original: Any,
    masked: Any,
    *,
    l: float = 2,  # noqa: E741  the letter is the name of the thing
    c: float = 2.0,
    keys: Sequence[str] | None = None,
    confidential: Sequence[str] | None = None,
) -> Measure:
    """Share of released records in a group with fewer than l distinct values of some confidential column.

    Range [0, 1]. 0: every group holds at least l values of every confidential column. Higher: more records whose
    value can be read off their group. The details give the entropy and recursive forms too (see ``diversity``).
    """
    data, names = categorical(original, masked, keys)
    data, names = keyed(data, names or None)
    columns = _confidential(data, confidential)
    if not columns:
        return Measure.absent("l_diversity", "no column has the role confidential")
    low = np.zeros(data.n, dtype=bool)
    details: dict[str, Any] = {"l": l, "c": c}
    per_column: dict[str, float] = {}
    for column in columns:
        found = diversity(data, [k for k in names if k != column], column, c=c)
        bad = found.distinct < l
        low |= bad
        per_column[column] = float(bad.mean()) if data.n else 0.0
        details[column] = {
            "distinct": _spread(found.distinct),
            "entropy": _spread(found.entropy),
            "recursive": _spread(found.recursive),
        }
    return Measure(
        "l_diversity",
        float(low.mean()) if data.n else 0.0,
        (0.0, 1.0),
        f"every group holds at least {l} values of each confidential column",
        f"a larger share of records in groups with fewer than {l} values",
        details,
        low.astype(np.float64),
        per_column,
    )


def t_closeness(
    original: Any,
    masked: Any,
    *,
    keys: Sequence[str] | None = None,
    confidential: Sequence[str] | None = None,
) -> Measure:
    """The largest distance t of any group from the whole file, over the confidential columns (see ``closeness``).

    Range [0, 1]. 0: no group tells more than the whole file. Higher: some group tells more.
    """
    data, names = categorical(original, masked, keys)
    data, names = keyed(data, names or None)
    columns = _confidential(data, confidential)
    if not columns:
        return Measure.absent("t_closeness", "no column has the role confidential")
    worst = np.zeros(data.n)
    per_column: dict[str, float] = {}
    for column in columns:
        t = closeness(data, [k for k in names if k != column], column)
        worst = np.maximum(worst, t)
        per_column[column] = float(t.max(initial=0.0))
    return Measure(
        "t_closeness",
        float(worst.max(initial=0.0)),
        (0.0, 1.0),
        "no group tells more about a confidential column than the whole file",
        "some group tells more",
        {"mean over records": float(worst.mean()) if data.n else 0.0},
        worst,
        per_column,
    )


def _spread(values: FloatArray) -> dict[str, float]:
    if not len(values):
        return {}
    return {"min": float(values.min()), "mean": float(values.mean()), "max": float(values.max())}
