"""Global recoding: fewer, wider categories."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from annotated_types import Ge

from tacit.errors import ColumnError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector
from tacit.protect.rounding import nice

Hierarchy = dict[str, str | list[str]]


class Recoding(Protector):
    """Replace values by wider classes, the same way in every record.

    Definition: a column with ``intervals`` is cut at the points given: a value of [c_i, c_i+1) becomes the class. A
    column with a ``hierarchies`` entry is replaced by the ancestor of each value, ``level`` steps up. Other
    continuous and ordinal columns are cut into at most ``bins`` classes: intervals of equal, round width; runs of
    neighbouring categories. Other nominal columns merge the categories with fewer than ``rare`` records into
    ``other`` (0: unchanged). Source: Willenborg and De Waal (2001).
    Guarantee: as many classes as given. Missing values stay missing. Cost: linear.
    Known attacks: a value lies in its class; classes of several columns intersect (containment, `tacit.attack.aware`).

    Parameters: ``intervals``: cut points by column. ``hierarchies``: for each column, value -> parent, or value ->
    list of ancestors, nearest first (values as text). ``level``: steps up, one number or one a column; 0 leaves the
    column as it is. ``show``: a class of numbers is released as its ``midpoint`` (stays a number; an open class: its
    finite end) or as a ``label`` such as [10, 20); a class of ordinal values as its middle category, or as a label.

    >>> import numpy as np
    >>> Recoding(intervals={"x0": [0, 10, 20]}).fit_transform(np.array([[1.0], [12.0]])).tolist()
    [[5.0], [15.0]]
    """

    def __init__(
        self,
        bins: Annotated[int, Ge(1)] = 10,
        intervals: dict[str, list[float]] | None = None,
        hierarchies: dict[str, Hierarchy] | None = None,
        level: Annotated[int, Ge(0)] | dict[str, Annotated[int, Ge(0)]] = 1,
        rare: Annotated[int, Ge(0)] = 0,
        show: Literal["midpoint", "label"] = "midpoint",
        columns: list[str] | None = None,
    ) -> None:
        self.bins = bins
        self.intervals = intervals
        self.hierarchies = hierarchies
        self.level = level
        self.rare = rare
        self.show = show
        self.columns = columns

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        for name in [*(self.intervals or {}), *(self.hierarchies or {})]:
            if name not in columns:
                raise ColumnError(f"a recoding is given for '{name}', which is not a column to protect")
        self.cuts_: dict[str, FloatArray] = {}
        self.rare_: dict[str, list[Any]] = {}
        for name in columns:
            kind = data.schema[name].kind
            if name in (self.hierarchies or {}):
                continue
            if name in (self.intervals or {}):
                if kind is Kind.nominal:
                    raise ColumnError(f"'{name}' is nominal and cannot be cut into intervals; give it a hierarchy")
                cuts = np.asarray((self.intervals or {})[name], dtype=np.float64)
                if cuts.size == 0 or (np.diff(cuts) <= 0).any():
                    raise ParameterError(f"the intervals of '{name}' must be cut points in rising order")
                self.cuts_[name] = cuts
            elif kind is Kind.continuous:
                self.cuts_[name] = round_cuts(data.column(name), self.bins)
            elif kind is Kind.ordinal:
                size = len(data.categories(name))
                self.cuts_[name] = np.unique(np.linspace(0, size, min(self.bins, size) + 1).round()) - 0.5
            else:
                codes = data.column(name)
                count = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(data.categories(name)))
                self.rare_[name] = [v for v, c in zip(data.categories(name), count, strict=True) if c < self.rare]

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        for name in columns:
            if name in (self.hierarchies or {}):
                data = self._up(data, name)
            elif name in self.cuts_:
                data = self._cut(data, name)
            elif self.rare_[name]:
                labels = ["other" if v in self.rare_[name] else _text(v) for v in data.categories(name)]
                data = data.with_column(name, _pick(labels, data.column(name)), kind=Kind.nominal)
        return data

    def _up(self, data: Microdata, name: str) -> Microdata:
        steps = self.level.get(name, 1) if isinstance(self.level, dict) else self.level
        tree = (self.hierarchies or {})[name]
        if data.schema[name].kind is Kind.continuous:
            data = data.with_schema(data.schema.put(replace(data.schema[name], kind=Kind.nominal)))
        if steps == 0:
            return data
        parents = [_ancestor(_text(value), tree, steps, name) for value in data.categories(name)]
        return data.with_column(name, _pick(parents, data.column(name)), kind=Kind.nominal)

    def _cut(self, data: Microdata, name: str) -> Microdata:
        cuts, values = self.cuts_[name], data.column(name)
        place = np.searchsorted(cuts, values, side="right")  # 0: below the first cut
        ordinal = data.schema[name].kind is Kind.ordinal
        if ordinal:
            members = np.searchsorted(cuts, np.arange(len(data.categories(name))), side="right")
            groups = [np.flatnonzero(members == g) for g in range(cuts.size + 1)]
            middle = np.array([g[(g.size - 1) // 2] if g.size else 0 for g in groups], dtype=np.float64)
            if self.show == "midpoint":
                return data.with_numbers([name], np.where(np.isnan(values), np.nan, middle[place])[:, None])
            seen = data.categories(name)
            labels = ["" if not g.size else _span(seen[g[0]], seen[g[-1]]) for g in groups]
        else:
            edges = np.concatenate([[cuts[0]], cuts, [cuts[-1]]])
            middle = (edges[:-1] + edges[1:]) / 2
            if self.show == "midpoint":
                return data.with_numbers([name], np.where(np.isnan(values), np.nan, middle[place])[:, None])
            inner = [f"[{a:g}, {b:g})" for a, b in pairwise(cuts)]
            labels = [f"< {cuts[0]:g}", *inner, f">= {cuts[-1]:g}"]
        coded = data.with_column(name, _pick(labels, np.where(np.isnan(values), np.nan, place)))
        column = replace(coded.schema[name], kind=Kind.ordinal, categories=tuple(dict.fromkeys(t for t in labels if t)))
        return coded.with_schema(coded.schema.put(column))


def round_cuts(values: FloatArray, bins: int) -> FloatArray:
    """At most ``bins`` intervals of equal width, 1, 2 or 5 times a power of ten, over the values present."""
    present = values[~np.isnan(values)]
    if not present.size or present.min() == present.max():
        return np.array([present.min() if present.size else 0.0, (present.min() if present.size else 0.0) + 1.0])
    low, high = float(present.min()), float(present.max())
    width = nice((high - low) / bins)
    # one interval is not always possible (the values may lie on both sides of every round number): two then
    while np.floor(high / width) - np.floor(low / width) + 1 > max(bins, 2):
        width = nice(width * 2.5000001)  # 1, 2, 5, 10, ...
    first, last = np.floor(low / width), np.floor(high / width) + 1
    return np.asarray(np.arange(first, last + 1) * width)


def _pick(labels: list[str], codes: FloatArray) -> pa.Array:
    gaps = np.isnan(codes)
    return pa.array(labels, type=pa.string()).take(pa.array(np.where(gaps, 0, codes).astype(np.int64), mask=gaps))


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _span(first: Any, last: Any) -> str:
    return _text(first) if first == last else f"{_text(first)} to {_text(last)}"


def _ancestor(value: str, tree: Hierarchy, steps: int, name: str) -> str:
    """``steps`` levels up; the top is its own parent."""
    for _ in range(steps):
        if value not in tree:
            if value in {p for up in tree.values() for p in (up if isinstance(up, list) else [up])}:
                return value
            raise ColumnError(f"the hierarchy of '{name}' does not say where {value!r} belongs; add it")
        up = tree[value]
        if isinstance(up, list):
            return up[min(steps, len(up)) - 1] if up else value
        value = up
    return value
