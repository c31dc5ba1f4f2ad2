"""l-diversity: how many values of a confidential column each group of records holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.options import checked
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
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


@dataclass(frozen=True)
class Diversity:
    """l of each record's group, in three forms, of one confidential column."""

    distinct: Floats
    """Number of different values."""
    entropy: Floats
    """Effective number of values."""
    recursive: Floats
    """The largest l of recursive (c, l)-diversity."""
    column: str
    c: float


def distinct(cells: Shares) -> Floats:
    """Number of different values in each class; one person has no more than one of them."""
    return np.minimum(np.diff(cells.start), cells.size)


def entropy(cells: Shares) -> Floats:
    """exp(H), H = - sum of s ln s over the shares s of a class: the effective number."""
    terms = cells.share * np.log(cells.share)
    number = np.exp(-cells.sum_by_class(terms))
    # the values of one person are no diversity; an empty class has 1, as it always had
    return np.minimum(number, np.maximum(cells.size, 1.0))


def recursive(cells: Shares, c: float) -> Floats:
    """Largest l with r_1 < c (r_l + ... + r_m), r the falling counts; 1 if there is none.

    A class in which one value only occurs has l = 1.
    """
    occupied = cells.occupied
    first = cells.start[:-1][occupied]
    # tail: r_l + ... + r_m at every cell, from sums over all cells before it
    total = np.cumsum(cells.count)
    before = np.concatenate([[0.0], total])
    end = before[cells.start[1:]]
    tail = end[cells.label] - before[:-1]
    largest = np.zeros(cells.number)
    largest[occupied] = cells.count[first]
    holds = largest[cells.label] < c * tail
    holds[first] = False  # l = 1 is the floor, added below
    floor = np.where(occupied, 1.0, 0.0)
    # Tails only shrink, so the l that hold are the first ones and can be counted.
    return np.minimum(floor + cells.sum_by_class(holds), cells.size)


@checked
def diversity(
    data: object,
    keys: Sequence[str] | None,
    column: str,
    *,
    c: Annotated[float, Ge(0)] = 2.0,
    units: Units | None = None,
) -> Diversity:
    """l-diversity of a confidential column in the group of records that share a key.

    Parameters
    ----------
    data : frame or Microdata
        The file to be looked at.
    keys : list of str or None
        Key columns; the quasi-identifiers if None.
    column : str
        The confidential column.
    c : float
        The constant of recursive (c, l)-diversity, above 0.
    units : Units, optional
        Whose records these are; in Microdata the persons.

    Notes
    -----
    **Definition.** distinct: number of different values; entropy: exp(- sum s ln s) over
    their shares s; recursive: the largest l with r_1 < c (r_l + ... + r_m), r the counts in
    falling order. Missing values count in no share. A person counts once in a group, and no
    group has more values than persons: ten incomes of one man are no diversity.
    **Range.** 1 to the number of values; 1: the group gives the value away (distinct,
    entropy), higher is safer.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007).

    Examples
    --------
    >>> table = {"k": [1, 1, 1, 2], "ill": ["a", "b", "b", "a"]}
    >>> diversity(table, ["k"], "ill").distinct.tolist()
    [2.0, 2.0, 2.0, 1.0]
    """
    if c <= 0:
        raise ParameterError(f"c={c} must be above 0")
    microdata, names = keyed(data, keys)
    if units is None and isinstance(data, Microdata):
        units = persons(data)
    return _forms(column_shares(microdata, names, column, units), column, c)


def _forms(shared: ColumnShares, column: str, c: float) -> Diversity:
    """The three forms of each record's class."""
    return Diversity(
        distinct(shared.cells)[shared.labels],
        entropy(shared.cells)[shared.labels],
        recursive(shared.cells, c)[shared.labels],
        column,
        c,
    )


@facts.measure(
    "l-diversity",
    threshold=0.0,
    why="no group with fewer than l values",
    view="an intruder who knows the keys alone and wants a confidential value",
    passes="cells",
    presumes=True,
)
def l_diversity(
    original: object,
    masked: object,
    *,
    l: Annotated[float, Ge(1)] = 2,  # noqa: E741  the letter is the name of the thing
    c: Annotated[float, Ge(0)] = 2.0,
    keys: Sequence[str] | None = None,
    confidential: Sequence[str] | None = None,
) -> Measure:
    """Share of persons (or records) in a group with fewer than l values of a confidential column.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    l : float
        Number of distinct values that every group should hold.
    c : float
        The constant of the recursive form in the details.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    confidential : list of str, optional
        Columns that must be diverse; those whose role is confidential unless given.

    Notes
    -----
    **Definition.** #{i: some confidential column has fewer than l values in i's group} / n, over
    persons where a column has that role.
    **Range.** [0, 1]. 0: every group holds at least l values of every confidential column.
    Higher: more records whose value can be read off their group. The details give the
    entropy and recursive forms too (see ``diversity``).

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007).
    """
    judged, names, columns = keys_and_confidential(original, masked, keys, confidential)
    if not columns:
        return Measure.absent("l_diversity", NO_CONFIDENTIAL)
    if c <= 0:
        raise ParameterError(f"c={c} must be above 0")
    data, units = judged.data, judged.units
    below_anywhere = np.zeros(data.n, dtype=bool)
    details: dict[str, object] = {"l": l, "c": c, **judged.details}
    per_column: dict[str, float] = {}
    for column in columns:
        # A column that is key and confidential at once is judged by the other keys.
        others = [name for name in names if name != column]
        forms = _forms(judged_shares(judged, others, column), column, c)
        below = forms.distinct < l
        below_anywhere |= below
        per_column[column] = units.share(below)
        details[column] = {
            "distinct": _spread(forms.distinct, units),
            "entropy": _spread(forms.entropy, units),
            "recursive": _spread(forms.recursive, units),
        }
    return Measure(
        "l_diversity",
        units.share(below_anywhere),
        (0.0, 1.0),
        f"every group holds at least {l} values of each confidential column",
        f"a larger share of {units.words} in groups with fewer than {l} values",
        details,
        judged.of_records(below_anywhere.astype(np.float64)),
        per_column,
    )


def _spread(values: Floats, units: Units) -> dict[str, float]:
    """Smallest, mean and largest; empty for a file without records."""
    if not len(values):
        return {}
    return {
        "min": float(values.min()),
        "mean": units.row_mean(values),
        "max": float(values.max()),
    }
