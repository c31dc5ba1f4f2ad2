"""Codes by their first characters: ICD, postcodes, occupations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from tacit.base.errors import ParameterError
from tacit.data.hierarchies.rule import Rule


@dataclass(frozen=True)
class Prefix(Rule):
    """Keep the first characters; a star stands for the rest, so that no class looks like a value.

    Examples
    --------
    >>> Prefix(keep=(3, 1)).classes_above("J45.0")
    ('J45*', 'J*', '*')
    """

    word: ClassVar[str] = "prefix"
    keep: tuple[int, ...] = (3, 1)

    def __post_init__(self) -> None:
        pairs = pairwise(self.keep)
        rises = any(a <= b for a, b in pairs)
        if not self.keep or self.keep[-1] < 1 or rises:
            raise ParameterError(
                "the prefix of a hierarchy is a falling list of lengths above 0, such as "
                f"[3, 1], not {list(self.keep)}"
            )

    def _steps(self) -> int:
        return len(self.keep)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        return tuple(f"{str(value)[:length]}*" for length in self.keep)

    def _said(self) -> object:
        return list(self.keep)
