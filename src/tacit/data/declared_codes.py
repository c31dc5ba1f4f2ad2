"""Missing codes that somebody declares: ``{"income": [-8], "*": [-9]}``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import ParameterError
from tacit.data.missing import Missing
from tacit.data.schema import Schema

EVERY = "*"
"""Every column that holds one of the codes."""


def declared(
    schema: Schema, codes: object, values_of: Callable[[str], pa.ChunkedArray]
) -> Schema:
    """The schema with codes as they were declared.

    Parameters
    ----------
    schema : Schema
        What is known of the columns.
    codes : dict of list
        By column, codes and ranges [low, high] as in a schema file; None: nothing is declared.
    values_of : function
        The values of a column.
    """
    if codes is None:
        return schema
    if not isinstance(codes, Mapping):
        raise ParameterError(
            f"missing={codes!r} must name codes by column, such as {{'income': [-8, -9]}}"
        )
    for name, listed in codes.items():
        missing = coded(str(name), listed)
        if name != EVERY:
            # an unknown column is an error that names those of the file
            schema = schema.put(schema[name].with_codes(missing))
    if EVERY not in codes:
        return schema
    for column in schema:
        known = column.missing
        every = coded(EVERY, codes[EVERY])
        if column.no_codes or not every or column.name in codes:
            continue
        if pc.any(every.found(values_of(column.name))).as_py():
            both = Missing(
                tuple(dict.fromkeys((*known.codes, *every.codes))),
                tuple(dict.fromkeys((*known.ranges, *every.ranges))),
                known.suppressed,
            )
            schema = schema.put(column.with_codes(both))
    return schema


def coded(name: str, listed: object) -> Missing:
    """The codes of a column, as they are listed in a schema file."""
    try:
        return Missing.from_entry({"missing": listed})
    except ValueError as error:
        raise ParameterError(f"missing codes of '{name}': {error}") from None


def parsed(texts: list[str]) -> dict[str, list[object]]:
    """The codes of a command line.

    >>> parsed(["income=-8,-7", "*=-9", "age=97..99", "sex="])
    {'income': [-8, -7], '*': [-9], 'age': [[97, 99]], 'sex': []}
    """
    out: dict[str, list[object]] = {}
    for text in texts:
        name, equals, codes = text.rpartition("=")
        if not equals or not name.strip():
            raise ParameterError(
                f"--missing {text}: write column=codes, such as income=-8,-9 or '*=-8'"
            )
        out.setdefault(name.strip(), []).extend(
            _code(code.strip()) for code in codes.split(",") if code.strip()
        )
    return out


def _code(text: str) -> object:
    low, dots, high = text.partition("..")
    if dots and low and high:
        return [_number(low), _number(high)]
    return _number(text)


def _number(text: str) -> int | float | str:
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        # nan and inf are words of a file, and no numbers
        return number if math.isfinite(number) else text
    return text
