"""Hierarchies that are found in the data: equal frequencies, an optimal partition, co-occurrence.

Cut points and classes that come from the data say something about it: where the quarters lie, and
which values go together. A rule that is written down says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.hierarchies.cuts import Cuts
from tacit.data.hierarchies.dates import Dates
from tacit.data.hierarchies.listed_groups import Groups, Level
from tacit.data.hierarchies.rule import Rule
from tacit.data.hierarchies.tree import as_text
from tacit.data.microdata import Kind, Microdata

SORTS = ("by kind", "frequency", "optimal", "cooccurrence")
# distinct values between which the optimal partition looks for cut points: its work grows with
# their square
MOST_PLACES = 1_000


@dataclass(frozen=True)
class Automatic(Rule):
    """A hierarchy that is found when the protector is fitted.

    ``frequency`` cuts an ordered column into classes with about as many records each,
    ``optimal`` into classes with the least variance inside, and ``cooccurrence`` puts values of a
    nominal column together that occur with the same values of the other columns. ``by kind`` takes
    calendar spans for dates, ``frequency`` for other ordered columns, and nothing but the class
    of all values for nominal ones. The first level has at most 2^levels classes, each further
    one half as many.
    """

    word: ClassVar[str] = "automatic"
    sort: str = "by kind"
    levels: int = 3

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise ParameterError(
                f"an automatic hierarchy is one of {', '.join(SORTS)}, not '{self.sort}'"
            )
        # 2^16 classes are more than a file of people has
        if not 1 <= self.levels <= 16:
            raise ParameterError(
                f"an automatic hierarchy has 1 to 16 levels, not {self.levels}"
            )

    def entry(self) -> dict[str, object]:
        """The rule as plain types, as a plan holds it."""
        return {**super().entry(), "levels": self.levels}

    def _said(self) -> object:
        return self.sort

    def found(
        self,
        data: Microdata,
        name: str,
        others: Sequence[str] = (),
        times: Ints | None = None,
    ) -> Rule:
        """The rule that the data give for a column; each record counts once, or so many times."""
        column = data.schema[name]
        sort = self.sort
        # the calendar says nothing about the file, as cut points found in it would
        if column.kind is Kind.date and sort == "by kind":
            return Dates(("month", "quarter", "year", "decade"), other=self.other)
        ordered = column.scale is not Kind.nominal
        if sort == "by kind":
            # values without an order have no neighbours to be put together with
            sort = "frequency" if ordered else ""
        if sort == "cooccurrence":
            alike = self._by_profiles(data, name, others, times)
            return Groups(levels=alike, **self._ends())
        if not sort:
            return Groups(levels=[], **self._ends())
        if not ordered:
            raise ColumnError(
                f"'{name}' is {column.kind} and has no order: an automatic hierarchy of it is "
                "'cooccurrence'"
            )
        if column.scale is Kind.continuous:
            nested = self._nested(data.column(name), times, sort)
            return Cuts(levels=nested, **self._ends())
        runs = self._runs(data, name, times, sort)
        return Groups(levels=runs, **self._ends())

    def _ends(self) -> dict[str, Any]:
        return {"other": self.other, "top": self.top}

    def _nested(
        self,
        values: Floats,
        times: Ints | None,
        sort: str,
    ) -> tuple[tuple[float, ...], ...]:
        """Cut points of each level: every second one is left out at the next."""
        classes = 2**self.levels
        known = ~np.isnan(values)
        values, times = values[known], None if times is None else times[known]
        if sort == "optimal":
            cuts = _least_variance(values, classes, times)
        else:
            cuts = _equal_frequency(values, classes, times)
        levels = []
        while cuts:
            levels.append(tuple(cuts))
            # cuts of a level are some of those below, or a class would have two parents
            cuts = cuts[1::2]
        return tuple(levels)

    def _runs(
        self,
        data: Microdata,
        name: str,
        times: Ints | None,
        sort: str,
    ) -> list[Level]:
        """Runs of neighbouring categories, each level of runs of the one before."""
        codes = data.column(name)
        names = [as_text(value) for value in data.categories(name)]
        levels: list[Level] = []
        lower = dict(enumerate(names))
        for cuts in self._nested(codes, times, sort):
            place = np.searchsorted(cuts, np.arange(len(names)), side="right")
            upper: dict[int, str] = {}
            level: Level = {}
            for run in np.unique(place):
                members = np.flatnonzero(place == run)
                first = names[members[0]]
                last = names[members[-1]]
                label = first if first == last else f"{first} to {last}"
                # members are classes of the level below, each named once
                classes = [lower[int(code)] for code in members]
                level[label] = list(dict.fromkeys(classes))
                upper |= dict.fromkeys(members.tolist(), label)
            levels.append(level)
            lower = upper
        return levels

    def _by_profiles(
        self,
        data: Microdata,
        name: str,
        others: Sequence[str],
        times: Ints | None,
    ) -> list[Level]:
        """Values in classes whose profiles on the other columns are alike.

        Average linkage of the Hellinger distances between the profiles.
        """
        codes = data.column(name)
        names = [as_text(value) for value in data.categories(name)]
        # two values can only be put into the class of all
        if len(names) < 3:
            return []
        profiles = [
            _profile(codes, len(names), data, other, times)
            for other in others
            if other != name and data.schema[other].scale is not Kind.continuous
        ]
        if not profiles:
            return []
        # scipy's clusters take a fifth of a second to import
        from scipy.cluster.hierarchy import cut_tree, linkage

        # between roots of shares, Euclid's distance is Hellinger's
        together = np.sqrt(np.hstack(profiles))
        merges = linkage(together, method="average")
        levels: list[Level] = []
        lower = names
        for halvings in range(1, self.levels + 1):
            classes = max(2, 2 ** (self.levels + 1 - halvings))
            # a level that merges nothing would be one more to search, for no gain
            if classes >= len(set(lower)):
                continue
            label = cut_tree(merges, n_clusters=classes).ravel()
            upper = [_list_of(names, label == label[at]) for at in range(len(names))]
            level: Level = {}
            for at, text in enumerate(upper):
                members = level.setdefault(text, [])
                if lower[at] not in members:
                    members.append(lower[at])
            levels.append(level)
            lower = upper
        return levels


def _distinct(values: Floats, times: Ints | None) -> tuple[Floats, Ints]:
    """The different values in rising order, and how many records have each."""
    distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    if times is not None:
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, place.ravel(), times)
    return distinct, counts


def _equal_frequency(
    values: Floats,
    classes: int,
    times: Ints | None = None,
) -> list[float]:
    """Values that cut a column into classes with about as many records each."""
    shares = np.arange(1, classes) / classes
    if not len(values):
        return []
    distinct, counts = _distinct(values, times)
    ends = np.cumsum(counts)
    # a value that is in the column, so that cut points have its digits: numpy's 'higher' quantile
    places = np.ceil((ends[-1] - 1) * shares)
    cuts = np.unique(distinct[np.searchsorted(ends, places, side="right")])
    # nothing lies below the least value: a cut there makes an empty class
    return [float(cut) for cut in cuts if cut > distinct[0]]


def _least_variance(
    values: Floats,
    classes: int,
    times: Ints | None = None,
) -> list[float]:
    """The cut points with the least sum of squares inside classes, by dynamic programming.

    With cost(i, j) of the values i to j - 1 and best(c, j) of the first j values in c classes:
    best(c, j) = min over i of best(c - 1, i) + cost(i, j) (Fisher 1958).
    """
    if not len(values):
        return []
    distinct, counts = _distinct(values, times)
    if len(distinct) > MOST_PLACES:
        # runs of neighbouring values first
        step = -(-len(distinct) // MOST_PLACES)
        starts = np.arange(0, len(distinct), step)
        sums = np.add.reduceat(distinct * counts, starts)
        counts = np.add.reduceat(counts, starts)
        distinct = distinct[starts]
        centre = sums / counts
    else:
        centre = distinct
    # differences of large squares lose their digits
    centre = centre - centre.mean()
    m = len(distinct)
    weight = np.concatenate([[0.0], np.cumsum(counts)])
    first = np.concatenate([[0.0], np.cumsum(counts * centre)])
    second = np.concatenate([[0.0], np.cumsum(counts * centre**2)])
    w = weight[None, :] - weight[:, None]
    s = first[None, :] - first[:, None]
    q = second[None, :] - second[:, None]
    # a class without values costs infinity, so that no cut is made twice
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = np.where(w > 0, q - s**2 / w, np.inf)
    best = cost[0].copy()
    chosen: list[Ints] = []
    for _ in range(min(classes, m) - 1):
        through = best[:, None] + cost
        chosen.append(np.argmin(through, axis=0))
        best = np.min(through, axis=0)
    cuts: list[float] = []
    # from the last class back to the first: where each of them begins
    end = m
    for step_back in reversed(chosen):
        end = int(step_back[end])
        cuts.append(float(distinct[end]))
    return sorted(cuts)


def _profile(
    codes: Floats,
    size: int,
    data: Microdata,
    other: str,
    times: Ints | None,
) -> Floats:
    """Of the records with each value, the shares of the values of another column."""
    theirs = data.column(other)
    # a gap does not tell what goes together
    both = ~np.isnan(codes) & ~np.isnan(theirs)
    width = max(len(data.categories(other)), 1)
    row = codes[both].astype(np.int64)
    column = theirs[both].astype(np.int64)
    pair = row * width + column
    each = None if times is None else times[both]
    # sums of whole numbers below 2^53 are exact in floats
    counts = np.bincount(pair, each, minlength=size * width)
    counts = counts.reshape(size, width)
    # of a value that nobody has all shares are 0
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(counts / total)


def _list_of(
    names: Sequence[str],
    members: Any,
) -> str:
    """The members of a class in words; the first tells it from all others of its level."""
    inside = [name for name, is_member in zip(names, members, strict=True) if is_member]
    # three names are read at a glance
    if len(inside) <= 3:
        return ", ".join(inside)
    return f"{inside[0]}, {inside[1]} and {len(inside) - 2} more"
