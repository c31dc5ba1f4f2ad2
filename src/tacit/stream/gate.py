"""What may enter a filter: records are checked, and what does not fit comes back as `Refused`."""

from __future__ import annotations

import math

from tacit.base.errors import InputError
from tacit.stream.beginning import distinct_words, encodable, is_code
from tacit.stream.decisions import Decisions
from tacit.stream.kinds import CONTINUOUS
from tacit.stream.numbers import missing, number
from tacit.stream.refused import (
    HEADER,
    INFINITE,
    LACKING,
    LONG,
    TYPE,
    UNDECLARED,
    UNKNOWN,
    UNREADABLE,
    Refused,
)
from tacit.stream.sources.text import Record

# characters; what Python's own CSV reader takes
LONGEST_CELL = 131_072


class Gate(Decisions):
    """Decides about the columns (see `Decisions`) and then checks every record.

    A record that does not fit (an unknown or missing column, text where numbers are, an infinite
    value, a category that was not declared) comes back as `Refused`.
    """

    def check(self, record: Record) -> Record | Refused:
        """The record as the filter takes it, or why it is withheld."""
        if self.names is None:
            try:
                self.open([record], self._ahead)
            except InputError as error:
                self.names = None
                return Refused(LACKING, str(error), record)
        if self.header and (refused := self._heading(record)) is not None:
            return refused
        # what nobody decided about must not pass
        if not record.keys() <= self._known:
            new = next(name for name in record if name not in self._known)
            return Refused(UNKNOWN, f"has the unknown column '{new}'", record)
        checked: Record = {}
        for name in self.enter:
            if name not in record:
                return Refused(LACKING, f"lacks the column '{name}'", record)
            value = self._value(name, record[name])
            if isinstance(value, Refused):
                return Refused(value.kind, f"column '{name}': {value.reason}", record)
            checked[name] = value
        return checked

    def _heading(self, record: Record) -> Refused | None:
        """Two files in one pipe: our header again is passed over; below another nothing is ours."""
        cells = list(record.values())
        if cells == self.names:
            self._other = None
            return Refused(HEADER, "the first line again", record)
        if self._other is None:
            familiar = sum(cell in self._known for cell in cells)
            if 2 * familiar > len(cells) or self._looks_like_names(record):
                # for the message: a header of thousands of columns would fill the screen
                self._other = ", ".join(map(str, cells))[:200]
        if self._other is None:
            return None
        return Refused(HEADER, f"below another header ({self._other})", record)

    def _looks_like_names(self, record: Record) -> bool:
        """No number where numbers are, and nothing usual in the columns that leave as they came."""
        if not self._seen or not self._numeric:
            return False
        if not distinct_words(list(record.values())):
            return False
        cells = [number(record[name], self.decimal) for name in self._numeric]
        if any(cell is not None for cell in cells):
            return False
        return not any(record[name] in seen for name, seen in self._seen.items())

    def _value(
        self,
        name: str,
        value: object,
    ) -> object:
        """The value as the filter takes it, or `Refused`."""
        if isinstance(value, dict | list):
            return Refused(TYPE, "a list or an object where one value is expected")
        if isinstance(value, float) and math.isinf(value):
            return Refused(INFINITE, "the value is infinite")
        if isinstance(value, str):
            if len(value) > LONGEST_CELL:
                return Refused(LONG, f"more than {LONGEST_CELL} characters")
            if not value.isascii() and not encodable(value):
                return Refused(UNREADABLE, "half a character")
        kind = self.kinds.get(name)
        if kind is None and name in self.keep:
            return None if value != value else value
        # words for missing values are missing only where a value is masked
        if missing(value):
            return None
        if kind == CONTINUOUS:
            return self._quantity(value)
        return self._category(name, value)

    def _quantity(self, value: object) -> float | Refused:
        if is_code(value):
            return Refused(TYPE, "digits that begin with 0 are a code and not a number")
        quantity = number(value, self.decimal)
        if quantity is None:
            return Refused(TYPE, "is not a number")
        if not math.isfinite(quantity):
            return Refused(INFINITE, "the value is infinite")
        return quantity

    def _category(
        self,
        name: str,
        value: object,
    ) -> object:
        known = self._declared.get(name)
        if known is None:
            return value
        # a category may have been declared as a number, and a cell is always text
        if isinstance(value, str) and value not in known:
            value = number(value, self.decimal)
        if value not in known:
            return Refused(UNDECLARED, "not among the declared categories")
        return known[value]
