"""Numbers in classes between cut points, fewer cut points at each level."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.rule import Rule, UncoveredError


def open_below(cut: float) -> str:
    """The label of all values below a cut point: words, because a number would look like a value.

    >>> open_below(15)
    'under 15'
    """
    # a float keeps 15 decimal digits: a cut is shown as it was written
    return f"under {cut:.15g}"


def open_above(cut: float) -> str:
    """The label of all values from a cut point on.

    >>> open_above(90)
    '90 and more'
    """
    return f"{cut:.15g} and more"


def between(
    low: float,
    high: float,
) -> str:
    """The label of an interval that holds its lower end and not its upper."""
    return f"[{low:.15g}, {high:.15g})"


def number_of(value: Any) -> float:
    """A value as a number, or the sign that the rule does not cover it."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UncoveredError(value) from None


@dataclass(frozen=True)
class Cuts(Rule):
    """Classes between cut points; the first and the last are open, and say so in words.

    Examples
    --------
    >>> Cuts(levels=((18, 40, 65), (65,))).classes_above(70)
    ('65 and more', '65 and more', '*')
    >>> Cuts(levels=((18, 40, 65), (65,))).classes_above(12)
    ('under 18', 'under 65', '*')
    """

    word: ClassVar[str] = "cuts"
    reads: ClassVar[Literal["text", "number", "date"]] = "number"
    levels: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        for cuts in self.levels:
            if not cuts or any(a >= b for a, b in pairwise(cuts)):
                raise ParameterError(
                    f"the cuts of a hierarchy are numbers in rising order, not {list(cuts)}"
                )
        for finer, coarser in pairwise(self.levels):
            new = [cut for cut in coarser if cut not in finer]
            if new:
                raise ParameterError(
                    f"a hierarchy cuts at {new[0]:g} on a higher level and not on the level "
                    "below it: a class would have two parents"
                )

    def _steps(self) -> int:
        return len(self.levels)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        number = number_of(value)
        return tuple(_class_of(number, cuts) for cuts in self.levels)

    def _said(self) -> object:
        return [list(cuts) for cuts in self.levels]


def _class_of(
    number: float,
    cuts: tuple[float, ...],
) -> str:
    # a cut point belongs to the class above it, as the labels say
    place = bisect_right(cuts, number)
    if place == 0:
        return open_below(cuts[0])
    if place == len(cuts):
        return open_above(cuts[-1])
    return between(cuts[place - 1], cuts[place])
