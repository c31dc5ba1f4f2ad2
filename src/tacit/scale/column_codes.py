"""Columns of an Arrow table as numbers that a partition can halve: values, or places of categories.

Categories have no order of their own (the ESSnet report leaves categorical columns open). Here
they get one: by the mean place of their records in the numeric columns' ranges, so that halving
separates categories whose records differ; ties, and files without numeric columns, by frequency
and then by name. The order comes from exact integer sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import ColumnError, InputError, ParameterError, choices
from tacit.base.typing import Floats

# the category of missing values; text of a file does not begin with a zero byte
MISSING = "\0missing"


def is_numeric(kind: pa.DataType) -> bool:
    """Whole, floating or decimal numbers."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def check_columns(
    schema: pa.Schema,
    names: Sequence[str],
    source: str,
) -> None:
    """Refuse no columns, unknown columns and columns that are named twice."""
    if not names:
        raise ColumnError(
            "there is no column to work on; name some (--quasi, or columns=[...])"
        )
    for name in names:
        if name not in schema.names:
            near = choices(name, schema.names)
            raise ColumnError(f"{source}: there is no column '{name}'; {near}")
    if len(set(names)) < len(names):
        raise ParameterError("a column is named twice")


def number_column(
    table: pa.Table | pa.RecordBatch,
    name: str,
) -> Floats:
    """One numeric column as float64; missing values are NaN."""
    # whole numbers of more than 15 digits become the nearest number that there is
    column = pc.cast(table.column(name), pa.float64(), safe=False)
    return np.asarray(column, dtype=np.float64)


def complete_column(
    table: pa.Table | pa.RecordBatch,
    name: str,
) -> Floats:
    """One numeric column as float64, for work that cannot do with missing values."""
    numbers = number_column(table, name)
    if np.isnan(numbers).any():
        raise InputError(
            f"column '{name}' has missing values; "
            "fill them or leave those records out before linkage"
        )
    return numbers


def keys_of(
    table: pa.Table | pa.RecordBatch,
    name: str,
) -> pa.Array:
    """A categorical column as text keys; missing values are a category of their own."""
    column = table.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not pa.types.is_string(column.type):
        column = pc.cast(column, pa.string())
    return pc.fill_null(column, MISSING)


@dataclass(frozen=True)
class Coding:
    """How columns become numbers.

    ``places``: category -> place, for categorical columns; ``fill``: where missing values of
    numeric columns sit (the column's mean).
    """

    names: tuple[str, ...]
    places: dict[str, dict[str, int]]
    fill: dict[str, float]

    def numbers(self, table: pa.Table | pa.RecordBatch) -> Floats:
        """(rows, d) float64."""
        out = np.empty((table.num_rows, len(self.names)))
        for j, name in enumerate(self.names):
            if name in self.places:
                out[:, j] = self._places(table, name)
            else:
                values = number_column(table, name)
                missing = np.isnan(values)
                out[:, j] = np.where(missing, self.fill[name], values)
        return out

    def _places(
        self,
        table: pa.Table | pa.RecordBatch,
        name: str,
    ) -> Floats:
        coded = pc.dictionary_encode(keys_of(table, name))
        places = self.places[name]
        # a category that the fitted file did not have goes to the middle
        middle = len(places) // 2
        categories = coded.dictionary.to_pylist()
        place = [places.get(key, middle) for key in categories]
        lookup = np.array(place, dtype=np.float64)
        if not len(lookup):
            return np.zeros(0)
        places_of_rows: Floats = lookup[np.asarray(coded.indices)]
        return places_of_rows


def order_categories(
    counts: Mapping[str, int],
    sums: Mapping[str, int],
) -> dict[str, int]:
    """Places of the categories of one column.

    ``sums``: sum of the numeric codes of a category's records.
    """

    def rank(key: str) -> tuple[Fraction, int, str]:
        # a fraction, not a float: equal means stay equal however they came about
        mean = Fraction(sums.get(key, 0), counts[key])
        return mean, -counts[key], key

    return {key: place for place, key in enumerate(sorted(counts, key=rank))}
