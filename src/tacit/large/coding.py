"""Columns of an Arrow table as numbers that a partition can halve: values, or places of categories.

Categories have no order of their own (the report leaves categorical columns open). Here they get one: by the mean place
of their records in the numeric columns' ranges, so that halving separates categories whose records differ; ties, and
files without numeric columns, by frequency and then by name. The order comes from exact integer sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacit.errors import ColumnError, InputError, ParameterError, choices

Floats = NDArray[np.float64]


def is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def check_columns(schema: pa.Schema, names: Sequence[str], source: str) -> None:
    if not names:
        raise ColumnError("there is no column to work on; name some (--quasi, or columns=[...])")
    for name in names:
        if name not in schema.names:
            raise ColumnError(f"{source}: there is no column '{name}'; {choices(name, schema.names)}")
    if len(set(names)) < len(names):
        raise ParameterError("a column is named twice")


def number_column(table: pa.Table | pa.RecordBatch, name: str) -> Floats:
    """One numeric column as float64; missing values are NaN."""
    out: Floats = np.asarray(pc.cast(table.column(name), pa.float64()), dtype=np.float64)
    return out


def complete_column(table: pa.Table | pa.RecordBatch, name: str) -> Floats:
    """One numeric column as float64, for work that cannot do with missing values."""
    out = number_column(table, name)
    if np.isnan(out).any():
        raise InputError(f"column '{name}' has missing values; fill them or leave those records out before linkage")
    return out


def keys_of(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array:
    """A categorical column as text keys; missing values are a category of their own."""
    column = table.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not pa.types.is_string(column.type):
        column = pc.cast(column, pa.string())
    return pc.fill_null(column, MISSING)


MISSING = "\0missing"


@dataclass(frozen=True)
class Coding:
    """How columns become numbers; ``places``: category -> place, for categorical columns; ``fill``: where missing
    values of numeric columns sit (the column's mean)."""

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
                out[:, j] = np.where(np.isnan(values), self.fill[name], values)
        return out

    def _places(self, table: pa.Table | pa.RecordBatch, name: str) -> NDArray[Any]:
        coded = pc.dictionary_encode(keys_of(table, name))
        known = self.places[name]
        # a category that the fitted file did not have goes to the middle
        lookup = np.array([known.get(key, len(known) // 2) for key in coded.dictionary.to_pylist()], dtype=np.float64)
        return lookup[np.asarray(coded.indices)] if len(lookup) else np.zeros(0)


def order_categories(counts: dict[str, int], sums: dict[str, int]) -> dict[str, int]:
    """Places of the categories of one column; ``sums``: sum of the numeric codes of a category's records."""
    ranked = sorted(counts, key=lambda key: (Fraction(sums.get(key, 0), counts[key]), -counts[key], key))
    return {key: place for place, key in enumerate(ranked)}
