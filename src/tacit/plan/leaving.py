"""What leaves with a release: every column is protected, declared, or named here.

A column leaves by accident when nobody decided that it should: the schema does not know it, it is
free text, it encodes what is protected, or no step touches it although an intruder may know it.
The faces that write a file refuse such a column until it is accepted by name; in Python
``Plan.apply`` warns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tacit.base.errors import ColumnError
from tacit.data.column import NOT_NAMED, Column, Kind, Role
from tacit.data.disk_encodings import encodings_of
from tacit.data.encodings import Encoding
from tacit.data.microdata import Microdata

if TYPE_CHECKING:
    from tacit.plan.plan import Plan

Reason: TypeAlias = Literal[
    "identifier", "unknown", "text", "encoding", "untouched", "undeclared"
]

REFUSED: dict[Reason, bool] = {
    "identifier": True,
    "unknown": True,
    "text": True,
    "encoding": True,
    "untouched": True,
    # who named the quasi-identifiers has looked at the file: the others are named in a warning
    "undeclared": False,
}
"""Whether a file with such a column is refused, or written with a warning."""
UNITS = (Role.person, Role.household)
"""Roles whose values are replaced by release numbers."""
UNPROTECTED: tuple[Reason, ...] = ("untouched", "undeclared")
"""What --allow-unprotected accepts: columns as they are, but nothing that nobody looked at."""

MENDED = (
    "protect, drop (--identifier) or declare (--confidential) what should not leave so"
)


@dataclass(frozen=True)
class Leaving:
    """A column that would leave by accident."""

    column: str
    reason: Reason
    why: str
    accepted: bool = False
    refused: bool = True

    def __str__(self) -> str:
        return f"'{self.column}' ({self.why})"

    def to_dict(self) -> dict[str, object]:
        """As the manifest keeps it."""
        return {
            "column": self.column,
            "reason": self.reason,
            "why": self.why,
            "accepted": self.accepted,
        }


def leaving(
    plan: Plan, data: Microdata, *, allow_unprotected: bool = False
) -> list[Leaving]:
    """Every column that the plan would release by accident, in the order of the file.

    Parameters
    ----------
    plan : Plan
        What is done to the file; the columns of its ``release_as_is`` are accepted.
    data : Microdata
        The file before protection.
    allow_unprotected : bool
        Accept every column that is known, says nothing else, and leaves as it is.
    """
    data = plan.with_roles(data)
    treated = plan.treated(data)
    # what must not be read off another column
    secret = [
        column.name
        for column in data.schema
        if (column.role is Role.identifier or column.name in treated)
    ]
    numbers = [
        column.name
        for column in data.schema
        if column.role in UNITS and column.name not in treated
    ]
    encodings = encodings_of(data)
    found: list[Leaving] = []
    for name in plan.released(data):
        column = data.schema[name]
        # a step decided about it
        if name in treated and column.known:
            continue
        seen = _before_values(column) or _by_values(
            column, encodings.of(name, secret, numbers)
        )
        if seen is None:
            continue
        reason, why = seen
        # weights follow the design of the sample: offices release them, knowing it
        refused = REFUSED[reason] and column.role is not Role.weight
        allowed = allow_unprotected and reason in UNPROTECTED
        accepted = allowed or name in plan.release_as_is
        found.append(Leaving(name, reason, why, accepted, refused))
    return found


def _before_values(column: Column) -> tuple[Reason, str] | None:
    """What can be said without a look at the values, gravest first."""
    if column.role is Role.identifier:
        return "identifier", "an identifier that no step drops or replaces"
    if not column.known:
        return "unknown", "the schema does not know it"
    # of a person or household leave release numbers, whatever the file has
    if column.kind is Kind.text and column.role not in UNITS:
        return "text", "free text: names found in it are not protected"
    return None


def _by_values(column: Column, encoding: Encoding | None) -> tuple[Reason, str] | None:
    """What the values say, and then whether anybody decided about the column."""
    if column.role in UNITS:
        return None  # release numbers take their place, in Plan.mask
    if encoding is not None:
        return "encoding", str(encoding)
    if column.role is Role.quasi:
        return "untouched", "a quasi-identifier that no step touches"
    if column.role is Role.other and column.why == NOT_NAMED:
        return "undeclared", "neither protected nor declared"
    return None


def refuse(found: Iterable[Leaving]) -> None:
    """Raise one sentence about every column that is neither accepted nor harmless."""
    refused = [one for one in found if one.refused and not one.accepted]
    if not refused:
        return
    names = ",".join(one.column for one in refused)
    raise ColumnError(
        f"nothing was written, because columns would leave by accident: "
        f"{', '.join(map(str, refused))}; {MENDED}, "
        f"or accept it: --release-as-is {names}"
    )


def sentence(found: Iterable[Leaving]) -> str:
    """One sentence for a warning; empty if there is nothing to say."""
    open_ones = [one for one in found if not one.accepted]
    if not open_ones:
        return ""
    return (
        f"columns leave by accident: {', '.join(map(str, open_ones))}; {MENDED}, "
        "or name it in the plan (release_as_is) or as --release-as-is"
    )
