"""Lists: which values form a class, and which classes a wider one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.rule import Rule, UncoveredError

Level = dict[str, list[str]]
"""Class -> its members, which are values, or classes of the level below."""


@dataclass(frozen=True, eq=True)
class Groups(Rule):
    """Classes as lists of their members, one dict for each level.

    Examples
    --------
    >>> land = {"south": ["Ulm", "Aalen"], "north": ["Kiel"]}
    >>> Groups(levels=[land, {"Germany": ["south", "north"]}]).classes_above("Kiel")
    ('north', 'Germany', '*')
    """

    word: ClassVar[str] = "groups"
    levels: list[Level] = field(default_factory=list)

    __hash__ = None  # type: ignore[assignment]  # dicts inside

    def __post_init__(self) -> None:
        self._parents  # noqa: B018  a list with two parents for one member is refused now

    @cached_property
    def _parents(self) -> list[dict[str, str]]:
        """Member -> class, for each level."""
        return [_parents_of(level) for level in self.levels]

    def _steps(self) -> int:
        return len(self.levels)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        member = str(value)
        classes = []
        for parents in self._parents:
            # a class that the next level forgets would have no place there
            if member not in parents:
                raise UncoveredError(member)
            member = parents[member]
            classes.append(member)
        return tuple(classes)

    def children(self) -> Iterable[str]:
        """Values that the lists name."""
        return list(self._parents[0]) if self.levels else ()

    def _said(self) -> object:
        return self.levels


def _parents_of(level: Level) -> dict[str, str]:
    parents: dict[str, str] = {}
    for label, members in level.items():
        for member in members:
            text = str(member)
            if parents.setdefault(text, label) != label:
                raise ParameterError(
                    f"a hierarchy puts {text!r} into two classes, {parents[text]!r} and "
                    f"{label!r}; leave it in one"
                )
    return parents
