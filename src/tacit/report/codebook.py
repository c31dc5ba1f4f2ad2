"""The codebook of a release: what each column is, and what was done to it, fit to be published.

Everything in it is read off the release itself, or said by the producer of the file (labels,
missing codes). What was done is named by method and purpose: no parameter, no seed, no value of
the original, nothing about columns that are not released, and no date, so that the same release
has the same codebook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.facts import title_of
from tacit.data.io.legal_names import legal
from tacit.data.microdata import Column, Kind, Microdata
from tacit.data.missing import Code
from tacit.data.notes import note
from tacit.plan.plan import Plan
from tacit.protect import registry

MOST_CATEGORIES = 100
"""Categories that are listed; a column with more has too many to read."""

AS_COLLECTED = "as collected"

KINDS = {
    Kind.continuous: "number",
    Kind.count: "count",
    Kind.ordinal: "ordered categories",
    Kind.nominal: "categories",
    Kind.code: "codes of a classification",
    Kind.date: "date",
    Kind.boolean: "yes or no",
    Kind.text: "text",
}
"""Kinds as readers of a codebook call them."""


@dataclass(frozen=True)
class Value:
    """One value of a column: how often it occurs in the release, and what it means."""

    value: str
    label: str
    count: int


@dataclass(frozen=True)
class Variable:
    """One column of the release."""

    name: str
    original_name: str
    label: str
    kind: str
    level: str
    format: str
    values: int
    gaps: int
    lowest: str
    highest: str
    categories: tuple[Value, ...]
    #: more categories than are listed
    more: int
    missing: tuple[Value, ...]
    done: tuple[str, ...]


@dataclass(frozen=True)
class Codebook:
    """What is published with a release."""

    title: str
    file: str
    records: int
    variables: tuple[Variable, ...]
    steps: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain types, as JSON has them."""
        return asdict(self)


def codebook(
    masked: Microdata,
    plan: Plan | None = None,
    *,
    original: Microdata | None = None,
    file: str | Path = "",
    title: str = "",
) -> Codebook:
    """Describe a release for those who will use it.

    Parameters
    ----------
    masked : Microdata
        The release.
    plan : Plan, optional
        What was done; its methods are named, nothing else.
    original : Microdata, optional
        The file before protection: only the names and roles of its columns are looked at, to
        tell which of them each step treats. The release serves as well unless a step needs a
        column that is gone.
    file : path
        The file of the release; its ending decides how columns are named in it.
    title : str
        What the release is called; the label of the file, or else its name.

    Examples
    --------
    >>> data = Microdata.of({"age": [31, 45, 52]})
    >>> book = codebook(data, Plan.from_toml('[[steps]]\\nmethod = "noise"'))
    >>> book.variables[0].done
    ('Noise: hide exact values while means and relations stay close',)
    """
    path = Path(file)
    names = legal(masked.names, path.suffix.lower())
    of_file = note(masked.table, "file") or {}
    treated = _treated(plan, masked if original is None else original)
    # missing codes are gaps in the table, and stand only in what is written
    written = masked.written()
    variables = tuple(
        _variable(
            column,
            names[column.name],
            masked.table.column(column.name),
            written.column(column.name),
            treated.get(column.name, ()),
        )
        for column in masked.schema
    )
    steps = [] if plan is None else [_words(step.method) for step in plan.steps]
    said = of_file.get("notes")
    return Codebook(
        title=title or str(of_file.get("label") or "") or path.name or "Release",
        file=path.name,
        records=masked.n,
        variables=variables,
        steps=tuple(dict.fromkeys(steps)),
        notes=tuple(str(line) for line in said) if isinstance(said, list) else (),
    )


def _treated(plan: Plan | None, data: Microdata) -> dict[str, tuple[str, ...]]:
    """Column -> what was done to it, in words."""
    found: dict[str, list[str]] = {}
    if plan is None:
        return {}
    data = plan.with_roles(data)
    for step, protector in zip(plan.steps, plan.protectors(), strict=True):
        for name in protector.treats(data):
            words = found.setdefault(name, [])
            # twice the same method is one thing to a reader, and tells no number of steps
            if _words(step.method) not in words:
                words.append(_words(step.method))
    return {name: tuple(words) for name, words in found.items()}


