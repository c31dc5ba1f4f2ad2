"""Missing codes that a format cannot declare: the release holds them, and its reader must know."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tacit.data.column import Column
from tacit.data.missing import Code

DECLARES = frozenset({".sav", ".zsav", ".parquet", ".pq", ".arrow", ".feather", ".ipc"})
"""Formats that say which values stand for a missing one."""
LETTERS = frozenset({".dta", ".xpt"})
"""Formats that say so of .a to .z only."""


def undeclared(columns: Iterable[Column], path: Path) -> str:
    """What a reader of the file must be told, as options of the command line; '' if nothing.

    Parameters
    ----------
    columns : Schema or columns
        Those of the release.
    path : path
        The file that is written; its ending says the format.

    Examples
    --------
    >>> from tacit.data.missing import Missing
    >>> from tacit.data.column import Column, Kind, Role
    >>> income = Column("income", Kind.continuous, Role.quasi, missing=Missing((-8, -9)))
    >>> undeclared([income], Path("release.dta"))
    "--missing 'income=-8,-9'"
    >>> undeclared([income], Path("release.sav"))
    ''
    """
    ending = path.suffix.lower()
    if ending in DECLARES:
        return ""
    options = []
    for column in columns:
        codes = [
            str(code)
            for code in column.missing.codes
            if not (ending in LETTERS and _is_letter(code))
        ]
        codes += [f"{low}..{high}" for low, high in column.missing.ranges]
        if codes:
            options.append(f"--missing '{column.name}={','.join(codes)}'")
    return " ".join(options)


def _is_letter(code: Code) -> bool:
    return isinstance(code, str) and re.fullmatch(r"\.[a-zA-Z]", code) is not None
