"""A copy of the repository in which files are changed and put back.

Python and numba keep compiled code beside the source and compare times to know whether it is
fresh. A changed file therefore gets a time that no other version had. numba looks at the file of
the kernel only, not at the kernels which that one calls: the compiled forms of every kernel that
imports the changed file are laid aside, and brought back afterwards, so that nothing else is
compiled twice.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.mutants.mutation import PACKAGE, Mutation

KERNELS = PACKAGE / "kernels"
WARM = Path(__file__).with_name("warm.py")
# what tests read besides the package and themselves; the rest (.git, .venv, ...) stays behind
PARTS = ("src", "tests", "tools", "bench", "docs")
FILES = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")


class Workshop:
    """The copy; `holding` makes one mutation in it for a while."""

    def __init__(
        self, root: Path, folder: Path, libraries: bool = True, slow: bool = False
    ) -> None:
        self.root = folder
        self.slow = slow
        """Do the tests of `make test-all` look, too?"""
        # tests of these tools need none of them
        self._warm_up = [] if libraries else ["none"]
        self._changes = 0
        self._reached: list[Path] = []
        self._warm: subprocess.Popen[str] | None = None
        # times are kept, so that compiled kernels beside the source stay valid
        for part in PARTS:
            if (root / part).exists():
                shutil.copytree(root / part, folder / part)
        for name in FILES:
            if (root / name).exists():
                shutil.copy2(root / name, folder / name)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Let the process that has the libraries loaded run some tests; see ``warm``."""
        if self._warm is None or self._warm.poll() is not None:
            environment = {**os.environ, "PYTHONPATH": str(self.root / "src")}
            self._warm = subprocess.Popen(
                [sys.executable, str(WARM), *self._warm_up],
                cwd=self.root,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            weakref.finalize(self, _end, self._warm)
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        self._warm.stdin.write(json.dumps(request) + "\n")
        self._warm.stdin.flush()
        answer: dict[str, Any] = json.loads(self._warm.stdout.readline())
        return answer

    @contextmanager
    def holding(self, mutation: Mutation) -> Iterator[None]:
        """While this lasts, the copy has the mutation."""
        file = self.root / mutation.path
        source = file.read_text(encoding="utf-8")
        changed = mutation.of(source)
        before = file.stat()
        aside = self._lay_aside(mutation.path)
        file.write_text(changed, encoding="utf-8")
        self._changes += 1
        # a second of its own, because compiled Python is dated to the second
        when = time.time() - 1_000_000 + self._changes
        os.utime(file, (when, when))
        try:
            yield
        finally:
            file.write_text(source, encoding="utf-8")
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
            self._bring_back(aside)

    def _lay_aside(self, changed: Path) -> list[tuple[Path, Path]]:
        """Move the compiled forms of kernels that the change reaches; from where, to where."""
        moved = []
        self._reached = reached(self.root, changed)
        for file in self._reached:
            for compiled in compiled_forms(file):
                place = compiled.with_name(compiled.name + ".aside")
                compiled.rename(place)
                moved.append((compiled, place))
        return moved

    def _bring_back(self, aside: list[tuple[Path, Path]]) -> None:
        """Delete what was compiled from the mutation, and bring back what was there."""
        for file in self._reached:
            for compiled in compiled_forms(file):
                compiled.unlink()
        for compiled, place in aside:
            place.rename(compiled)


def _end(process: subprocess.Popen[str]) -> None:
    """It ends when nobody asks any more."""
    process.communicate()


def compiled_forms(file: Path) -> list[Path]:
    """What numba has left beside a file of kernels."""
    cache = file.parent / "__pycache__"
    return [
        path
        for pattern in (f"{file.stem}.*.nbi", f"{file.stem}.*.nbc")
        for path in cache.glob(pattern)
    ]


def reached(root: Path, changed: Path) -> list[Path]:
    """The files of kernels that import a changed one, by any number of steps, and itself."""
    if not changed.is_relative_to(KERNELS):
        return []
    files = sorted((root / KERNELS).rglob("*.py"))
    uses = {file: imported(file) for file in files}
    found = {root / changed}
    while True:
        modules = {module_of(root, file) for file in found}
        more = {file for file in files if uses[file] & modules} - found
        if not more:
            return sorted(found)
        found |= more


def module_of(root: Path, file: Path) -> str:
    """The name by which a file is imported."""
    parts = file.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts)


def imported(file: Path) -> set[str]:
    """The modules that a file imports; a name taken from a module may be one, too."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
    return names
