"""One file on its way to a release: what was decided, with undo and redo, and what was tried."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacit.app.worker import Job


@dataclass(frozen=True)
class Setup:
    """Every decision of the user at one moment; immutable, so that undo is going back to an older one."""

    roles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    steps: tuple[dict[str, Any], ...] = ()
    bound: float = 0.05
    depth: str = "quick"
    release: int | None = None
    what: str = "start"


@dataclass
class Run:
    """A plan that was run on everything: its figures, and the files it left in the workspace."""

    id: int
    label: str
    steps: tuple[dict[str, Any], ...]
    setup: Setup
    summary: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def ok(self) -> bool:
        return bool(self.summary) and not self.error


class Project:
    """The state behind the pages of one file. Changes go through `change`, which feeds undo."""

    def __init__(self, name: str, path: Path, loading: Job) -> None:
        self.id = secrets.token_hex(6)
        self.name = name
        self.path = path
        self.loading = loading
        self.about: dict[str, Any] = {}
        self.job: Job | None = None
        self.runs: list[Run] = []
        self.notice = ""
        self.editor = ""
        self._lock = threading.RLock()
        self._history: list[Setup] = [Setup()]
        self._at = 0
        self._changed = 0.0
        self._numbers = 0

    # -- decisions, undo, redo ---------------------------------------------------------------------------

    @property
    def setup(self) -> Setup:
        return self._history[self._at]

    @property
    def version(self) -> str:
        """Differs after every change of what pages edit, so that a second tab can see that it is behind."""
        edited = replace(self.setup, release=None, what="")
        return f"{abs(hash(repr(edited))) % 10**12}"

    def behind(self, version: str, tab: str) -> bool:
        """Was this changed elsewhere since the tab last looked? Its own answers may still be on their way to it."""
        return version not in ("", self.version) and (not tab or tab != self.editor)

    def begin(self, about: dict[str, Any]) -> None:
        """The file was read: roles and kinds as inferred are the first decision."""
        with self._lock:
            self.about = about
            columns = about["columns"]
            first = Setup(
                roles={c["name"]: c["role"] for c in columns},
                kinds={c["name"]: c["kind"] for c in columns},
                steps=tuple(about.get("steps", ())),
            )
            self._history, self._at = [first], 0

    def change(self, what: str, **decisions: Any) -> bool:
        """Make a decision. Changes of the same thing within two seconds (typing) count as one for undo."""
        with self._lock:
            new = replace(self.setup, what=what, **decisions)
            if replace(new, what="") == replace(self.setup, what=""):
                return False
            joined = self.setup.what == what and time.monotonic() - self._changed < 2 and self._at > 0
            keep = self._at if joined and what.startswith("step") else self._at + 1
            self._history = [*self._history[:keep], new][-200:]
            self._at = len(self._history) - 1
            self._changed = time.monotonic()
            return True

    @property
    def can_undo(self) -> bool:
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        return self._at < len(self._history) - 1

    def undo(self) -> None:
        with self._lock:
            self._at = max(self._at - 1, 0)
            self._changed = 0.0

    def redo(self) -> None:
        with self._lock:
            self._at = min(self._at + 1, len(self._history) - 1)
            self._changed = 0.0

    # -- runs ----------------------------------------------------------------------------------------------

    def new_run(self, label: str, steps: tuple[dict[str, Any], ...]) -> Run:
        with self._lock:
            self._numbers += 1
            return Run(self._numbers, label, steps, self.setup)

    def add(self, run: Run) -> None:
        with self._lock:
            self.runs = [*self.runs, run]

    def choose_first(self, number: int) -> None:
        """The first run that ends is the release until another is chosen; not a decision, so nothing to undo."""
        with self._lock:
            if self.release is None:
                self._history[self._at] = replace(self.setup, release=number)

    def forget(self, number: int) -> None:
        with self._lock:
            for run in self.runs:
                if run.id == number:
                    remove(run.files.values())
            self.runs = [run for run in self.runs if run.id != number]

    def run(self, number: int | None) -> Run | None:
        return next((run for run in self.runs if run.id == number and run.ok), None)

    @property
    def release(self) -> Run | None:
        return self.run(self.setup.release)

    @property
    def busy(self) -> bool:
        return self.job is not None and not self.job.over

    def close(self) -> None:
        remove([str(self.path), *(f for run in self.runs for f in run.files.values())])


def remove(files: Any) -> None:
    for name in files:
        Path(name).unlink(missing_ok=True)
