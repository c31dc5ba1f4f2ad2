"""What the columns of a file are: their kind, their role, and why tacit thinks so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import ColumnError, InputError, choices


class Role(StrEnum):
    """What a column is for in a release."""

    identifier = "identifier"
    quasi = "quasi"
    confidential = "confidential"
    weight = "weight"
    household = "household"
    other = "other"


class Kind(StrEnum):
    """How the values of a column relate to one another."""

    continuous = "continuous"
    ordinal = "ordinal"
    nominal = "nominal"


FEW_VALUES = 10
"""An integer column with at most this many distinct values, each seen ten times on average, holds codes."""

_ALL_DIFFERENT = "text that is different in every record"
_IDENTIFIER = re.compile(
    r"^(id|uuid|guid|ssn|nin|name|(first|last|full|sur)_?name|e?-?mail|phone|passport|address)$"
    r"|_(id|uuid|ssn|email|phone)$|^(person|patient|record|customer|user)_?(id|no|nr|number)$",
    re.IGNORECASE,
)
_HOUSEHOLD = re.compile(r"^(ori_)?h(ouse)?h?(old)?_?id$|^hid$|^household$", re.IGNORECASE)
_WEIGHT = re.compile(
    r"^(sampl(e|ing)|survey|design|household|person|hh)_?(weights?|wgt)$|^p?wgt$|^weights_", re.IGNORECASE
)


@dataclass(frozen=True)
class Column:
    """One column: its name, kind and role, the order of its categories where declared, and the reason."""

    name: str
    kind: Kind
    role: Role
    categories: tuple[Any, ...] | None = None
    why: str = ""


@dataclass(frozen=True)
class Schema:
    """The columns of a file, in order."""

    columns: tuple[Column, ...]

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnError(f"there is no column '{name}'; {choices(name, (c.name for c in self.columns))}")

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def names(self, *, role: Role | str | None = None, kind: Kind | str | None = None) -> list[str]:
        """Names of the columns with this role and kind (any, where None), in file order."""
        return [c.name for c in self.columns if (role is None or c.role == role) and (kind is None or c.kind == kind)]

    def set(self, **changes: Iterable[str] | str | None) -> Schema:
        """A schema with other roles or kinds: ``schema.set(quasi=["age"], nominal=["sex"])``.

        When ``quasi`` is given, the columns that were only guessed to be quasi-identifiers become ``other``:
        the user has said which ones the intruder knows.
        """
        chosen: dict[str, Column] = {column.name: column for column in self.columns}
        stated: set[str] = set()
        for word, names in changes.items():
            if names is None:
                continue
            for name in [names] if isinstance(names, str) else names:
                self[name]  # an unknown column is an error, not a no-op
                if word in Role.__members__:
                    chosen[name] = replace(chosen[name], role=Role(word), why=f"{word}: you said so")
                    stated.add(name)
                elif word in Kind.__members__:
                    chosen[name] = replace(chosen[name], kind=Kind(word))
                    if chosen[name].why.endswith(_ALL_DIFFERENT):  # a guess from text, which it is not
                        chosen[name] = replace(chosen[name], role=Role.quasi, why=f"{word}: you said so")
                else:
                    raise ColumnError(f"'{word}' is neither a role nor a kind of column")
        if changes.get("quasi") is not None:
            for name, column in chosen.items():
                if column.role is Role.quasi and name not in stated:
                    chosen[name] = replace(column, role=Role.other, why="other: not among the quasi you named")
        return Schema(tuple(chosen[column.name] for column in self.columns))

    def select(self, names: Iterable[str]) -> Schema:
        """The schema of these columns only, in this order."""
        return Schema(tuple(self[name] for name in names))

    def put(self, column: Column) -> Schema:
        """The schema with one column replaced."""
        return Schema(tuple(column if c.name == column.name else c for c in self.columns))

    @classmethod
    def infer(cls, table: pa.Table) -> Schema:
        """Guess kinds and roles, each with its reason. In doubt a column is ``quasi``: that never hides a risk."""
        return cls(tuple(_infer(name, table.column(name)) for name in table.column_names))

    def to_dict(self) -> dict[str, Any]:
        """Plain types, as in the TOML file."""
        out: dict[str, Any] = {}
        for c in self.columns:
            entry: dict[str, Any] = {"kind": str(c.kind), "role": str(c.role)}
            if c.categories is not None:
                entry["categories"] = list(c.categories)
            if c.why:
                entry["why"] = c.why
            out[c.name] = entry
        return {"columns": out}

    def to_toml(self) -> str:
        """The schema file that ``tacit schema`` writes."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str, *, source: str = "schema") -> Schema:
        """Read a schema file."""
        try:
            raw = tomllib.loads(text)
            columns = [
                Column(
                    name=name,
                    kind=Kind(entry["kind"]),
                    role=Role(entry["role"]),
                    categories=tuple(entry["categories"]) if "categories" in entry else None,
                    why=str(entry.get("why", "")),
                )
                for name, entry in raw["columns"].items()
            ]
        except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source}: not a schema file ({error}); write one with: tacit schema FILE") from None
        return cls(tuple(columns))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema file from disk."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"), source=str(path))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _infer(name: str, values: pa.ChunkedArray) -> Column:
    kind, categories, kind_why = _kind(values)
    role, role_why = _role(name, values)
    if role is Role.weight:
        kind, kind_why = Kind.continuous, "a weight is a number"
    return Column(name, kind, role, categories, f"{kind}: {kind_why}; {role}: {role_why}")


def _kind(values: pa.ChunkedArray) -> tuple[Kind, tuple[Any, ...] | None, str]:
    kind = values.type
    if pa.types.is_dictionary(kind):
        if kind.ordered:
            order = values.chunk(0).dictionary.to_pylist() if values.num_chunks else []
            return Kind.ordinal, tuple(order), "an ordered categorical"
        return Kind.nominal, None, "a categorical"
    if pa.types.is_boolean(kind):
        return Kind.nominal, None, "true or false"
    if pa.types.is_integer(kind):
        # a look at the first records is enough to rule most columns out
        distinct = pc.count_distinct(values.slice(0, 5000)).as_py()
        if distinct <= FEW_VALUES:
            distinct = pc.count_distinct(values).as_py()
        if 0 < distinct <= FEW_VALUES and len(values) >= 10 * distinct:
            return Kind.nominal, None, f"integers with {distinct} distinct values, which look like codes"
        return Kind.continuous, None, "integers with many values"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Kind.continuous, None, "numbers"
    if pa.types.is_temporal(kind):
        return Kind.ordinal, None, "dates or times"
    return Kind.nominal, None, "text"


def _role(name: str, values: pa.ChunkedArray) -> tuple[Role, str]:
    if _WEIGHT.search(name) and (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return Role.weight, "named like a sampling weight"
    if _HOUSEHOLD.search(name):
        return Role.household, "named like a household number"
    if _IDENTIFIER.search(name):
        return Role.identifier, "named like a direct identifier"
    text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if text and len(values) >= 20 and pc.count_distinct(values).as_py() == len(values):
        return Role.identifier, _ALL_DIFFERENT
    return Role.quasi, "nothing says that an intruder cannot know it"
