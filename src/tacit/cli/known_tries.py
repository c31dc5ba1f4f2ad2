"""Ctrl-C in a search: what was attacked by then is shown, and nothing of it is released."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tacit.cli import options as shared
from tacit.cli.tables import Head, print_table

if TYPE_CHECKING:
    from tacit.compare.attacked import Learn


@contextmanager
def known_tries(until: str | None) -> Iterator[Learn]:
    """Hear of every setting that is attacked; show them if Ctrl-C ends the block."""
    tries: list[list[str]] = []

    def learn(what: str, upper: float, met: bool) -> None:
        # one attack above the bound is enough, so the others may find more
        risk = f"at most {upper:.2%}" if met else f"{upper:.2%} or more"
        tries.append([what, risk, "yes" if met else "no"])

    try:
        yield learn
    except KeyboardInterrupt:
        if tries:
            heads = [Head("tried"), Head("risk, upper end", number=True)]
            heads.append(Head(f"{until} holds"))
            title = "Tried so far; none is released"
            print_table(shared.console(), title, heads, tries)
        raise
