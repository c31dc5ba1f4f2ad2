"""Columns as they were declared: numbers by their bounds, categories by their list.

What a file's values happen to be (how many are distinct, whether all are whole, which categories
occur) must choose nothing about a private release, or the choice tells of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError, ParameterError
from tacit.base.typing import Floats
from tacit.data.category_codes import decode_numbers
from tacit.data.frames import Frame
from tacit.data.io.disk_table import SpilledColumns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Kind, Microdata, Role, Schema
from tacit.data.schema import Category


def by_declaration(
    schema: Schema,
    numeric: Sequence[str],
    categories: Mapping[str, Sequence[Category]],
) -> Schema:
    """The schema in which declared columns have the kind that was declared, and stay.

    Kinds are inferred from how many values are distinct, and so is the role of an identifier.
    """
    for column in schema:
        if column.name in numeric:
            kind, known = Kind.continuous, None
        elif column.name in categories:
            ordered = column.scale is Kind.ordinal
            kind = Kind.ordinal if ordered else Kind.nominal
            known = tuple(categories[column.name]) if ordered else None
        else:
            continue
        role = Role.quasi if column.role is Role.identifier else column.role
        declared = Column(column.name, kind, role, known, "declared")
        schema = schema.put(declared)
    return schema


def check_categories(
    categories: Mapping[str, Sequence[Category]],
    who: str,
) -> None:
    """Two or more, all different, of one type."""
    for name, known in categories.items():
        if len(known) < 2 or len(set(known)) < len(known):
            raise ParameterError(
                f"{who}: column '{name}' needs at least two categories, each named once"
            )
        try:
            pa.array(list(known))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise ParameterError(
                f"{who}: the categories of '{name}' must be of one type"
            ) from None


def codes_of(
    data: Microdata,
    name: str,
    known: Sequence[Category],
    *,
    gaps: bool = False,
    first: int = 0,
) -> Floats:
    """The values of a column as places in the declared list; any other value is refused.

    Missing values are refused as well, or NaN with ``gaps``. The records begin at row ``first``
    of the file.
    """
    place = {value: code for code, value in enumerate(known)}
    # a plan file declares as text what the data hold as numbers or dates
    by_text = {str(value): code for code, value in enumerate(known)}
    values = data.table.column(name)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    # few values are distinct: each is looked for once
    words = values.combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(words, pa.ChunkedArray):
        words = words.combine_chunks()
    distinct = words.dictionary.to_pylist()
    # NaN differs from itself
    blank = np.array([value is None or value != value for value in distinct], bool)
    found = [place.get(value, by_text.get(str(value))) for value in distinct]
    strange = np.array([code is None for code in found], bool) & ~blank
    wrong = strange if gaps else strange | blank
    code_of_row = words.indices.to_numpy(zero_copy_only=False)
    if wrong.any():
        row = int(np.argmax(wrong[code_of_row]))
        if blank[code_of_row[row]]:
            raise InputError(missing(name))
        raise InputError(
            f"column '{name}', row {first + row + 1}: the value "
            f"{distinct[code_of_row[row]]!r} is not among the declared categories"
        )
    codes = np.array([np.nan if code is None else code for code in found], float)
    codes[blank] = np.nan
    return np.asarray(codes[code_of_row]) if len(codes) else np.empty(0)


def missing(name: str) -> str:
    """Why a column with gaps is refused."""
    return (
        f"column '{name}' has missing values, "
        "and where they are would be released without noise; fill or drop them first"
    )


def released(
    data: Microdata,
    columns: Mapping[str, pa.Array],
    *,
    labels: bool = True,
) -> Microdata:
    """The records with these columns in place, of these types whatever the file's own were.

    A frame's own type tells of its values (a number with decimals makes a column real, a
    categorical lists what occurs). Without ``labels`` the index of a pandas frame is left
    behind as well.
    """
    schema = data.schema
    for name, array in columns.items():
        kind = schema[name].scale
        data = data.with_column(name, array, kind=kind)
    # with_column forgets the order of ordinal categories
    data = data.with_schema(schema.select(data.names))
    native = data._native
    frame = _in_place(native.frame, native.flavour, native.labels, columns)
    if native.flavour == "pandas" and not labels:
        frame = frame.reset_index(drop=True)
    return data._made(data.table, data.schema, replace(native, frame=frame))


def released_on_disk(
    data: OnDisk, columns: Sequence[str], written: SpilledColumns
) -> OnDisk:
    """The same of a file on the disk, whose new columns are in these files."""
    made = data.with_spilled(columns, written, data.schema)
    native = made._native
    frame, of_written = native.frame, written.schema
    for name in columns:
        place = frame.column_names.index(name)
        frame = frame.replaced(place, of_written.field(name), written)
    return OnDisk(made.disk, made.schema, replace(native, frame=frame))


def _in_place(
    frame: Frame,
    flavour: str,
    labels: Mapping[str, object],
    columns: Mapping[str, pa.Array],
) -> Frame:
    """The user's frame with these columns, so that giving it back casts nothing to old types."""
    if flavour == "pandas":
        frame = frame.copy()
        for name, array in columns.items():
            series = array.to_pandas()
            series.index = frame.index
            frame[labels[name]] = series
    elif flavour == "polars":
        import polars as pl

        series = [pl.Series(name, pl.from_arrow(a)) for name, a in columns.items()]
        frame = frame.with_columns(series)
    elif flavour == "pyarrow":
        for name, array in columns.items():
            place = frame.column_names.index(name)
            frame = frame.set_column(place, pa.field(name, array.type), array)
    return frame


def numbers(values: Floats, *, whole: bool) -> pa.Array:
    """Real numbers, or rounded to whole ones where the column was declared to hold them."""
    return decode_numbers(values, pa.int64() if whole else pa.float64())


def categories(codes: Floats, known: Sequence[Category]) -> pa.Array:
    """The declared categories at these codes."""
    last = len(known) - 1
    nearest = np.clip(np.rint(codes), 0, last).astype(np.int64)
    words = pa.array(list(known))
    return words.take(pa.array(nearest))
