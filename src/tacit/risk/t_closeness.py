"""t-closeness: how far a group's confidential values are from those of the whole file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.options import checked
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.data.units import Units, persons
from tacit.risk.class_shares import (
    NO_CONFIDENTIAL,
    ColumnShares,
    Shares,
    column_shares,
    judged_shares,
    keys_and_confidential,
)
from tacit.risk.frequencies import keyed


def distances(
    cells: Shares,
    *,
    ordered: bool,
) -> Floats:
    """Earth mover's distance between each class and the whole file.

    With p the shares in the class, q those in the file, P and Q cumulative, m values:

        equal      1/2 sum over v of |p_v - q_v|
        ordered    sum over v of |P_v - Q_v| / (m - 1)
    """
    # every person once in each class, as in the classes themselves
    whole = np.bincount(cells.value, weights=cells.count).astype(np.float64)
    whole /= max(whole.sum(), 1.0)
    return _ordered(cells, whole) if ordered else _equal(cells, whole)


def _equal(cells: Shares, whole: Floats) -> Floats:
    """1 - sum over v of min(p_v, q_v), the same as half the sum of gaps."""
    overlap = np.minimum(cells.share, whole[cells.value])
    apart = 1.0 - cells.sum_by_class(overlap)
    return np.where(cells.occupied, np.maximum(apart, 0.0), 0.0)


def _ordered(cells: Shares, whole: Floats) -> Floats:
    """sum over v of |P_v - Q_v| / (m - 1), with work for the cells that occur only.

    P is a step function, constant between the values that the class has. Q is monotone,
    so on each such stretch P - Q changes sign once, at the place where Q passes the height
    of P: two differences of the area under Q give the stretch's part of the sum.
    """
    m = len(whole)
    if m < 2:
        return np.zeros(cells.number)
    cumulative = np.cumsum(whole)
    summed = np.cumsum(cumulative)
    area = np.concatenate([[0.0], summed])

    # the cells of each class in value order; each begins a stretch of P
    order = np.lexsort((cells.value, cells.label))
    label, value = cells.label[order], cells.value[order]
    share = cells.share[order]
    place = np.arange(len(label))
    is_first = cells.start[label] == place
    is_last = cells.start[1:][label] - 1 == place

    # the height of P on the stretch, and where the stretch ends
    reached = np.cumsum(share)
    before = np.concatenate([[0.0], reached])
    height = before[1:] - before[cells.start[label]]
    following = np.append(value[1:], m)
    end = np.where(is_last, m, following)

    passed = np.searchsorted(cumulative, height)
    cross = np.clip(passed, value, end)
    stretch = (
        height * (cross - value)
        - (area[cross] - area[value])
        + (area[end] - area[cross])
        - height * (end - cross)
    )
    # before the first value of the class P is 0, and the gap is Q itself
    stretch += np.where(is_first, area[value], 0.0)
    total = np.bincount(label, weights=stretch, minlength=cells.number)
    return np.asarray(np.maximum(total, 0.0) / (m - 1), np.float64)


@checked
def closeness(
    data: object,
    keys: Sequence[str] | None,
    column: str,
    *,
    ordered: bool | None = None,
    units: Units | None = None,
) -> Floats:
    """t of each record's group: distance of the column's distribution from the file's.

    Parameters
    ----------
    data : frame or Microdata
        The file to be looked at.
    keys : list of str or None
        Key columns; the quasi-identifiers if None.
    column : str
        The confidential column.
    ordered : bool, optional
        Whether values have an order; they have unless the column is nominal.
    units : Units, optional
        Whose records these are; in Microdata the persons, who count once in a group.

    Notes
    -----
    **Definition.** The earth mover's distance between p (group) and q (file). Equal
    distance (nominal columns): 1/2 sum |p_v - q_v|; ordered (ordinal and continuous):
    sum |P_v - Q_v| / (m - 1), P and Q cumulative, m values.
    **Range.** [0, 1]; 0: the group tells nothing that the file does not; higher: it tells
    more.

    References
    ----------
    Li, Li and Venkatasubramanian (2007).
    """
    microdata, names = keyed(data, keys)
    if units is None and isinstance(data, Microdata):
        units = persons(data)
    shared = column_shares(microdata, names, column, units)
    if ordered is None:
        ordered = microdata.schema[column].scale is not Kind.nominal
    return _distances_of(shared, ordered=ordered)


def _distances_of(shared: ColumnShares, *, ordered: bool) -> Floats:
    """The distance of each record's class."""
    by_class = distances(shared.cells, ordered=ordered)
    return np.asarray(by_class[shared.labels])


@facts.measure(
    "t-closeness",
    threshold=0.3,
    why="no group tells much more than the file",
    view="an intruder who knows the keys alone and wants a confidential value",
    passes="cells",
    presumes=True,
)
def t_closeness(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    confidential: Sequence[str] | None = None,
) -> Measure:
    """The largest distance t of any group from the whole file, over confidential columns.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    confidential : list of str, optional
        Columns that are judged; those whose role is confidential unless given.

    Notes
    -----
    **Definition.** Maximum over groups and columns of the distance of ``closeness``.
    **Range.** [0, 1]. 0: no group tells more than the whole file. Higher: some group does.

    References
    ----------
    Li, Li and Venkatasubramanian (2007).
    """
    judged, names, columns = keys_and_confidential(original, masked, keys, confidential)
    if not columns:
        return Measure.absent("t_closeness", NO_CONFIDENTIAL)
    data, units = judged.data, judged.units
    worst = np.zeros(data.n)
    per_column: dict[str, float] = {}
    for column in columns:
        # A column that is key and confidential at once is judged by the other keys.
        others = [name for name in names if name != column]
        shared = judged_shares(judged, others, column)
        scale = (judged.on_disk or data).schema[column].scale
        distance = _distances_of(shared, ordered=scale is not Kind.nominal)
        worst = np.maximum(worst, distance)
        per_column[column] = float(distance.max(initial=0.0))
    return Measure(
        "t_closeness",
        float(worst.max(initial=0.0)),
        (0.0, 1.0),
        "no group tells more about a confidential column than the whole file",
        "some group tells more",
        {
            "mean over records": units.row_mean(worst),
            **judged.details,
        },
        judged.of_records(worst),
        per_column,
    )
