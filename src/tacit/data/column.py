"""One column of a file: its kind, its role, and why tacit thinks so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args

from tacit.base.errors import ColumnError
from tacit.data.description import Description
from tacit.data.missing import Code, Missing

Category: TypeAlias = Any
"""A value of a nominal or ordinal column: text, a number, a date, ... as the file holds it."""


Confidence: TypeAlias = Literal["sure", "likely", "unsure"]
"""How sure a guess is; what somebody said is sure."""


class Role(StrEnum):
    """What a column is for in a release."""

    identifier = "identifier"
    # whose record this is; many rows each
    person = "person"
    household = "household"
    quasi = "quasi"
    confidential = "confidential"
    weight = "weight"
    other = "other"


class Kind(StrEnum):
    """What the values of a column are."""

    continuous = "continuous"
    count = "count"  # type: ignore[assignment]  # hides str.count, which a kind does not need
    ordinal = "ordinal"
    nominal = "nominal"
    # a category with a hierarchy above it: a diagnosis, an occupation, a postcode
    code = "code"
    date = "date"
    boolean = "boolean"
    text = "text"


SCALES = {
    Kind.continuous: Kind.continuous,
    Kind.count: Kind.continuous,
    Kind.ordinal: Kind.ordinal,
    # dates have an order and no mean that is a date of the file
    Kind.date: Kind.ordinal,
    Kind.nominal: Kind.nominal,
    Kind.code: Kind.nominal,
    Kind.boolean: Kind.nominal,
    Kind.text: Kind.nominal,
}
"""The scale on which a kind is computed with: numbers, ordered categories, or categories."""


ALL_DIGITS = -1
"""Decimals of a column whose numbers leave as they come, whatever the file's own look like."""
MOST_DECIMALS = 400
"""The smallest double has 324, and its figures."""
NAMED = "named like"
"""In the reason of a role that the column's name gave away, and not its values."""
NOT_NAMED = "other: not among the quasi you named"
"""The reason of a column that nobody declared: others were named as quasi-identifiers."""


# what an entry of a schema file may hold
_FIELDS = frozenset(
    {"kind", "role", "categories", "why", "missing", "suppressed", "suspects"}
    | {"confidence", "ask", "date_format", "decimals"}
    | {"label", "labels", "level", "format", "width", "storage"}
)


