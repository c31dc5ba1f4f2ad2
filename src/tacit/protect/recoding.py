"""Global recoding: fewer, wider categories."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import IsoDate
from tacit.base.typing import Bools, Floats
from tacit.data.microdata import Column, Kind, Microdata
from tacit.protect.base import Protector
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
        Columns to mask; the quasi-identifiers unless given.

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
    keeps_gaps = False
    whole_file = (
        "classes and rare categories are found in the whole file, "
        "and every block would have its own"
    )
    passes = "columns"

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
                self.cuts_[name] = round_cuts(data.column(name), self.bins)
            elif kind is Kind.ordinal:
                size = len(data.categories(name))
                self.cuts_[name] = even_cuts(size, self.bins)
            else:
                self.rare_[name] = _rare(data, name, self.rare)

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
        steps = self.level.get(name, 1) if isinstance(self.level, dict) else self.level
        tree = (self.hierarchies or {})[name]
        if data.schema[name].scale is Kind.continuous:
            # numbers in a hierarchy are codes
            nominal = replace(data.schema[name], kind=Kind.nominal)
            data = data.with_schema(data.schema.put(nominal))
        # level 0 is a column that stays as it is
        if steps == 0:
            return data
        parents = []
        for code, value in enumerate(data.categories(name)):
            try:
                parents.append(ancestor(as_text(value), tree, steps, name))
            except ColumnError as error:
                at = np.flatnonzero(data.column(name) == code)
                where = f"column '{name}', row {at[0] + 1}: " if at.size else ""
                raise ColumnError(f"{where}{error}") from None
        values = pick(parents, data.column(name))
        return data.with_column(name, values, kind=Kind.nominal)

    def _cut(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """A column by its cut points: class 0 is below the first, the last above all."""
        if name in (self.intervals or {}) and data.schema[name].kind is Kind.date:
            return self._cut_dates(data, name)
        cuts, values = self.cuts_[name], data.column(name)
        place = np.searchsorted(cuts, values, side="right")
        gaps = np.isnan(values)
        if data.schema[name].scale is Kind.ordinal:
            middle, labels = classes_of_categories(cuts, data.categories(name))
        else:
            middle, labels = classes_of_numbers(cuts)
        midpoints = np.where(gaps, np.nan, middle[place])
        if self.show == "midpoint" and _all_have_one(midpoints, gaps):
            return data.with_numbers([name], midpoints[:, None])
        codes = np.where(gaps, np.nan, place)
        return _labelled(data, name, labels, codes)

    def _cut_dates(
        self,
        data: Microdata,
        name: str,
    ) -> Microdata:
        """A column of dates by its cut points, which are days."""
        cuts, days = self.cuts_[name], data.days(name)
        place = np.searchsorted(cuts, days, side="right")
        gaps = np.isnan(days)
        middle, labels = classes_of_dates(cuts)
        middles = np.where(gaps, np.nan, middle[place])
        if self.show == "midpoint" and _all_have_one(middles, gaps):
            return data.with_days(name, middles)
        codes = np.where(gaps, np.nan, place)
        return _labelled(data, name, labels, codes)


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
    codes = data.column(name)
    categories = data.categories(name)
    present = codes[~np.isnan(codes)].astype(np.int64)
    counts = np.bincount(present, minlength=len(categories))
    counted = zip(categories, counts, strict=True)
    return [category for category, count in counted if count < fewest]
