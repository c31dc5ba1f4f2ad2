"""The small experiments behind the docs page "What the literature got wrong".

Each returns the figures it prints. ``python -m tacit.reproduce.artefacts docs/literature.md``
runs them and writes their figures between the markers ``<!-- run: NAME -->`` and
``<!-- end -->`` of the page; a test runs them again and compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from tacit.reproduce.file_artefacts import (
    Rows,
    mahalanobis,
    percentages,
    tie_breaking,
    unstandardised,
)
from tacit.reproduce.stream_artefacts import (
    arrival_order,
    not_private,
    past_only,
    raw_release,
)
from tacit.reproduce.swap_artefacts import exchanges

# In the order of the page.
ARTEFACTS: dict[str, Callable[[], Rows]] = {
    "tie_breaking": tie_breaking,
    "unstandardised": unstandardised,
    "percentages": percentages,
    "exchanges": exchanges,
    "arrival_order": arrival_order,
    "raw_release": raw_release,
    "not_private": not_private,
    "past_only": past_only,
    "mahalanobis": mahalanobis,
}

# A marked block of the page: its head with the name, what was written before, its end.
BLOCK = re.compile(r"(<!-- run: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def block(name: str) -> str:
    """The Markdown table of one artefact, computed now."""
    rows = [f"| {what} | {figure} |" for what, figure in ARTEFACTS[name]()]
    return "\n".join(["| what | figure |", "|---|---|", *rows, ""])


def fill(page: str) -> str:
    """The page with every marked block computed afresh."""

    def afresh(match: re.Match[str]) -> str:
        head, name, end = match.groups()
        return f"{head}\n{block(name)}\n{end}"

    return BLOCK.sub(afresh, page)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")
