"""mkdocs hook for the API pages, so that a new method or file needs no edit here.

A line ``<!-- cards: protect -->`` becomes the API card of every method registered in that room, and
a line ``<!-- modules: protect -->`` the contents of every other public file of the room.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.base.registry import Registry

_MARK = re.compile(r"<!-- (cards|modules): (\w+) -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    made = {"cards": _cards, "modules": _modules}
    return _MARK.sub(lambda found: made[found.group(1)](found.group(2)), markdown)


def _cards(room: str) -> str:
    return "\n".join(_entry(target) for target in _targets(room))


def _modules(room: str) -> str:
    # a method is shown by its card: its file would show it a second time
    carded = {target.rpartition(".")[0] for target in _targets(room)}
    package = import_module(f"tacit.{room}")
    root = Path(str(package.__file__)).parent
    names = []
    for path in sorted(root.rglob("*.py")):
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if any(part.startswith("_") for part in parts):
            continue
        names.append(".".join(["tacit", room, *parts]))
    return "\n".join(_entry(name) for name in names if name not in carded)


def _targets(room: str) -> list[str]:
    registry = vars(import_module(f"tacit.{room}")).get("registry")
    if not isinstance(registry, Registry):  # tacit.base.registry is a file
        return []
    things = [registry[name] for name in registry]
    return list(
        dict.fromkeys(f"{thing.__module__}.{thing.__name__}" for thing in things)
    )


def _entry(target: str) -> str:
    return f"::: {target}\n    options:\n      heading_level: 3\n"
