"""What was looked at: each released column, how it was evidence, and how much it told.

The person who signs sees which columns an intruder can use, and which nobody could compare. A
column of the second sort is not safe: it is unknown what it gives away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.assess.contents import Contents
from tacit.assess.verdict import INFORMATION, MISSING, Row
from tacit.attack.linkage import Linkage
from tacit.data.microdata import Microdata
from tacit.data.same_values import values_of

FEATURES = "everything"
"""The attack that says of each released column in which ways it was used."""


@dataclass(frozen=True)
class Way:
    """One way in which a released column tells whose record it is."""

    way: str
    by: str
    """The known columns that it is compared with."""
    bits: float
    """What it tells, on average over people, in bits; log2 n bits name one of n."""


@dataclass(frozen=True)
class Use:
    """A released column as evidence."""

    column: str
    ways: tuple[Way, ...]
    """Those that tell something, most first."""
    attacks: tuple[str, ...]
    """Attacks that compared it under its own name."""

    @property
    def bits(self) -> float:
        """What the best way tells; ways of one column say partly the same."""
        return self.ways[0].bits if self.ways else 0.0

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON."""
        return {
            "column": self.column,
            "bits": round(self.bits, 4),
            "ways": [
                {"way": way.way, "by": way.by, "bits": round(way.bits, 4)}
                for way in self.ways
            ],
            "attacks": list(self.attacks),
        }


def uses(masked: Microdata, attacks: Mapping[str, Linkage]) -> list[Use]:
    """Every released column, those that tell most first; the order of rows where it tells."""
    ways: dict[str, list[Way]] = {name: [] for name in masked.names}
    found = attacks.get(FEATURES)
    for entry in [] if found is None else found.log:
        columns = entry.get("columns", [])
        assert isinstance(columns, list)
        way = Way(str(entry["way"]), str(entry["by"]), float(str(entry["bits"])))
        for name in columns:
            ways.setdefault(name, []).append(way)
    compared = {
        name: tuple(
            attack
            for attack, link in attacks.items()
            if attack != FEATURES and name in link.columns
        )
        for name in ways
    }
    every = [
        Use(name, tuple(sorted(some, key=lambda way: -way.bits)), compared[name])
        for name, some in ways.items()
    ]
    return sorted(every, key=lambda use: -use.bits)


def unexplained(
    masked: Microdata, contents: Contents, used: Iterable[Use], as_is: Iterable[str]
) -> list[str]:
    """Released columns that vary, that no original column explains and no attack could use."""
    told = {use.column for use in used if use.ways or use.attacks}
    return [
        name
        for name in contents.unknown
        if name not in told and name not in set(as_is) and _varies(masked, name)
    ]


def _varies(masked: Microdata, name: str) -> bool:
    return len(np.unique(values_of(masked, name))) > 1


def unknown_row(contents: Contents, blank: list[str]) -> Row | None:
    """Columns of the release alone: nobody knows what they tell, or attacks have used them."""
    if blank:
        names = ", ".join(f"'{name}'" for name in blank)
        why = (
            f"{names}: no column of the original explains it and no attack could use it; drop it, "
            "or say that it may leave (release_as_is, --release-as-is)"
        )
        return Row("columns_not_compared", float(len(blank)), 0.0, MISSING, why)
    if contents.unknown:
        why = f"{', '.join(contents.unknown)}: not in the original file"
        count = float(len(contents.unknown))
        return Row("columns_not_compared", count, None, INFORMATION, why)
    return None
