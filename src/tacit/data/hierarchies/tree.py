"""A rule applied to the values of a column: classes as integer codes, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats, Ints
from tacit.data.hierarchies.rule import Rule, UncoveredError
from tacit.data.microdata import Kind, Microdata


@dataclass(frozen=True)
class Tree:
    """The classes of a column at every level; level 0 are its values.

    Attributes
    ----------
    labels : tuple of tuple of str
        The labels of each level, in code order.
    up : tuple of array
        ``up[h][c]`` is the class at level h + 1 of class c at level h.
    ordered : bool
        The labels of each level have an order, which is that of their codes.
    """

    labels: tuple[tuple[str, ...], ...]
    up: tuple[Ints, ...]
    ordered: bool = False

    @property
    def height(self) -> int:
        """Levels above the values."""
        return len(self.up)

    @cached_property
    def classes(self) -> tuple[Ints, ...]:
        """At each level, the class of every value."""
        values = len(self.labels[0])
        here = np.arange(values, dtype=np.int64)
        levels = [here]
        for step in self.up:
            here = step[here]
            levels.append(here)
        return tuple(levels)

    @cached_property
    def leaves(self) -> tuple[Ints, ...]:
        """At each level, how many values each class holds."""
        return tuple(
            np.bincount(of_value, minlength=len(labels)).astype(np.int64)
            for of_value, labels in zip(self.classes, self.labels, strict=True)
        )

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table of the hierarchy: each value with its classes."""
        columns = [
            [labels[code] for code in of_value]
            for of_value, labels in zip(self.classes, self.labels, strict=True)
        ]
        return list(zip(*columns, strict=True))


@dataclass(frozen=True)
class Coded:
    """The values of a column as codes of its tree; -1 where there is none."""

    codes: Ints
    tree: Tree


def tree_of(
    rule: Rule,
    values: Sequence[Any],
    column: str = "column",
) -> Tree:
    """The classes of these values, which are all different.

    Raises
    ------
    ColumnError
        A value that the rule does not cover, or a class with two parents.

    Examples
    --------
    >>> from tacit.data.hierarchies.prefix import Prefix
    >>> tree = tree_of(Prefix(keep=(1,)), ["J45", "J46", "K20"])
    >>> tree.labels[1], tree.up[0].tolist()
    (('J*', 'K*'), [0, 0, 1])
    """
    lines = []
    for value in values:
        try:
            lines.append((as_text(value), *rule.classes_above(value)))
        except UncoveredError:
            raise ColumnError(
                f"the hierarchy of '{column}' does not cover {as_text(value)!r}; add it, or "
                'say what becomes of such values: other = "other"'
            ) from None
    levels: list[tuple[str, ...]] = [tuple(line[0] for line in lines)]
    up: list[Ints] = []
    here = list(range(len(lines)))
    for level in range(1, rule.height + 1):
        codes: dict[str, int] = {}
        parent = [-1] * len(levels[-1])
        for place, line in enumerate(lines):
            # codes by first occurrence: values in order give classes in order
            code = codes.setdefault(line[level], len(codes))
            below = here[place]
            if parent[below] not in (-1, code):
                names = list(codes)
                raise ColumnError(
                    f"the hierarchy of '{column}' gives {line[level - 1]!r} two parents, "
                    f"{names[parent[below]]!r} and {line[level]!r}; give it one"
                )
            parent[below] = code
        here = [parent[below] for below in here]
        levels.append(tuple(codes))
        up.append(np.array(parent, dtype=np.int64))
    ordered = rule.reads != "text"
    return Tree(tuple(levels), tuple(up), ordered)


def coded(
    rule: Rule,
    data: Microdata,
    name: str,
) -> Coded:
    """A column as codes of the tree that a rule makes of its values.

    Errors name the first row with the value that is not covered.
    """
    codes, values = values_of(rule, data, name)
    try:
        return Coded(codes, tree_of(rule, values, name))
    except ColumnError as error:
        # rows are looked through only now that something is wrong
        for code, value in enumerate(values):
            try:
                rule.classes_above(value)
            except UncoveredError:
                row = int(np.argmax(codes == code)) + 1
                raise ColumnError(f"column '{name}', row {row}: {error}") from None
        raise


def values_of(
    rule: Rule,
    data: Microdata,
    name: str,
) -> tuple[Ints, list[Any]]:
    """The code of each row's value (-1: none), and the values as the rule reads them."""
    kind = data.schema[name].kind
    if rule.reads == "date":
        if kind is not Kind.date:
            raise ColumnError(
                f"'{name}' is {kind} and has a hierarchy of dates; declare it a date "
                f"(--date {name}), or give it another hierarchy"
            )
        codes, days = _numbered(data.days(name))
        return codes, [_moment(day) for day in days]
    if kind is Kind.date and rule.reads == "number":
        raise ColumnError(
            f"'{name}' holds dates and has a hierarchy of numbers; give it one of dates, "
            'such as dates = ["month", "year"]'
        )
    if data.schema[name].scale is Kind.continuous:
        codes, numbers = _numbered(data.column(name))
        return codes, [as_text(x) if rule.reads == "text" else x for x in numbers]
    values = data.categories(name)
    marked = np.nan_to_num(data.column(name), nan=-1.0)
    present = marked.astype(np.int64)
    if rule.reads == "text":
        return present, [as_text(value) for value in values]
    # categories stand in an order of their own; numbers in that of numbers
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise ColumnError(
            f"'{name}' is {kind} and has a hierarchy of numbers, but not all its values "
            "are numbers; give it another hierarchy"
        ) from None
    order = np.argsort(numbers, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    shown = [numbers[at] for at in order]
    # a column of gaps only has no categories to look up
    codes = np.where(present >= 0, place[present], -1) if len(place) else present
    return codes, shown


def _numbered(values: Floats) -> tuple[Ints, list[float]]:
    """Distinct numbers in rising order as 0, 1, ...; -1 where missing."""
    gaps = np.isnan(values)
    distinct, place = np.unique(values[~gaps], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~gaps] = place.ravel()
    return codes, distinct.tolist()


def _moment(day: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(days=day)


def as_text(value: object) -> str:
    """A value as text; 3.0 is written 3, and a day without its midnight.

    >>> as_text(3.0), as_text(datetime(2024, 5, 17))
    ('3', '2024-05-17')
    """
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return str(value.date())
    return str(value)
