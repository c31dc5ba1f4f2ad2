"""One file on its way to a release: what was decided, with undo and redo, and what was tried."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict, Unpack

from tacit.app.messages import (
    AskedFile,
    ColumnView,
    FileView,
    LeavingColumn,
    StepValues,
    Summary,
)
from tacit.app.worker import Job

# How the report marks a verdict that is safe.
SAFE = "good"
# Decisions that can be undone; more would only hold memory.
REMEMBERED = 200
# Seconds within which changes of one value are typing, which undo takes back at once.
TYPING = 2


@dataclass(frozen=True)
class Setup:
    """Every decision of the user at one moment.

    It never changes, so that undo is going back to an older one.
    """

    roles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    # columns whose values look like codes for missing: are they? 'yes' or 'no'
    missing: dict[str, str] = field(default_factory=dict)
    steps: tuple[StepValues, ...] = ()
    # The usual threshold of the verdict: one person in twenty found.
    bound: float = 0.05
    # Thresholds of measures that differ from their defaults, by name.
    limits: dict[str, float] = field(default_factory=dict)
    depth: str = "quick"
    release: int | None = None
    # Columns that may leave although nothing protects them.
    as_is: tuple[str, ...] = ()
    what: str = "start"
    # The name that somebody gave to this state.
    title: str = ""


class Decisions(TypedDict, total=False):
    """What a page may change of a `Setup`."""

    roles: dict[str, str]
    kinds: dict[str, str]
    missing: dict[str, str]
    steps: tuple[StepValues, ...]
    bound: float
    limits: dict[str, float]
    depth: str
    release: int | None
    as_is: tuple[str, ...]


@dataclass
class Attempt:
    """A plan that was run on all records: its figures, and its files in the workspace."""

    id: int
    label: str
    steps: tuple[StepValues, ...]
    setup: Setup
    summary: Summary = field(default_factory=Summary)
    files: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def ok(self) -> bool:
        """Did it end well?"""
        return bool(self.summary) and not self.error

    def judged_by(self, setup: Setup) -> bool:
        """Was it judged by the thresholds of these decisions?"""
        return (self.setup.bound, self.setup.limits) == (setup.bound, setup.limits)

    @property
    def safe(self) -> bool:
        """Did its verdict call it safe? Borderline and not assessed are not safe."""
        return self.ok and self.summary["verdict"]["state"] == SAFE


class Project:
    """The state behind the pages of one file. Changes go through `change`, which feeds undo.

    Pages and the listeners of the workers come from several threads: what is replaced is replaced
    as a whole, under one lock, so that a page that is being drawn sees the old or the new.
    """

    def __init__(self, name: str, path: Path, loading: Job) -> None:
        # The number stands in addresses; nobody should find the files of another by counting.
        self.id = secrets.token_hex(6)
        self.name = name
        self.path = path
        self.loading = loading
        self.about: FileView = {}
        self.job: Job | None = None
        self.attempts: list[Attempt] = []
        # The file as it is, attacked like a release: what protection is compared with.
        self.before: Attempt | None = None
        self.notice = ""
        self.editor = ""
        self._lock = threading.RLock()
        self._history: list[Setup] = [Setup()]
        self._at = 0
        self._changed = 0.0
        self._numbers = 0

    # -- decisions, undo, redo ---------------------------------------------------------------------

    @property
    def setup(self) -> Setup:
        """The decisions as they stand."""
        return self._history[self._at]

    @property
    def asked(self) -> AskedFile:
        """The file as workers are asked about it."""
        setup = self.setup
        return {
            "path": str(self.path),
            "roles": setup.roles,
            "kinds": setup.kinds,
            "missing": setup.missing,
        }

    def decided(self, column: ColumnView) -> bool:
        """Did somebody say what this column is, other than was guessed?"""
        name = column["name"]
        guessed = (column["role"], column["kind"])
        if name in self.setup.missing:
            return True
        return (self.setup.roles[name], self.setup.kinds[name]) != guessed

    @property
    def to_decide(self) -> list[ColumnView]:
        """Columns whose guess needs a decision that nobody has made."""
        columns = self.about.get("columns", [])
        return [one for one in columns if one["ask"] and not self.decided(one)]

    @property
    def version(self) -> str:
        """Differs after every change of what pages edit, so that a tab can see it is behind."""
        edited = replace(self.setup, release=None, as_is=(), what="", title="")
        # Twelve digits: short enough for a header, and two setups hardly ever share them.
        return f"{abs(hash(repr(edited))) % 10**12}"

    def behind(self, version: str, tab: str) -> bool:
        """Was this changed elsewhere since the tab last looked?

        The tab that made the last change is not behind: our answer may be on its way to it.
        """
        is_editor = bool(tab) and tab == self.editor
        return version not in ("", self.version) and not is_editor

    def begin(self, about: FileView) -> None:
        """The file was read: roles and kinds as inferred are the first decision."""
        columns = about["columns"]
        first = Setup(
            roles={column["name"]: column["role"] for column in columns},
            kinds={column["name"]: column["kind"] for column in columns},
            steps=tuple(about.get("steps", ())),
        )
        with self._lock:
            self.about = about
            self._history = [first]
            self._at = 0

    def change(self, what: str, **decisions: Unpack[Decisions]) -> bool:
        """Make a decision; False if it changes nothing.

        Changes of values of steps shortly after each other (typing) count as one for undo.
        """
        with self._lock:
            old = self.setup
            new = replace(old, what=what, title="", **decisions)
            if replace(new, what="", title=old.title) == replace(old, what=""):
                return False
            now = time.monotonic()
            is_typing = (
                what.startswith("step")
                and what == old.what
                and now - self._changed < TYPING
                and self._at > 0
            )
            # Typing replaces the last decision; any change drops those that could be redone.
            kept = self._history[: self._at if is_typing else self._at + 1]
            self._history = [*kept, new][-REMEMBERED:]
            self._at = len(self._history) - 1
            self._changed = now
            return True

    @property
    def can_undo(self) -> bool:
        """Is there an older decision?"""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Was a decision taken back?"""
        return self._at < len(self._history) - 1

    def undo(self) -> None:
        """Go back by one decision."""
        self._go(-1)

    def redo(self) -> None:
        """Go forward by one decision."""
        self._go(+1)

    @property
    def history(self) -> tuple[list[Setup], int]:
        """Every decision that is remembered, the oldest first, and where we are."""
        with self._lock:
            return list(self._history), self._at

    def go_to(self, place: int) -> None:
        """Go to a state of the history; those after it can be gone to again."""
        with self._lock:
            self._go(place - self._at)

    def name_state(self, place: int, title: str) -> None:
        """Give a state a name; that is no decision, so there is nothing to undo."""
        with self._lock:
            if place < len(self._history):
                named = replace(self._history[place], title=title)
                self._history = [
                    named if at == place else one
                    for at, one in enumerate(self._history)
                ]

    def _go(self, by: int) -> None:
        with self._lock:
            self._at = min(max(self._at + by, 0), len(self._history) - 1)
            # What is typed next is a decision of its own.
            self._changed = 0.0

    # -- what was tried ----------------------------------------------------------------------------

    def new_attempt(self, label: str, steps: tuple[StepValues, ...]) -> Attempt:
        """An attempt with a number of its own; it is listed once it has ended (`add`)."""
        with self._lock:
            self._numbers += 1
            return Attempt(self._numbers, label, steps, self.setup)

    def add(self, attempt: Attempt) -> None:
        """List an attempt that has ended."""
        with self._lock:
            self.attempts = [*self.attempts, attempt]

    def choose_first(self, attempt: Attempt) -> None:
        """The first attempt that is safe is the release until another is chosen.

        This is not a decision of the user, so there is nothing to undo. What is not safe is only
        ever chosen by hand.
        """
        with self._lock:
            if self.release is None and attempt.safe:
                self._history[self._at] = replace(self.setup, release=attempt.id)

    def choose(self, attempt: Attempt) -> None:
        """Make an attempt the release that a search has found to be safe."""
        with self._lock:
            if attempt.safe:
                self.change("made safe", release=attempt.id, steps=attempt.steps)

    @property
    def needs_before(self) -> bool:
        """Is the file as it is still to be attacked, by the roles as they stand?"""
        known = self.before
        if known is None:
            return True
        now, then = self.setup, known.setup
        asked = (now.roles, now.kinds, now.missing, now.depth)
        return (then.roles, then.kinds, then.missing, then.depth) != asked

    def forget(self, number: int) -> None:
        """Take an attempt off the list, and delete its files."""
        with self._lock:
            for attempt in self.attempts:
                if attempt.id == number:
                    remove(attempt.files.values())
            self.attempts = [one for one in self.attempts if one.id != number]

    def rename(self, number: int, label: str) -> None:
        """Give an attempt a name of its owner's choice."""
        with self._lock:
            for attempt in self.attempts:
                if attempt.id == number:
                    attempt.label = label

    def attempt(self, number: int | None) -> Attempt | None:
        """The attempt of this number, if there is one that ended well."""
        good = (one for one in self.attempts if one.ok)
        return next((one for one in good if one.id == number), None)

    @property
    def release(self) -> Attempt | None:
        """The attempt that was chosen for release."""
        return self.attempt(self.setup.release)

    @property
    def not_accepted(self) -> list[LeavingColumn]:
        """Columns of the chosen release that nobody has let go; while there are any, it stays."""
        chosen = self.release
        columns = chosen.summary.get("leaving", ()) if chosen else ()
        return [
            one
            for one in columns
            if one["refused"] and one["column"] not in self.setup.as_is
        ]

    @property
    def busy(self) -> bool:
        """Is a run under way?"""
        return self.job is not None and not self.job.over

    def close(self) -> None:
        """Delete the upload and everything that was made of it."""
        remove([str(self.path)])
        for attempt in [*self.attempts, *filter(None, [self.before])]:
            remove(attempt.files.values())


def remove(files: Iterable[str]) -> None:
    """Delete files; those that are gone already do not matter."""
    for name in files:
        Path(name).unlink(missing_ok=True)
