"""Measures as rows of a table: the value, what it was before protection, how to read it."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.assess.assessment import Failure
from tacit.base.measure import Measure
from tacit.report.content import Row
from tacit.report.words import NONE, number, percent, title

ALL_COLUMNS = "Information loss, all columns"
NUMBERS = "Information loss (IL): mean of IL1 to IL5"


def measure_rows(
    results: Mapping[str, Measure | Failure],
    before: Mapping[str, float] | None = None,
) -> list[Row]:
    """One row per measure; those without a value come last, with the reason.

    Parameters
    ----------
    results : mapping
        Measures by name.
    before : mapping of float, optional
        Their values for the file as it is.
    """
    rows: list[Row] = []
    for name, result in results.items():
        if isinstance(result, Measure) and "nominal columns" in result.details:
            rows += _loss_apart(result)
        else:
            rows.append(_row(title(name), result, (before or {}).get(name)))
    return sorted(rows, key=lambda row: bool(row["absent"]))


def written(value: float, measure: Measure) -> str:
    """A share as percent, any other value as a number."""
    low, high = measure.range
    return percent(value) if (low, high) == (0, 1) else number(value)


def _row(name: str, result: Measure | Failure, before: float | None = None) -> Row:
    # until it is known to have run
    value, absent, was = NONE, True, NONE
    if isinstance(result, Failure):
        reading = f"Did not run: {result.reason}"
    elif result.value != result.value:
        # NaN: the measure does not apply to this file, and says why
        why = result.details.get("not computed", "no value")
        reading = f"Not computed: {why}"
    else:
        value, absent = written(float(result.value), result), False
        reading = _reading(result)
        was = NONE if before is None else written(before, result)
    return {
        "title": name,
        "value": value,
        "before": was,
        "reading": reading,
        "absent": absent,
        # what a table is sorted by; the text has signs and units
        "order": None if absent or isinstance(result, Failure) else float(result.value),
    }


def _reading(measure: Measure) -> str:
    """How to read a value: its ends, what zero means and what more of it means."""
    low, high = (float(end) for end in measure.range)
    meaning = f"0: {measure.zero.rstrip('.')}. Higher: {measure.higher.rstrip('.')}."
    # a percentage has its ends in the sign
    if (low, high) == (0, 1):
        return meaning
    return f"From {number(low)} to {number(high)}. {meaning}"


def _loss_apart(measure: Measure) -> list[Row]:
    """IL over numbers and categories, and the mean of IL1 to IL5 that is its part.

    The published IL is the mean of the five, which see numbers only. A figure of that name beside
    them must be their mean; the one over all columns has a name that says so.
    """
    nominal = measure.details["nominal columns"]
    categories = sum(nominal.values()) / len(nominal)
    made = f"{number(categories)} for {_each(len(nominal))} of categories"
    made += " (half the changed cells, half the moved shares)"
    row = dict(_row(ALL_COLUMNS, measure))
    if "numbers" not in measure.details:
        return [{**row, "reading": f"Mean over columns: {made}."}]
    of_numbers = float(measure.details["numbers"])
    names = measure.details["columns"]
    numbers = f"{number(of_numbers)} for {_each(len(names))} of numbers"
    part = Measure("IL", of_numbers, measure.range, measure.zero, measure.higher)
    reading = "Of columns of numbers only, as IL1 to IL5 are."
    return [
        {**row, "reading": f"Mean over columns: {numbers}, {made}."},
        {**_row(NUMBERS, part), "reading": reading},
    ]


def _each(columns: int) -> str:
    """So many columns in words, one of them without a plural."""
    return "the one column" if columns == 1 else f"each of {columns} columns"
