"""Tables as ARX writes them: a value and its ancestors in each row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from tacit.base.errors import InputError, ParameterError
from tacit.data.hierarchies.rule import Rule, UncoveredError

Row = tuple[str, ...]
"""A value, then its classes at levels 1, 2, ..."""


@dataclass(frozen=True)
class Table(Rule):
    """The rows of a table, given here or in a file (``value;level 1;level 2;...``).

    The levels are those of the table: no class of all values is put on top.

    Examples
    --------
    >>> Table(rows=(("Ulm", "south", "*"), ("Kiel", "north", "*"))).classes_above("Kiel")
    ('north', '*')
    """

    word: ClassVar[str] = "table"
    top: bool = False
    rows: tuple[Row, ...] = field(default=(), repr=False)
    file: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        if not self.rows and not self.file:
            raise ParameterError("the table of a hierarchy has no rows")
        if self.rows:
            _checked(self.rows, "the table of a hierarchy")

    @cached_property
    def _all(self) -> tuple[Row, ...]:
        if not self.file:
            return self.rows
        # here, because files reads tables
        from tacit.data.hierarchies.files import read_table

        rows = read_table(Path(self.file))
        if self.sha256 and digest(rows) != self.sha256:
            raise InputError(
                f"{self.file}: the hierarchy is not the one that the plan was made with; "
                "restore it, or take its sha256 out of the plan"
            )
        return _checked(rows, self.file)

    @cached_property
    def _rows_by_value(self) -> dict[str, Row]:
        return {row[0]: row[1:] for row in self._all}

    def _steps(self) -> int:
        return len(self._all[0]) - 1

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        if str(value) not in self._rows_by_value:
            raise UncoveredError(value)
        return self._rows_by_value[str(value)]

    def children(self) -> Iterable[str]:
        """Values that the table names."""
        return list(self._rows_by_value)

    def entry(self) -> dict[str, object]:
        """The rule as plain types; a file by its name and what it holds."""
        plain = super().entry()
        if self.file:
            del plain[self.word]
            plain["file"] = self.file
            # a table that is changed later is refused, and does not make another release
            plain["sha256"] = self.sha256 or digest(self._all)
        return plain

    def _said(self) -> object:
        return [list(row) for row in self.rows]


def digest(rows: Iterable[Row]) -> str:
    """What tells one table from another, whatever its file looks like."""
    whole = "\n".join("\t".join(row) for row in sorted(rows))
    return hashlib.sha256(whole.encode()).hexdigest()


def _checked(
    rows: tuple[Row, ...],
    source: str,
) -> tuple[Row, ...]:
    """Rows of one length, each value once, each class with one parent."""
    width = len(rows[0])
    if width < 2:
        raise InputError(
            f"{source}, row 1: a value and at least one class are needed, separated by ';'"
        )
    seen: dict[str, Row] = {}
    parents: list[dict[str, str]] = [{} for _ in range(width)]
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise InputError(
                f"{source}, row {number}: it has {len(row)} fields where row 1 has {width}"
            )
        if seen.setdefault(row[0], row) != row:
            raise InputError(
                f"{source}, row {number}: {row[0]!r} is in the table twice, with other "
                "classes; leave one row"
            )
        # each value has one row by now: only classes can have two parents
        for level in range(1, width - 1):
            label, parent = row[level], row[level + 1]
            if parents[level].setdefault(label, parent) != parent:
                first = parents[level][label]
                raise InputError(
                    f"{source}, row {number}: the class {label!r} of level {level} has two "
                    f"parents, {first!r} and {parent!r}; give it one"
                )
    return rows
