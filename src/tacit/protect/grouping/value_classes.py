"""Classes of values: cut points, labels and hierarchies of a recoding."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

import numpy as np
import pyarrow as pa

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats
from tacit.data.hierarchies.cuts import between, open_above, open_below
from tacit.protect.rounding import nice

Hierarchy = dict[str, str | list[str]]
"""Value -> parent, or value -> list of ancestors, nearest first."""
NEXT_WIDTH = 2.5000001
"""A round width times this, made round again, is the next in 1, 2, 5, 10, ...

2 x 2.5 = 5 must not fall just below 5 by rounding.
"""


def classes_of_categories(
    cuts: Floats, categories: Sequence[object]
) -> tuple[Floats, list[str]]:
    """The middle category of each class and its label; an empty class has no label."""
    every_code = np.arange(len(categories))
    class_of_code = np.searchsorted(cuts, every_code, side="right")
    middle = np.zeros(cuts.size + 1)
    labels = [""] * (cuts.size + 1)
    for number in range(cuts.size + 1):
        members = np.flatnonzero(class_of_code == number)
        if members.size:
            lower_middle = (members.size - 1) // 2
            middle[number] = members[lower_middle]
            first, last = categories[members[0]], categories[members[-1]]
            labels[number] = _span(first, last)
    return middle, labels


def classes_of_numbers(cuts: Floats) -> tuple[Floats, list[str]]:
    """The midpoint of each interval and its label; the open classes at both ends have none."""
    inner = (cuts[:-1] + cuts[1:]) / 2
    middle = np.concatenate([[np.nan], inner, [np.nan]])
    labels = [between(low, high) for low, high in pairwise(cuts.tolist())]
    return middle, [open_below(cuts[0]), *labels, open_above(cuts[-1])]


def classes_of_dates(cuts: Floats) -> tuple[Floats, list[str]]:
    """The middle day of each interval and its label; cut points are days since 1970-01-01.

    The open classes at both ends have no middle.
    """
    days = [str(day) for day in np.floor(cuts).astype("datetime64[D]")]
    inner = np.floor((cuts[:-1] + cuts[1:]) / 2)
    middle = np.concatenate([[np.nan], inner, [np.nan]])
    labels = [f"[{low}, {high})" for low, high in pairwise(days)]
    return middle, [f"before {days[0]}", *labels, f"{days[-1]} and later"]


def cuts_of_dates(name: str, given: Sequence[float | str]) -> Floats:
    """ISO dates as days since 1970-01-01; a number is refused, because 1990 is no day."""
    cuts = []
    for cut in given:
        try:
            if isinstance(cut, float | int):
                raise ValueError
            since = date.fromisoformat(str(cut)) - date(1970, 1, 1)
            cuts.append(float(since.days))
        except ValueError:
            shown = f"{cut:g}" if isinstance(cut, float | int) else repr(cut)
            raise ParameterError(
                f"'{name}' holds dates and cannot be cut at {shown}; "
                "write cut points as dates, such as '1990-01-01'"
            ) from None
    return np.array(cuts)


def cuts_of_numbers(name: str, given: Sequence[float | str]) -> Floats:
    """Cut points of numbers; a text is refused."""
    words = [str(cut) for cut in given if not isinstance(cut, float | int)]
    if words:
        raise ParameterError(
            f"'{name}' cannot be cut at {words[0]!r}; write cut points as numbers, "
            f"or declare the column a date (--date {name})"
        )
    return np.asarray(given, dtype=np.float64)


def even_cuts(size: int, bins: int) -> Floats:
    """Cuts between codes 0 .. size - 1 into runs of about equal length."""
    runs = min(bins, size)
    ends = np.linspace(0, size, runs + 1).round()
    return np.asarray(np.unique(ends) - 0.5)


def round_cuts(low: float, high: float, bins: int) -> Floats:
    """At most ``bins`` intervals of equal width from the lowest to the highest value.

    The width is 1, 2 or 5 times a power of ten.
    """
    # a constant or empty column has one class, of width 1
    if low == high:
        return np.array([low, low + 1.0])
    width = nice((high - low) / bins)
    # one interval is not always possible (the values may lie on both sides of every round
    # number): two then
    while np.floor(high / width) - np.floor(low / width) + 1 > max(bins, 2):
        width = nice(width * NEXT_WIDTH)
    first = np.floor(low / width)
    last = np.floor(high / width) + 1
    return np.asarray(np.arange(first, last + 1) * width)


def pick(labels: list[str], codes: Floats) -> pa.Array:
    """The label of each code; missing where the code is."""
    gaps = np.isnan(codes)
    places = np.where(gaps, 0, codes).astype(np.int64)
    names = pa.array(labels, type=pa.string())
    return names.take(pa.array(places, mask=gaps))


def as_text(value: object) -> str:
    """A category as text; 3.0 is written 3."""
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:g}" if whole else str(value)


def _span(first: object, last: object) -> str:
    """'low to high', or the one category."""
    return as_text(first) if first == last else f"{as_text(first)} to {as_text(last)}"


def ancestor(
    value: str,
    tree: Hierarchy,
    steps: int,
    name: str,
) -> str:
    """``steps`` levels up; the top is its own parent."""
    for _ in range(steps):
        if value not in tree:
            if _is_parent(value, tree):
                return value
            raise ColumnError(
                f"the hierarchy of '{name}' does not say where {value!r} belongs; add it"
            )
        up = tree[value]
        # a list names all ancestors at once: the last is the top
        if isinstance(up, list):
            return up[min(steps, len(up)) - 1] if up else value
        value = up
    return value


def _is_parent(value: str, tree: Hierarchy) -> bool:
    """Is the value above another one? Then it is a top, which has no entry of its own."""
    return any(
        value in up if isinstance(up, list) else value == up for up in tree.values()
    )
