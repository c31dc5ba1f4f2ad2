"""A mutation and the files that hold them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path("src/tacit")


class StaleError(Exception):
    """The text that a mutation changes is not there any more, or not only once."""


@dataclass(frozen=True)
class Mutation:
    """One change of meaning.

    Attributes
    ----------
    room
        The room of the package whose list it stands in.
    file
        The file, below ``src/tacit``.
    old, new
        What stands there exactly once, and what is put in its place.
    meaning
        What the change would do to a user, as one phrase; it is also the mutation's name.
    tests
        Files or single tests (``tests/a.py::test_b``) of which one must fail.
    issue
        One of those that survived in issue 23.
    explained
        Why no test can see it; empty if one should.
    """

    room: str
    file: str
    old: str
    new: str
    meaning: str
    tests: tuple[str, ...]
    issue: bool = False
    explained: str = ""

    @property
    def path(self) -> Path:
        """The changed file, below the root of the repository."""
        return PACKAGE / self.file

    def of(self, source: str) -> str:
        """The changed text of the file.

        Raises
        ------
        StaleError
            Unless the old text is found exactly once: a list that skips in silence proves nothing.
        """
        found = source.count(self.old)
        if found != 1:
            raise StaleError(
                f"{self.room}.toml: {self.meaning!r} is stale: "
                f"{self.old!r} is found {found} times in {self.path}"
            )
        return source.replace(self.old, self.new)


def rooms() -> list[str]:
    """Every room that has a list."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def load(room: str, folder: Path = HERE) -> list[Mutation]:
    """The mutations of a room, in the order of its file."""
    with (folder / f"{room}.toml").open("rb") as file:
        listed = tomllib.load(file)["mutation"]
    return [
        Mutation(room=room, **{**entry, "tests": tuple(entry["tests"])})
        for entry in listed
    ]
