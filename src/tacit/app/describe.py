"""What a file holds, for the pages that show it: columns with guessed roles, shapes, first rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.app.messages import ColumnView, FileView, StepValues
from tacit.data.column import said_codes
from tacit.data.microdata import Microdata
from tacit.data.schema import Column
from tacit.protect import registry
from tacit.report.charts import sparkline
from tacit.report.words import number

# Rows of the table on the data page: enough to recognise the file without scrolling.
HEAD = 12
# Bars of the small drawing of a column, and most categories that it shows.
BARS = 24
# The drawing leaves out half a percent at each end: one outlier would flatten all other bars.
CORE = (0.005, 0.995)
# Categories named beside the drawing, and how many letters of each.
NAMED, LETTERS = 3, 16


def describe(data: Microdata) -> FileView:
    """The columns, the first records, and a plan to begin with."""
    columns = [
        _column(column, place, data.table.column(column.name))
        for place, column in enumerate(data.schema)
    ]
    names = [column["name"] for column in columns]
    first_rows = data.table.slice(0, HEAD).to_pylist()
    return {
        "records": data.n,
        "columns": columns,
        "missing": sum(column["missing"] for column in columns),
        "head": [[_cell(row[name]) for name in names] for row in first_rows],
        "steps": _first_steps(data),
    }


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _first_steps(data: Microdata) -> list[StepValues]:
    """A plan to begin with: microaggregation, which keeps groups of k, where it can do the job."""
    kinds = {str(data.schema[name].scale) for name in data.quasi}
    if not kinds or "microaggregation" not in registry:
        return []
    # It can when every protected column is of a kind that it takes; else the plan starts empty.
    able = {str(kind) for kind in registry["microaggregation"].kinds}
    if not kinds <= able:
        return []
    return [{"method": "microaggregation", "parameters": {}, "seed": None}]


def _column(column: Column, place: int, values: pa.ChunkedArray) -> ColumnView:
    values = _plain(values)
    distinct = pc.count_distinct(values, mode="only_valid").as_py()
    heights, words = _shape(values)
    drawing = sparkline(heights, title=f"Distribution of {column.name}")
    return {
        "name": column.name,
        "place": place,
        "kind": str(column.kind),
        "role": str(column.role),
        "why": column.why,
        "confidence": column.confidence,
        "ask": " ".join(column.questions),
        # where they are codes already, the column could not be read otherwise
        "suspects": "" if column.missing else said_codes(column.suspects),
        "missing": int(values.null_count),
        "distinct": int(distinct),
        "spark": str(drawing),
        "range": words,
        "numeric": _is_numeric(values),
    }


def _is_numeric(values: pa.ChunkedArray) -> bool:
    kind = values.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values instead of codes: Arrow's computations do not look through dictionaries."""
    if pa.types.is_dictionary(values.type):
        return values.cast(values.type.value_type)
    return values


def _shape(values: pa.ChunkedArray) -> tuple[list[float], str]:
    """Heights of the bars, and the range (or the commonest categories) in words."""
    if _is_numeric(values):
        return _shape_of_numbers(values)
    return _shape_of_categories(values)


def _shape_of_numbers(values: pa.ChunkedArray) -> tuple[list[float], str]:
    numbers = values.drop_null().to_numpy().astype(float)
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return [], "no values"
    low, high = np.quantile(numbers, CORE)
    # A column that is nearly constant has no core: then numpy chooses the range.
    limits = (low, high) if high > low else None
    heights, _ = np.histogram(numbers, BARS, limits)
    smallest = float(numbers.min())
    largest = float(numbers.max())
    return heights.astype(float).tolist(), f"{number(smallest)} to {number(largest)}"


def _shape_of_categories(values: pa.ChunkedArray) -> tuple[list[float], str]:
    counted = pc.value_counts(values.drop_null())
    pairs = [(row["counts"].as_py(), str(row["values"].as_py())) for row in counted]
    commonest = sorted(pairs, reverse=True)[:BARS]
    words = ", ".join(_short(text) for _, text in commonest[:NAMED])
    more = ", …" if len(commonest) > NAMED else ""
    return [float(count) for count, _ in commonest], words + more


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
