"""Hierarchies in files: tables as ARX writes them, rules as TOML, a folder of both."""

from __future__ import annotations

import csv
import io as text_io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacit.base import toml_text
from tacit.base.errors import InputError
from tacit.data.hierarchies.table import Row, Table, digest
from tacit.data.io import replacing

SEPARATORS = (";", ",", "\t")
"""What may stand between the fields of a table; ARX writes the first."""
RULES = "hierarchies.toml"
"""The file of a folder that holds rules, one table for each column."""


def read_table(path: Path) -> tuple[Row, ...]:
    """The rows of a table: ``value;level 1;level 2;...``, without a heading, as ARX has it."""
    try:
        # spreadsheets write a byte order mark, which would become part of the first value
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return rows_of(text, str(path))


def rows_of(text: str, source: str) -> tuple[Row, ...]:
    """The rows of a table that is given as text; errors name where it comes from."""
    first = text.partition("\n")[0]
    # labels may hold commas, as '[40, 45)' does; of equally frequent ones ARX's own is first
    separator = max(SEPARATORS, key=first.count)
    try:
        reader = csv.reader(text_io.StringIO(text), delimiter=separator, strict=True)
        rows = tuple(tuple(row) for row in reader if row)
    except csv.Error as error:
        raise InputError(f"{source}: not a table of a hierarchy ({error})") from None
    if not rows:
        raise InputError(f"{source}: the hierarchy is empty")
    return rows


def write_table(
    rows: Iterable[Row],
    path: Path,
    *,
    force: bool = False,
) -> None:
    """Write rows as ARX reads them."""
    with replacing(path, force=force) as temporary:
        temporary.write_text(text_of(rows), encoding="utf-8")


def text_of(rows: Iterable[Row]) -> str:
    """Rows as text that ARX reads."""
    text = text_io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerows(rows)
    return text.getvalue()


def read_folder(folder: Path) -> dict[str, dict[str, Any]]:
    """The hierarchies of a folder by column, as a plan holds them.

    ``icd.csv`` is the table of the column icd; ``hierarchies.toml`` holds rules, such as
    ``[postcode]`` with ``prefix = [3, 2]``.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder of hierarchies")
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.csv")):
        # a plan may be run from another folder
        where = str(path.resolve())
        # what the plan was made with stays what it is applied with
        table = Table(file=where, sha256=digest(read_table(path)))
        found[path.stem] = table.entry()
    rules = folder / RULES
    if rules.exists():
        found |= _rules(rules, found)
    if not found:
        raise InputError(
            f"{folder}: there are no hierarchies here; name tables after their columns "
            f"(icd.csv), and write rules to {RULES}"
        )
    return found


def _rules(
    path: Path,
    tables: dict[str, dict[str, Any]],
) -> dict[str, dict[str, Any]]:
    try:
        rules = toml_text.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, toml_text.Problem) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    for column, entry in rules.items():
        if not isinstance(entry, dict):
            raise InputError(
                f"{path}: '{column}' is no table; write [{column}] and its rule below"
            )
        # neither may win without a word
        if column in tables:
            raise InputError(
                f"{path}: '{column}' has a rule here and a table beside it; keep one"
            )
    return rules