def _words(method: str) -> str:
    """A method by its title and what it is for."""
    made = registry[method]
    title = title_of(made, method)
    purpose = made.purpose
    return f"{title}: {purpose}" if purpose else title


def _variable(
    column: Column,
    name: str,
    values: pa.ChunkedArray,
    written: pa.ChunkedArray,
    done: Sequence[str],
) -> Variable:
    gap = pc.is_null(values, nan_is_null=True)
    nothing = pa.scalar(None, values.type)
    present = pc.drop_null(pc.if_else(gap, nothing, values))
    lowest = highest = ""
    categories: tuple[Value, ...] = ()
    more = 0
    # sentences have no range, and a list of them would print the file
    if column.kind is not Kind.text:
        ordered = column.scale is not Kind.nominal and len(present)
        if ordered and not pa.types.is_dictionary(values.type):
            ends = pc.min_max(present).as_py()
            lowest = _text(ends["min"])
            highest = _text(ends["max"])
        if column.scale is not Kind.continuous:
            listed = _counted(column, present)
            categories = tuple(listed[:MOST_CATEGORIES])
            more = len(listed) - len(categories)
    return Variable(
        name=name,
        original_name=column.name,
        label=column.description.label,
        kind=KINDS[column.kind],
        level=column.description.level,
        format=column.description.format,
        values=len(present),
        gaps=len(values) - len(present),
        lowest=lowest,
        highest=highest,
        categories=categories,
        more=more,
        missing=_missing(column, written),
        done=tuple(done) or (AS_COLLECTED,),
    )


def _counted(column: Column, present: pa.ChunkedArray) -> list[Value]:
    """The values of the release in order, with their labels."""
    if pa.types.is_dictionary(present.type):
        present = present.cast(present.type.value_type)
    counted = pc.value_counts(present).to_pylist()
    pairs = [(entry["values"], int(entry["counts"])) for entry in counted]
    try:
        pairs.sort(key=lambda pair: pair[0])
    # values of several types have no order of their own
    except TypeError:
        pairs.sort(key=lambda pair: str(pair[0]))
    labels = column.description.labels
    return [
        Value(_text(value), labels.get(_text(value), ""), count)
        for value, count in pairs
    ]


def _missing(column: Column, written: pa.ChunkedArray) -> tuple[Value, ...]:
    """The missing codes as they stand in the file, ranges as from-to."""
    missing = column.missing
    if not missing:
        return ()
    if pa.types.is_dictionary(written.type):
        written = written.cast(written.type.value_type)
    occur = {
        _text(entry["values"]): int(entry["counts"])
        for entry in pc.value_counts(written).to_pylist()
        if missing.holds(entry["values"])
    }
    labels = column.description.labels
    codes: list[Code] = list(missing.codes)
    out = {}
    for code in codes:
        text = _text(code)
        out[text] = Value(text, labels.get(text, ""), occur.get(text, 0))
    if missing.suppressed is not None:
        text = _text(missing.suppressed)
        words = labels.get(text, "suppressed to protect the respondent")
        out[text] = Value(text, words, occur.get(text, 0))
    for low, high in missing.ranges:
        # codes of a range that occur or have a label, else the range itself
        inside = [
            text
            for text in (*occur, *labels)
            if text not in out and _inside(text, low, high)
        ]
        for text in dict.fromkeys(inside):
            out[text] = Value(text, labels.get(text, ""), occur.get(text, 0))
        if not inside:
            span = f"{_text(low)} to {_text(high)}"
            out[span] = Value(span, "", 0)
    return tuple(out.values())


def _inside(text: str, low: float, high: float) -> bool:
    try:
        return low <= float(text) <= high
    except ValueError:
        return False


def _text(value: object) -> str:
    """A value as it stands in a file: 1.0 and 1 are the same."""
    if isinstance(value, float) and np.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)
