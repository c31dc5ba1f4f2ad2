"""What the labels and the measurement level of a file say about the kind of a column."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tacit.data.column import Column, Kind

# a labelled scale has some values; more of them without labels are numbers with marked ends
FEW_VALUES = 10


def by_labels(
    guess: Column,
    stated: Column,
    values: pa.ChunkedArray,
) -> Column:
    """The guess from values, corrected by what the producer of the file said.

    Codes with labels are categories, whatever their type; labels of missing codes say
    nothing. A level is believed where it says that values are categories: SPSS calls every
    number a scale until somebody changes it.
    """
    level = stated.description.level
    if level in ("nominal", "ordinal"):
        return _of(guess, Kind(level), f"its measurement level is {level}")
    labels = [
        code for code in stated.description.labels if not stated.missing.holds(code)
    ]
    if not labels:
        return guess
    occurring = pc.unique(values).to_pylist()
    distinct = [value for value in occurring if value is not None]
    unlabelled = [value for value in distinct if _text(value) not in labels]
    if len(unlabelled) > max(FEW_VALUES, len(labels)):
        return guess
    return _of(guess, Kind.nominal, "the file labels its codes")


def _of(guess: Column, kind: Kind, why: str) -> Column:
    if guess.kind is kind:
        return guess
    # the reason of the role stands after that of the kind
    _, _, role = guess.why.partition("; ")
    reasons = "; ".join(reason for reason in (f"{kind}: {why}", role) if reason)
    return replace(guess, kind=kind, why=reasons)


def _text(value: object) -> str:
    """A code as labels have it: 1.0 and 1 are the same code."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
