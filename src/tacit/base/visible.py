"""Names and values as they may be shown: no letter of theirs steers a terminal or hides another.

A column may be called ``\\x1b]52;c;...``, which sets the clipboard of whoever looks at the table.
What steers (C0 and C1), turns the direction of writing, or ends a line elsewhere than people see,
is shown as a replacement mark; line ends and tabs stay.
"""

from __future__ import annotations

import re

MARK = "\ufffd"
_STEERS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line end, delete, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u2028\u2029"  # line and paragraph ends
)
_UNSEEN = re.compile(f"[{_STEERS}]")
# a colour that a program chose for its own words
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


def visible(text: str) -> str:
    """The text with a replacement mark for each letter that is none.

    >>> visible("a\\x1b[2Jb") == "a\ufffd[2Jb"
    True
    """
    return _UNSEEN.sub(MARK, text)


def visible_but_colours(text: str) -> str:
    """As ``visible``, but colours stay: for the words of a library that shows them."""
    if "\x1b" not in text:
        return visible(text)
    parts = _COLOUR.split(text)
    return "".join(part if i % 2 else visible(part) for i, part in enumerate(parts))


def escaped(json: str) -> str:
    """JSON in which these letters stand as their numbers, so that nothing of it is lost.

    >>> escaped('["a\x9b"]')
    '["a\\\\u009b"]'
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
