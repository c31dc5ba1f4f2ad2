"""Text that a spreadsheet would run as a formula, made harmless in CSV and restored on reading.

Who opens a CSV file in a spreadsheet runs its cells that begin with ``=``, ``@`` or a sign. An
apostrophe in front makes them text:

    safe(x)  = 'x  if x is like a formula, else x
    plain(y) = z   if y = 'z and z is like a formula, else y

Text that begins with apostrophes and then like a formula counts as like a formula, too, so that
plain(safe(x)) = x for every text x.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

# blanks are spelled out: Arrow and Python mean other ones by \s
_BLANK = r" \t\r\n\x0b\x0c"
# what makes a spreadsheet take text for a formula: a tab or a line break before it does not stop
# it, and some take wide signs (East Asian keyboards); a sign before a number, or alone, is none
_START = (
    r"^'*(?:[=@\t\r\n＝＋－＠]"
    rf"|[+\-][^0-9.,{_BLANK}]"
    rf"|[+\-][0-9.,{_BLANK}]+[^0-9.,{_BLANK}])"
)
# numbers, with an exponent too
_NUMBER = r"[+\-][0-9.,]+(?:[eE][+\-]?[0-9]+)?"


def is_formula(text: str) -> bool:
    """Would a spreadsheet run this text?

    >>> is_formula("=1+1"), is_formula("-5"), is_formula("-1.5e3"), is_formula("-a")
    (True, False, False, True)
    """
    starts = re.match(_START, text)
    number = re.fullmatch(_NUMBER, text)
    return starts is not None and number is None


def safe(text: str) -> str:
    """The text as a cell or name of a CSV file.

    >>> safe("=1+1"), safe("'=1+1"), safe("O'Neill")
    ("'=1+1", "''=1+1", "O'Neill")
    """
    return f"'{text}" if is_formula(text) else text


def plain(text: str) -> str:
    """The text that a cell or name of a CSV file stands for.

    >>> plain("'=1+1"), plain("''=1+1"), plain("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    rest = text[1:]
    if text.startswith("'") and is_formula(rest):
        return rest
    return text


def safe_table(table: pa.Table) -> pa.Table:
    """The table as it is written to a CSV file, names too."""
    for place, name in enumerate(table.column_names):
        column = _texts(table.column(place))
        if column is None:
            continue
        risky = _like_formulas(column)
        if pc.any(risky).as_py():
            apostrophe, between = (
                pa.scalar("'", column.type),
                pa.scalar("", column.type),
            )
            quoted = pc.binary_join_element_wise(apostrophe, column, between)
            table = table.set_column(place, name, pc.if_else(risky, quoted, column))
    return _named(table, [safe(name) for name in table.column_names])


def plain_table(table: pa.Table) -> pa.Table:
    """The table that a CSV file stands for, names too."""
    for place, name in enumerate(table.column_names):
        column = _texts(table.column(place))
        if column is None:
            continue
        begins = pc.starts_with(column, "'")
        if not pc.any(begins).as_py():
            continue
        rest = pc.utf8_slice_codeunits(column, 1)
        quoted = pc.and_(begins, _like_formulas(rest))
        plainly = pc.if_else(quoted, rest, column)
        table = table.set_column(place, name, plainly)
    return _named(table, [plain(name) for name in table.column_names])


def _named(table: pa.Table, names: list[str]) -> pa.Table:
    renamed = table.rename_columns(names)
    # Arrow forgets the notes of a table that it renames
    return renamed.replace_schema_metadata(table.schema.metadata)


def count(table: pa.Table) -> int:
    """How many cells of text a spreadsheet would run."""
    total = 0
    for column in table.columns:
        texts = _texts(column)
        if texts is not None:
            found = pc.sum(_like_formulas(texts))
            # the sum over a column without any value is null
            total += found.as_py() or 0
    return total


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """A column of text, or None."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return column if is_text else None


def _like_formulas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """For each cell what ``is_formula`` says; gaps are gaps."""
    starts = pc.match_substring_regex(column, _START)
    number = pc.match_substring_regex(column, f"^(?:{_NUMBER})$")
    return pc.and_not(starts, number)
