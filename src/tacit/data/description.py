"""What a file says of a column besides its values: labels, measurement level, display format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LEVELS = ("nominal", "ordinal", "scale")
"""Measurement levels, in the words of SPSS."""


@dataclass(frozen=True)
class Description:
    """The words that travel with a column.

    Parameters
    ----------
    label : str
        What the column is, in a phrase.
    labels : dict
        Code (as text) -> what it means; codes of missing values among them.
    level : str
        Measurement level: nominal, ordinal or scale; empty where nobody said.
    format : str
        Display format in the words of the file's own program: ``F8.2``, ``%9.0g``.
    width : int
        Columns that the value takes on the screen; 0 where nobody said.
    storage : str
        Type that the file stores it as, in the words of ReadStat: ``int8``, ``double``.
    """

    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    level: str = ""
    format: str = ""
    width: int = 0
    storage: str = ""

    def __bool__(self) -> bool:
        return self != Description()

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Description:
        """From an entry of a schema file; ValueError: what is wrong."""
        labels = entry.get("labels", {})
        if not isinstance(labels, Mapping):
            raise ValueError("labels must be a table: code = 'what it means'")
        level = str(entry.get("level", ""))
        if level and level not in LEVELS:
            raise ValueError(
                f"the level {level!r} is none; there are: {', '.join(LEVELS)}"
            )
        return cls(
            label=str(entry.get("label", "")),
            labels={str(code): str(words) for code, words in labels.items()},
            level=level,
            format=str(entry.get("format", "")),
            width=int(entry.get("width", 0)),
            storage=str(entry.get("storage", "")),
        )

    def to_entry(self) -> dict[str, Any]:
        """As in a schema file; what nobody said is left out."""
        entry = {
            "label": self.label,
            "level": self.level,
            "format": self.format,
            "width": self.width,
            "storage": self.storage,
            # last: TOML writes it as a table of its own
            "labels": dict(self.labels),
        }
        return {name: value for name, value in entry.items() if value}
