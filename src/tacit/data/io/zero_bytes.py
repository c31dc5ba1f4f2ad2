"""Zero bytes in text, which CSV, Stata, SPSS and SAS files cannot hold."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError

ZERO = "\0"


def refuse(table: pa.Table) -> None:
    """Refuse a table with a zero byte in a name or a text.

    A text ends there for the library that writes Stata, SPSS and SAS files, and a CSV file with
    one is taken for a file of another kind: what was written would not read back.
    """
    for position, name in enumerate(table.column_names):
        if ZERO in name:
            raise InputError(
                f"column {position + 1}: its name holds a zero byte, which this format cannot "
                "hold; rename it, or write Parquet"
            )
        row = _first(table.column(position))
        if row is not None:
            raise InputError(
                f"column '{name}', row {row + 1}: the text holds a zero byte, which this format "
                "cannot hold; take it out, or write Parquet"
            )


def _first(column: pa.ChunkedArray) -> int | None:
    """The first record of a column whose text holds a zero byte."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    found = pc.match_substring(column, ZERO)
    # looking for a Python value imports pandas, which nobody needs where there is none
    if not pc.any(found).as_py():
        return None
    return int(pc.index(found, True).as_py())
