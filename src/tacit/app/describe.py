"""What a file holds, for the pages that show it: columns with their guessed roles, shapes, first records."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.report.charts import sparkline
from tacit.report.words import number

HEAD = 12


def describe(data: Any) -> dict[str, Any]:
    table = data.table
    columns = [_column(column, table.column(column.name)) for column in data.schema]
    head = table.slice(0, HEAD).to_pylist()
    return {
        "records": data.n,
        "columns": columns,
        "missing": sum(c["missing"] for c in columns),
        "head": [["" if row[c["name"]] is None else str(row[c["name"]]) for c in columns] for row in head],
        "steps": _first_steps(data),
    }


def _first_steps(data: Any) -> list[dict[str, Any]]:
    """A plan to begin with: microaggregation, which keeps groups of k, when all that is protected is continuous."""
    from tacit.protect import registry

    kinds = {str(data.schema[name].kind) for name in data.quasi}
    if kinds and "microaggregation" in registry:
        able = {str(k) for k in registry["microaggregation"].kinds}
        if kinds <= able:
            return [
                {"method": "microaggregation", "parameters": {}, "seed": 1 if _random("microaggregation") else None}
            ]
    return []


def _random(method: str) -> bool:
    import inspect

    from tacit.protect import registry

    return "random_state" in inspect.signature(registry[method]).parameters


def _column(column: Any, values: pa.ChunkedArray) -> dict[str, Any]:
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    distinct = int(pc.count_distinct(values, mode="only_valid").as_py())
    heights, words = _shape(values)
    return {
        "name": column.name,
        "kind": str(column.kind),
        "role": str(column.role),
        "why": column.why,
        "missing": int(values.null_count),
        "distinct": distinct,
        "spark": str(sparkline(heights, title=f"Distribution of {column.name}")),
        "range": words,
    }


def _shape(values: pa.ChunkedArray) -> tuple[list[float], str]:
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        numbers = values.drop_null().to_numpy().astype(float)
        numbers = numbers[np.isfinite(numbers)]
        if not numbers.size:
            return [], "no values"
        low, high = np.quantile(numbers, [0.005, 0.995])
        heights = np.histogram(numbers, 24, (low, high) if high > low else None)[0].astype(float)
        return heights.tolist(), f"{number(float(numbers.min()))} to {number(float(numbers.max()))}"
    counted = pc.value_counts(values.drop_null())
    pairs = sorted(((c["counts"].as_py(), str(c["values"].as_py())) for c in counted), reverse=True)[:24]
    shown = ", ".join(_short(text) for _, text in pairs[:3])
    return [float(c) for c, _ in pairs], shown + (", …" if len(pairs) > 3 else "")


def _short(text: str) -> str:
    return text if len(text) <= 16 else text[:15] + "…"


FORMULA = re.compile(r"^[=+\-@\t\r]")


def formulas(table: pa.Table) -> int:
    """How many text cells a spreadsheet would take for a formula."""
    total = 0
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            total += int(pc.sum(pc.match_substring_regex(column, FORMULA.pattern)).as_py() or 0)
    return total
