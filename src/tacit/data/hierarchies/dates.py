"""Dates by month, quarter, year and longer spans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Literal

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.rule import Rule, UncoveredError

SPANS = ("day", "month", "quarter", "half", "year", "5 years", "decade")
"""Spans that lie in each other, shortest first; weeks lie in no month."""
# months of the spans within a year
_MONTHS = {"quarter": (3, "Q"), "half": (6, "H")}


@dataclass(frozen=True)
class Dates(Rule):
    """The span that a date lies in, longer at each level.

    Examples
    --------
    >>> Dates(spans=("month", "quarter", "year")).classes_above(date(2024, 5, 17))
    ('2024-05', '2024 Q2', '2024', '*')
    """

    word: ClassVar[str] = "dates"
    reads: ClassVar[Literal["text", "number", "date"]] = "date"
    spans: tuple[str, ...] = ("month", "quarter", "year")

    def __post_init__(self) -> None:
        unknown = [span for span in self.spans if span not in SPANS]
        if unknown:
            raise ParameterError(
                f"a hierarchy of dates has no span '{unknown[0]}'; "
                f"there are: {', '.join(SPANS)}"
            )
        order = [SPANS.index(span) for span in self.spans]
        if not order or order != sorted(set(order)):
            raise ParameterError(
                "the spans of a hierarchy of dates go from short to long "
                f"({', '.join(SPANS)}), not {list(self.spans)}"
            )

    def _steps(self) -> int:
        return len(self.spans)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        if not isinstance(value, date):
            raise UncoveredError(value)
        return tuple(_span_of(value, span) for span in self.spans)

    def _said(self) -> object:
        return list(self.spans)


def _span_of(
    day: date,
    span: str,
) -> str:
    if span == "day":
        return f"{day:%Y-%m-%d}"
    if span == "month":
        return f"{day:%Y-%m}"
    if span in _MONTHS:
        months, letter = _MONTHS[span]
        number = (day.month - 1) // months + 1
        return f"{day.year} {letter}{number}"
    if span == "year":
        return str(day.year)
    years = 5 if span == "5 years" else 10
    # spans begin where people count them from: 1990, not the first year of the file
    first = day.year - day.year % years
    return f"{first} to {first + years - 1}"
