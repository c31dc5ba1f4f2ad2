"""TOML as it is read: whatever is wrong with a text is one kind of error."""

from __future__ import annotations

import tomllib
from typing import Any

Problem = tomllib.TOMLDecodeError


def loads(text: str) -> dict[str, Any]:
    """What a text of TOML says; ``Problem`` if it is none, or one that nobody writes.

    >>> loads("k = 3")
    {'k': 3}
    >>> loads("k = " + "[" * 9999)
    Traceback (most recent call last):
    ...
    tomllib.TOMLDecodeError: it is nested too deeply
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Problem("it is nested too deeply") from None
    except Problem:
        raise
    except ValueError:
        # the only other one: Python makes no whole numbers of more than 4,300 figures
        raise Problem("a number has too many figures") from None
