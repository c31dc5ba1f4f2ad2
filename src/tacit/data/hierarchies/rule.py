"""What every rule of a hierarchy has: the classes above a value, nearest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

from tacit.base.errors import ParameterError

TOP = "*"
"""The class of all values, as ARX writes it."""


class UncoveredError(ValueError):
    """A value that the rule does not cover, and no class for such values is declared."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule that names the classes above a value.

    Attributes
    ----------
    other : str
        The class of values that the rule does not cover; empty: they are refused.
    top : bool
        The highest level is the class of all values.
    """

    word: ClassVar[str] = ""
    """The word under which an entry of a plan holds the rule."""
    reads: ClassVar[Literal["text", "number", "date"]] = "text"
    """What the rule is given: the value as text, a number, or a date."""

    other: str = ""
    top: bool = True

    @property
    def height(self) -> int:
        """Levels above the values."""
        return self._steps() + self.top

    def classes_above(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        """The classes of a value at levels 1, 2, ..., ``height``.

        Raises
        ------
        UncoveredError
            The rule does not cover the value.
        """
        try:
            classes = self._classes(value)
        except UncoveredError:
            if not self.other:
                raise
            # the same class at every level, so that it has one parent
            classes = (self.other,) * self._steps()
        return (*classes, TOP) if self.top else classes

    def entry(self) -> dict[str, object]:
        """The rule as plain types, as a plan holds it."""
        plain: dict[str, object] = {self.word: self._said()}
        if self.other:
            plain["other"] = self.other
        if self.top != type(self).top:
            plain["top"] = self.top
        return plain

    def children(self) -> Iterable[str]:
        """Values that the rule names; none if it is not a list."""
        return ()

    # -- what a rule writes ------------------------------------------------------------

    def _steps(self) -> int:
        """Levels that the rule itself makes."""
        raise NotImplementedError

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        """The classes of a value at these levels."""
        raise NotImplementedError

    def _said(self) -> object:
        """What stands under ``word`` in a plan."""
        raise NotImplementedError


def rising(
    word: str,
    numbers: Iterable[float],
) -> tuple[float, ...]:
    """Numbers above 0 in rising order, or one sentence."""
    given = tuple(numbers)
    pairs = pairwise(given)
    falls = any(low >= high for low, high in pairs)
    if not given or given[0] <= 0 or falls:
        raise ParameterError(
            f"the {word} of a hierarchy are numbers above 0 in rising order, not "
            f"{list(given)}"
        )
    return given
