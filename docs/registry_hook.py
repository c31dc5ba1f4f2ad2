"""mkdocs hook: a line ``<!-- cards: protect -->`` becomes the API card of every method registered in that room."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_MARK = re.compile(r"<!-- cards: (\w+) -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return _MARK.sub(lambda found: _cards(found.group(1)), markdown)


def _cards(room: str) -> str:
    registry = import_module(f"tacit.{room}").registry
    targets = dict.fromkeys(f"{registry[name].__module__}.{registry[name].__name__}" for name in registry)
    return "\n".join(f"::: {target}\n    options:\n      heading_level: 3\n" for target in targets)
