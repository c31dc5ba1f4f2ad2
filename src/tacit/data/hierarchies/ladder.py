"""Numbers in classes of equal width, wider at each level: ages in 5, 10 and 20 years."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import floor
from typing import Any, ClassVar, Literal

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.cuts import between, number_of, open_above, open_below
from tacit.data.hierarchies.rule import Rule, rising

# widths such as 0.1 and 0.3 are no exact multiples in binary
ROUNDING = 1e-9


@dataclass(frozen=True)
class Ladder(Rule):
    """Classes of equal width that begin at multiples of it (counted from ``start``).

    ``below`` and ``above`` close the ladder: what lies beyond is one open class.

    Examples
    --------
    >>> Ladder(widths=(5, 10, 20), above=90).classes_above(43)
    ('[40, 45)', '[40, 50)', '[40, 60)', '*')
    >>> Ladder(widths=(5, 10), below=15, above=90).classes_above(94)
    ('90 and more', '90 and more', '*')
    """

    word: ClassVar[str] = "ladder"
    reads: ClassVar[Literal["text", "number", "date"]] = "number"
    widths: tuple[float, ...] = (5, 10, 20)
    start: float = 0.0
    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        rising("widths of a ladder", self.widths)
        for narrow, wide in pairwise(self.widths):
            times = wide / narrow
            if abs(times - round(times)) > ROUNDING:
                raise ParameterError(
                    f"a ladder of {narrow:g} and {wide:g} is no hierarchy: each width must be "
                    "a multiple of the one before it"
                )
        ends = self.below is not None and self.above is not None
        if ends and self.below >= self.above:  # type: ignore[operator]
            raise ParameterError(
                f"a ladder from {self.below:g} to {self.above:g} holds no value: below must be "
                "less than above"
            )

    def _steps(self) -> int:
        return len(self.widths)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        number = number_of(value)
        return tuple(self._class_of(number, width) for width in self.widths)

    def _class_of(
        self,
        number: float,
        width: float,
    ) -> str:
        if self.below is not None and number < self.below:
            return open_below(self.below)
        if self.above is not None and number >= self.above:
            return open_above(self.above)
        # 0.3 / 0.1 is a little less than 3 in binary, and would fall into the class below
        step = floor((number - self.start) / width + ROUNDING)
        # neighbours must show the same number at the end that they share
        low = round(self.start + step * width, 9)
        high = round(self.start + (step + 1) * width, 9)
        # the open classes take what is theirs from the classes at the ends
        if self.below is not None:
            low = max(low, self.below)
        if self.above is not None:
            high = min(high, self.above)
        return between(low, high)

    def entry(self) -> dict[str, object]:
        """The rule as plain types, as a plan holds it."""
        plain = super().entry()
        if self.start:
            plain["start"] = self.start
        if self.below is not None:
            plain["below"] = self.below
        if self.above is not None:
            plain["above"] = self.above
        return plain

    def _said(self) -> object:
        return list(self.widths)
