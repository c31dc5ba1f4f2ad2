"""The rooms that changed against a branch or commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.mutants.mutation import ROOT


def rooms_changed(since: str, known: Iterable[str], root: Path = ROOT) -> list[str]:
    """Rooms whose source, tests or list differ from ``since``, committed or not."""
    command = ["git", "diff", "--name-only", since, "--"]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    touched = {room_of(Path(line)) for line in run.stdout.splitlines()}
    return [room for room in known if room in touched]


def room_of(path: Path) -> str:
    """The room that a file of the repository belongs to; empty for other files.

    >>> room_of(Path("src/tacit/risk/pld.py")), room_of(Path("tests/risk/test_pld.py"))
    ('risk', 'risk')
    >>> room_of(Path("tools/mutants/risk.toml")), room_of(Path("README.md"))
    ('risk', '')
    """
    match path.parts:
        case ("src", "tacit", room, _, *_) | ("tests", room, _, *_):
            return room
        case ("tools", "mutants", list_of_room):
            return Path(list_of_room).stem
    return ""
