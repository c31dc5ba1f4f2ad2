"""Numbers in a text file that no double holds: the column stays text, so that none is changed.

A double keeps about 16 digits and ends at 1.8e308. Two account numbers of 20 digits become one, and
1e400 becomes infinite. The bytes are looked at first, since hardly any file has such a number:
sixteen figures in a row, or an exponent of three.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.errors import TacitWarning, some
from tacit.base.typing import Bools
from tacit.data.exact import loses

_BLOCK = 1 << 22
# a number that begins in one block may end in the next
_OVERLAP = 64
# encodings whose figures are bytes of their own
_BY_BYTES = {"utf8", "utf-8", "cp1252", "latin-1", "iso-8859-1", "ascii"}


def may_be_in(path: Path, decimal: str, encoding: str) -> bool:
    """Could a number of the file be longer than a double? False is certain."""
    if encoding.lower() not in _BY_BYTES:
        return True
    with path.open("rb") as file:
        end = b""
        while block := file.read(_BLOCK):
            if _suspicious(end + block, decimal):
                return True
            end = block[-_OVERLAP:]
    return False


def _suspicious(content: bytes, decimal: str) -> bool:
    signs = np.frombuffer(content, np.uint8)
    figure = (signs >= ord("0")) & (signs <= ord("9"))
    # a run of 2 n is a run of n followed by another
    run: Bools = figure | (signs == ord(decimal))
    for step in (1, 2, 4, 8):
        run = run[:-step] & run[step:]
    if run.any():
        return True
    power = np.flatnonzero((signs[:-4] | 32) == ord("e"))
    power = power[figure[power + 2] & figure[power + 3]]
    # 400, +400 or -400
    return bool((figure[power + 1] | figure[power + 4]).any())


def tell(path: Path, names: Iterable[str]) -> None:
    """Say which columns stay text."""
    long = list(names)
    if not long:
        return
    warnings.warn(
        f"{path}: numbers with more digits than arithmetic keeps (16) are read as text, so that "
        f"none is changed: {some(long)} (--continuous rounds them)",
        TacitWarning,
        stacklevel=2,
    )


def with_texts(
    table: pa.Table, texts: pa.Table, decimal: str
) -> tuple[pa.Table, list[str]]:
    """The table with those of these texts in place of their numbers that would change."""
    long = [name for name in texts.column_names if loses(texts.column(name), decimal)]
    for name in long:
        place = table.column_names.index(name)
        table = table.set_column(place, name, texts.column(name))
    return table, long
