"""Codes whose last characters are hidden, one star for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.data.hierarchies.rule import Rule, rising


@dataclass(frozen=True)
class Mask(Rule):
    """Hide the last characters: as many at each level as ``hide`` says.

    Examples
    --------
    >>> Mask(hide=(2, 4)).classes_above("80331")
    ('803**', '8****', '*')
    """

    word: ClassVar[str] = "mask"
    hide: tuple[int, ...] = (1, 2)

    def __post_init__(self) -> None:
        rising("characters to mask", self.hide)

    def _steps(self) -> int:
        return len(self.hide)

    def _classes(
        self,
        value: Any,
    ) -> tuple[str, ...]:
        text = str(value)
        classes = []
        for hidden in self.hide:
            # a code shorter than what is hidden still shows how long it is, and no more
            shown = max(len(text) - hidden, 0)
            classes.append(text[:shown] + "*" * (len(text) - shown))
        return tuple(classes)

    def _said(self) -> object:
        return list(self.hide)
