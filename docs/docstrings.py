"""griffe extension of the API pages: examples are code, and brackets in prose are not links.

A docstring is written for people who read the source. Two things in it mean something else in
Markdown: an example (``>>>``) outside of an Examples section would be set as text, and ``m[k][l]``
would be taken for a link.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLES = re.compile(r"^Examples\n-{8}$", re.MULTILINE)
_CODE = re.compile(r"(`+[^`]*`+)")


class Plain(griffe.Extension):
    """Changes docstrings as they are read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """The docstring, such that Markdown shows what was written.

    >>> as_markdown("Share m[k][l].")
    'Share m[k]\\\\[l].'
    """
    found = _EXAMPLES.search(text)
    # the parser of numpydoc sections knows what an Examples section is
    before, after = (
        (text[: found.start()], text[found.start() :]) if found else (text, "")
    )
    parts = [_paragraph(part) for part in before.split("\n\n")]
    return "\n\n".join(parts) + after


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{text.strip()}\n```"
    pieces = _CODE.split(text)
    prose = [piece.replace("][", "]\\[") for piece in pieces[::2]]
    return "".join(
        piece + (pieces[2 * i + 1] if 2 * i + 1 < len(pieces) else "")
        for i, piece in enumerate(prose)
    )
