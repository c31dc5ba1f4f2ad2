"""Global recoding: fewer, wider categories."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Literal, Self

import numpy as np
from annotated_types import Ge

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import IsoDate
from tacit.base.typing import Bools, Floats
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect.base import Protector
from tacit.protect.by_rank import code_counts
from tacit.protect.grouping.value_classes import (
    Hierarchy,
    ancestor,
    as_text,
    classes_of_categories,
    classes_of_dates,
    classes_of_numbers,
    cuts_of_dates,
    cuts_of_numbers,
    even_cuts,
    pick,
    round_cuts,
)


class Recoding(Protector):
    """Replace values by wider classes, the same way in every record.

    Parameters
    ----------
    bins : int
        Most classes of a continuous or ordinal column without intervals and hierarchy.
    intervals : dict of list, optional
        Cut points by column, in rising order; of dates as '1990-01-01'.
    hierarchies : dict of dict, optional
        For each column, value -> parent, or value -> list of ancestors, nearest first (values
        as text).
    level : int or dict of int
        Steps up in the hierarchy, one number or one per column; 0 leaves the column as it is.
    rare : int
        Categories of a nominal column with fewer records than this are merged into one; 0:
        none.
    show : {'midpoint', 'label'}
        A class is released as its middle (numbers stay numbers) or as a label such as [10, 20).
        A column with values below the first cut point or above the last has labels, 'under 15'
        or '90 and more': such a class has no middle.
    columns : list of str, optional
        Columns to mask. Unless given, the columns of ``intervals`` and ``hierarchies`` (with
        ``rare`` also the nominal quasi-identifiers), or without these the quasi-identifiers.

    Attributes
    ----------
    cuts_ : dict
        Cut points of each column that is cut.
    rare_ : dict
        Categories of each nominal column that are merged.

    Notes
    -----
    **Definition.** A column with ``intervals`` is cut at the points given: a value of
    [c_i, c_i+1) becomes the class. A column with a ``hierarchies`` entry is replaced by the
    ancestor of each value, ``level`` steps up. Other continuous and ordinal columns are cut
    into at most ``bins`` classes: intervals of equal, round width; runs of neighbouring
    categories. Other nominal columns merge the categories with fewer than ``rare`` records
    into ``other``. Missing values stay missing.

    **Guarantee.** As many classes as given.

    **Cost.** Linear.

    **Known attacks.** A value lies in its class; classes of several columns intersect
    (containment, ``tacit.attack.informed``).

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> recoding = Recoding(intervals={"x0": [0, 10, 20]})
    >>> recoding.fit_transform(np.array([[1.0], [12.0]])).tolist()
    [[5.0], [15.0]]
    """

    title = "Global recoding"
    family = "coding"
    purpose = "publish fewer, wider categories"
    goal = "coarsen categories"
    plain = {
        "bins": "classes of each number",
        "intervals": "cut points",
        "hierarchies": "classes of each value",
        "rare": "smallest category that is left alone",
    }
    strength = Strength("bins", 64, 1, whole=True)
    attacker = "informed.rerun:Rerun"
    whole_file = (
        "classes and rare categories are found in the whole file, "
        "and every block would have its own"
    )
    passes = "values"

    # of a file on the disk: whether all values of a column have a middle
    _all_middle: Mapping[str, bool] = MappingProxyType({})

    def __init__(
        self,
        bins: Annotated[int, Ge(1)] = 10,
        intervals: dict[str, list[float | IsoDate]] | None = None,
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

    def _targets(self, data: Microdata) -> list[str]:
        named = {*(self.intervals or {}), *(self.hierarchies or {})}
        if self.columns is not None or not named:
            return super()._targets(data)
        for name in named:
            # an unknown column is an error that names those of the file
            self._refuse_other_kinds(name, data.schema[name].scale)
        rare = data.schema.names(role=Role.quasi, scale=Kind.nominal)
        named.update(rare if self.rare else [])
        return [name for name in data.names if name in named]

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        for name in [*(self.intervals or {}), *(self.hierarchies or {})]:
            if name not in columns:
                raise ColumnError(
                    f"a recoding is given for '{name}', which is not a column to protect"
                )
        self.cuts_: dict[str, Floats] = {}
        self.rare_: dict[str, list[object]] = {}
        for name in columns:
            kind = data.schema[name].scale
            # a hierarchy needs nothing from the file
            if name in (self.hierarchies or {}):
                continue
            if name in (self.intervals or {}):
                self.cuts_[name] = self._given_cuts(name, data.schema[name])
            elif kind is Kind.continuous:
                self.cuts_[name] = round_cuts(*_ends(data, name), self.bins)
            elif kind is Kind.ordinal:
                size = len(data.categories(name))
                self.cuts_[name] = even_cuts(size, self.bins)
            else:
                self.rare_[name] = _rare(data, name, self.rare)

    def by_code(self, data: Microdata, name: str) -> bool:
        """Dates with cut points are days."""
        return not self._by_days(data, name)

    def _by_days(self, data: Microdata, name: str) -> bool:
        return name in (self.intervals or {}) and data.schema[name].kind is Kind.date

    def settled(self, data: OnDisk, columns: list[str]) -> Self:
        """Knows of each column whether all its values have a middle, and that it has a parent."""
        made = copy(self)
        all_middle: dict[str, bool] = {}
        for name in columns:
            if name in (self.hierarchies or {}):
                self._refuse_strangers(data, name)
            elif self._by_days(data, name):
                all_middle[name] = all(
                    _all_have_one(*self._middle_days(name, days))
                    for days in data.days_in_turn(name)
                )
            elif name in self.cuts_ and data.schema[name].scale is Kind.continuous:
                all_middle[name] = all(
                    _all_have_one(*self._middles(name, values[:, 0]))
                    for values in data.in_turn([name], by_address.BLOCK)
                )
        made._all_middle = all_middle
        return made

    def _refuse_strangers(self, data: Microdata, name: str) -> None:
        """Raise if a value does not stand in the hierarchy, with its row."""
        whole = data.schema[name].scale is Kind.continuous
        known = None if whole else data.categories(name)
        try:
            for value in known or []:
                self._parent(name, value)
        except ColumnError:
            self._up(data.held([name]), name)
            raise

    def _given_cuts(
        self,
        name: str,
        column: Column,
    ) -> Floats:
        """The cut points that the user gave; those of dates are days since 1970-01-01."""
        if column.scale is Kind.nominal:
            raise ColumnError(
                f"'{name}' is nominal and cannot be cut into intervals; "
                "give it a hierarchy"
            )
        given = (self.intervals or {})[name]
        if column.kind is Kind.date:
            cuts = cuts_of_dates(name, given)
        else:
            cuts = cuts_of_numbers(name, given)
        if cuts.size == 0 or (np.diff(cuts) <= 0).any():
            raise ParameterError(
                f"the intervals of '{name}' must be cut points in rising order"
            )
        return cuts

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        for name in columns:
            if name in (self.hierarchies or {}):
                data = self._up(data, name)
            elif name in self.cuts_:
                data = self._cut(data, name)
            elif self.rare_[name]:
                data = self._merge(data, name)
        return data

    def _merge(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """Rare categories as one."""
        rare = self.rare_[name]
        labels = [
            "other" if category in rare else as_text(category)
            for category in data.categories(name)
        ]
        values = pick(labels, data.column(name))
        return data.with_column(name, values, kind=Kind.nominal)

    def _up(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """A column by its hierarchy."""
        if data.schema[name].scale is Kind.continuous:
            # numbers in a hierarchy are codes
            nominal = replace(data.schema[name], kind=Kind.nominal)
            data = data.with_schema(data.schema.put(nominal))
        # level 0 is a column that stays as it is
        if self._steps(name) == 0:
            return data
        parents = []
        for code, value in enumerate(data.categories(name)):
            try:
                parents.append(self._parent(name, value))
            except ColumnError as error:
                at = np.flatnonzero(data.column(name) == code)
                where = f"column '{name}', row {at[0] + 1}: " if at.size else ""
                raise ColumnError(f"{where}{error}") from None
        values = pick(parents, data.column(name))
        return data.with_column(name, values, kind=Kind.nominal)

    def _steps(self, name: str) -> int:
        level = self.level
        return level.get(name, 1) if isinstance(level, dict) else level

    def _parent(self, name: str, value: object) -> str:
        tree = (self.hierarchies or {})[name]
        return ancestor(as_text(value), tree, self._steps(name), name)

    def _middles(self, name: str, values: Floats) -> tuple[Floats, Bools]:
        """The middle of the class of each number, where it has one, and where none is there."""
        cuts, gaps = self.cuts_[name], np.isnan(values)
        middle, _ = classes_of_numbers(cuts)
        place = np.searchsorted(cuts, values, side="right")
        return np.where(gaps, np.nan, middle[place]), gaps

    def _cut(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """A column by its cut points: class 0 is below the first, the last above all."""
        if self._by_days(data, name):
            return self._cut_dates(data, name)
        cuts, values = self.cuts_[name], data.column(name)
        place = np.searchsorted(cuts, values, side="right")
        gaps = np.isnan(values)
        if data.schema[name].scale is Kind.ordinal:
            middle, labels = classes_of_categories(cuts, data.categories(name))
        else:
            middle, labels = classes_of_numbers(cuts)
        midpoints = np.where(gaps, np.nan, middle[place])
        known = self._all_middle.get(name)
        shown = _all_have_one(midpoints, gaps) if known is None else known
        if self.show == "midpoint" and shown:
            return data.with_numbers([name], midpoints[:, None])
        codes = np.where(gaps, np.nan, place)
        return _labelled(data, name, labels, codes)

    def _cut_dates(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """A column of dates by its cut points, which are days."""
        days = data.days(name)
        middles, gaps = self._middle_days(name, days)
        known = self._all_middle.get(name)
        shown = _all_have_one(middles, gaps) if known is None else known
        if self.show == "midpoint" and shown:
            return data.with_days(name, middles)
        cuts = self.cuts_[name]
        _, labels = classes_of_dates(cuts)
        place = np.searchsorted(cuts, days, side="right")
        return _labelled(data, name, labels, np.where(gaps, np.nan, place))

    def _middle_days(self, name: str, days: Floats) -> tuple[Floats, Bools]:
        """The middle day of the class of each date, where it has one, and where none is there."""
        cuts, gaps = self.cuts_[name], np.isnan(days)
        middle, _ = classes_of_dates(cuts)
        place = np.searchsorted(cuts, days, side="right")
        return np.where(gaps, np.nan, middle[place]), gaps


def _all_have_one(middles: Floats, gaps: Bools) -> bool:
    """Every value has a middle: an end that stands for an open class would look like a value."""
    return bool((gaps | ~np.isnan(middles)).all())


def _labelled(
    data: Microdata,
    name: str,
    labels: list[str],
    codes: Floats,
) -> Microdata:
    """A column by the labels of its classes."""
    coded = data.with_column(name, pick(labels, codes))
    # labels have an order, which text does not say
    column = replace(
        coded.schema[name],
        kind=Kind.ordinal,
        categories=tuple(dict.fromkeys(label for label in labels if label)),
    )
    return coded.with_schema(coded.schema.put(column))


def _rare(
    data: Microdata,
    name: str,
    fewest: int,
) -> list[object]:
    """The categories with fewer records than asked for."""
    counted = zip(data.categories(name), code_counts(data, name), strict=True)
    return [category for category, count in counted if count < fewest]


def _ends(data: Microdata, name: str) -> tuple[float, float]:
    """The smallest and the largest number; 0 and 0 where there is none."""
    low, high = np.inf, -np.inf
    for values in data.in_turn([name], by_address.BLOCK):
        low = min(low, float(np.nanmin(values, initial=np.inf)))
        high = max(high, float(np.nanmax(values, initial=-np.inf)))
    return (low, high) if low <= high else (0.0, 0.0)
