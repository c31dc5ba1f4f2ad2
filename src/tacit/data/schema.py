"""What the columns of a file are: guessed, stated, or read from a schema file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomli_w

from tacit.base import toml_text
from tacit.base.errors import ColumnError, InputError, choices, shown
from tacit.data.column import NOT_NAMED, SCALES, Category, Column, Kind, Role
from tacit.data.inference import infer

__all__ = ["SCALES", "Category", "Column", "Kind", "Role", "Schema"]


@dataclass(frozen=True)
class Schema:
    """The columns of a file, in order."""

    columns: tuple[Column, ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each column stands; of two of one name the first."""
        names = [column.name for column in self.columns]
        return {name: place for place, name in reversed(list(enumerate(names)))}

    def __getitem__(self, name: str) -> Column:
        place = self._places.get(name) if isinstance(name, str) else None
        if place is not None:
            return self.columns[place]
        there_are = choices(name, (column.name for column in self.columns))
        raise ColumnError(f"there is no column '{name}'; {there_are}")

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places

    def names(
        self,
        *,
        role: Role | str | None = None,
        kind: Kind | str | None = None,
        scale: Kind | str | None = None,
    ) -> list[str]:
        """Names of the columns with this role, kind and scale (any, where None), in file order."""
        columns = self.columns
        if role is not None:
            columns = tuple(column for column in columns if column.role == role)
        if kind is not None:
            columns = tuple(column for column in columns if column.kind == kind)
        if scale is not None:
            columns = tuple(column for column in columns if column.scale == scale)
        return [column.name for column in columns]

    def set(self, **changes: Iterable[str] | str | None) -> Schema:
        """A schema with other roles or kinds: ``schema.set(quasi=["age"], nominal=["sex"])``.

        When ``quasi`` is given, the columns that were only guessed to be quasi-identifiers
        become ``other``: the user has said which ones the intruder knows.
        """
        chosen = {column.name: column for column in self.columns}
        stated: set[str] = set()
        for word, names in changes.items():
            if names is None:
                continue
            for name in columns_asked(names, word):
                # an unknown column is an error, not a no-op
                _ = self[name]
                chosen[name] = chosen[name].changed(word)
                if word in Role.__members__:
                    stated.add(name)
        if changes.get("quasi") is not None:
            for name, column in chosen.items():
                if column.role is Role.quasi and name not in stated:
                    chosen[name] = replace(column, role=Role.other, why=NOT_NAMED)
        return Schema(tuple(chosen[column.name] for column in self.columns))

    def select(self, names: Iterable[str]) -> Schema:
        """The schema of these columns only, in this order."""
        return Schema(tuple(self[name] for name in names))

    def put(self, *new: Column) -> Schema:
        """The schema with these columns in place of those of their names."""
        by_name = {column.name: column for column in new}
        return Schema(tuple(by_name.get(old.name, old) for old in self.columns))

    @classmethod
    def infer(cls, table: pa.Table) -> Schema:
        """Guess kinds and roles, each with its reason.

        In doubt a column is ``quasi``: that never hides a risk.
        """
        columns = [infer(name, table.column(name)) for name in table.column_names]
        return cls(tuple(columns))

    def to_dict(self) -> dict[str, Any]:
        """Plain types, as in the TOML file."""
        entries = {column.name: column.to_entry() for column in self.columns}
        return {"columns": entries}

    def to_toml(self) -> str:
        """The schema file that ``tacit schema`` writes."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        source: str = "schema",
    ) -> Schema:
        """Read a schema file."""
        try:
            entries = toml_text.loads(text)["columns"]
            columns = [
                Column.from_entry(name, entry) for name, entry in entries.items()
            ]
        except (
            toml_text.Problem,
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
        ) as error:
            raise InputError(
                f"{source}: not a schema file ({error}); "
                "write one with: tacit schema FILE"
            ) from None
        return cls(tuple(columns))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema file from disk."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise InputError(f"{path}: is no text in UTF-8; save it as that") from None
        return cls.from_toml(text, source=str(path))


def columns_asked(names: object, word: str = "columns") -> list[str]:
    """One name or several; what is no list of names is said."""
    if isinstance(names, str):
        return [names]
    try:
        named: list[Any] = list(names)  # type: ignore[call-overload]  # tried
    except TypeError:
        named = [names]
    for name in named:
        if not isinstance(name, str):
            raise ColumnError(
                f"{word}={shown(names)} names no columns: {shown(name)} is no text; give a name or "
                "a list of names"
            )
    return named