@dataclass(frozen=True)
class Column:
    """One column: name, kind and role, the order of its categories where declared, the reason.

    ``missing`` are the codes that stand for a gap, ``description`` its labels and formats;
    ``unsaid`` names what a schema file left to be guessed (``kind``, ``role``).
    ``confidence`` says how sure a guess is, and ``ask`` what a person must decide where it is
    not. ``date_format`` is how text says a date, ``decimals`` with how many of them the file
    writes its broken numbers (None: not known; -1: as they come).
    """

    name: str
    kind: Kind
    role: Role
    categories: tuple[Category, ...] | None = None
    why: str = ""
    missing: Missing = field(default_factory=Missing)
    description: Description = field(default_factory=Description)
    unsaid: frozenset[str] = frozenset()
    confidence: Confidence = "sure"
    ask: str = ""
    date_format: str = ""
    decimals: int | None = None
    known: bool = True
    """False: a schema was given for the file, and it does not name this column."""
    suspects: tuple[Code, ...] = ()
    """Values that look like missing codes: a question, until somebody says what they are."""
    no_codes: bool = False
    """Somebody said that no value is a missing code."""

    @property
    def scale(self) -> Kind:
        """What methods compute with: continuous, ordinal or nominal, whatever the kind."""
        return SCALES[self.kind]

    @property
    def role_guess(self) -> str:
        """Why the role was guessed; empty where somebody said it."""
        role, _, why = self.why.partition("; ")[2].partition(": ")
        return why if role == self.role else ""

    def to_entry(self) -> dict[str, Any]:
        """The column as plain types, as in a schema file; what is not known is left out."""
        entry: dict[str, Any] = {"kind": str(self.kind), "role": str(self.role)}
        for name in self.unsaid:
            del entry[name]
        if self.categories is not None:
            entry["categories"] = list(self.categories)
        for word in ("date_format", "why", "ask"):
            if getattr(self, word):
                entry[word] = getattr(self, word)
        if self.decimals is not None:
            entry["decimals"] = self.decimals
        if self.confidence != "sure":
            entry["confidence"] = self.confidence
        if self.suspects:
            entry["suspects"] = list(self.suspects)
        if self.no_codes:
            entry["missing"] = []
        return entry | self.missing.to_entry() | self.description.to_entry()

    @classmethod
    def from_entry(cls, name: str, entry: dict[str, Any]) -> Column:
        """The column of one entry of a schema file."""
        unknown = set(entry) - _FIELDS
        if unknown:
            raise ValueError(
                f"column '{name}': '{min(unknown)}' is not known; "
                f"a column has {', '.join(sorted(_FIELDS))}"
            )
        categories, decimals = entry.get("categories"), entry.get("decimals")
        plain = isinstance(categories, list | tuple) and not any(
            isinstance(one, list | dict) for one in categories
        )
        if categories is not None and not plain:
            raise ValueError(f"column '{name}': categories is a list of values")
        whole = type(decimals) is int and ALL_DIGITS <= decimals <= MOST_DECIMALS
        if decimals is not None and not whole:
            raise ValueError(
                f"column '{name}': decimals is a number from 0 to {MOST_DECIMALS}"
            )
        try:
            missing = Missing.from_entry(entry)
            description = Description.from_entry(entry)
            kind = Kind(entry.get("kind", Kind.nominal))
            role = Role(entry.get("role", Role.quasi))
        except ValueError as error:
            raise ValueError(f"column '{name}': {error}") from None
        return cls(
            name=name,
            kind=kind,
            role=role,
            categories=None if categories is None else tuple(categories),
            why=str(entry.get("why", "")),
            missing=missing,
            description=description,
            unsaid=frozenset({"kind", "role"} - set(entry)),
            confidence=_confidence(entry.get("confidence", "sure")),
            ask=str(entry.get("ask", "")),
            date_format=str(entry.get("date_format", "")),
            decimals=decimals,
            suspects=_open_suspects(entry, missing),
            no_codes=not missing and "missing" in entry,
        )

    @property
    def questions(self) -> list[str]:
        """What a person must decide, one sentence each."""
        asked = [self.ask] if self.ask else []
        if self.suspects:
            what = "a code" if len(self.suspects) == 1 else "codes"
            is_ = "is" if len(self.suspects) == 1 else "are"
            asked.append(f"{is_} {said_codes(self.suspects)} {what} for missing?")
        return asked

    def with_codes(self, missing: Missing) -> Column:
        """The column with these missing codes, as somebody said; without any: none is one."""
        return replace(self, missing=missing, suspects=(), no_codes=not missing)

    def completed(self, by: Column) -> Column:
        """The column with what was left unsaid, as another source says it."""
        said: dict[str, Any] = {}
        if "kind" in self.unsaid - by.unsaid:
            said["kind"] = by.kind
            said["categories"] = self.categories or by.categories
        if "role" in self.unsaid - by.unsaid:
            said["role"] = by.role
        if said:
            said |= {"why": by.why, "confidence": by.confidence, "ask": by.ask}
        decimals = by.decimals if self.decimals is None else self.decimals
        missing, suspects = self.missing or by.missing, self.suspects or by.suspects
        if self.no_codes:
            missing = self.missing
        # codes that somebody declared are no question; those that were guessed are
        if self.no_codes or self.missing:
            suspects = ()
        return replace(
            self,
            **said,
            missing=missing,
            suspects=suspects,
            description=self.description or by.description,
            unsaid=self.unsaid & by.unsaid,
            date_format=self.date_format or by.date_format,
            decimals=decimals,
        )

    def changed(self, word: str) -> Column:
        """The column with another role or kind, as somebody said."""
        said_so = f"{word}: you said so"
        said = replace(self, confidence="sure", ask="")
        if word in Role.__members__:
            return replace(said, role=Role(word), why=said_so, known=True)
        if word not in Kind.__members__:
            raise ColumnError(f"'{word}' is neither a role nor a kind of column")
        if self.kind is Kind(word):
            return said
        _, _, role_why = self.why.partition("; ")
        # a role that was guessed from what the values are, which they are not
        if self.role is Role.identifier and role_why and NAMED not in role_why:
            return replace(said, kind=Kind(word), role=Role.quasi, why=said_so)
        why = f"{said_so}; {role_why}" if role_why else said_so
        return replace(said, kind=Kind(word), why=why)


def _open_suspects(entry: dict[str, Any], missing: Missing) -> tuple[Code, ...]:
    """The suspicions of a schema file about which nobody has said anything."""
    suspects = tuple(entry.get("suspects", ()))
    # codes without which the column cannot be read are guessed, and still asked about
    return suspects if "missing" not in entry or missing.codes == suspects else ()


def said_codes(codes: Iterable[Code]) -> str:
    """-8, 'N' and the like, as they are shown."""
    return ", ".join(repr(one) if isinstance(one, str) else str(one) for one in codes)


def _confidence(word: object) -> Confidence:
    for known in get_args(Confidence):
        if word == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"the confidence {word!r} is none of {get_args(Confidence)}")
