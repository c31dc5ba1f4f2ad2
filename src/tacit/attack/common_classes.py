"""Numbers that became labels are compared as classes: each number is in the label that holds it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.attack.informed.labels import interval
from tacit.base.errors import InputError
from tacit.data.microdata import Kind, Microdata


def in_common_classes(
    original: Microdata,
    masked: Microdata,
    columns: Sequence[str],
) -> tuple[Microdata, Microdata]:
    """Both files, with the numbers whose masked values are labels replaced by those labels.

    A number that no label holds stays as it is, and agrees with nothing: labels that do not say
    what they hold are no evidence to an intruder who was told nothing.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The compared columns.
    """
    for name in columns:
        if original.schema[name].scale is not Kind.continuous or _readable(
            masked, name
        ):
            continue
        read = masked.with_schema(masked.schema.set(nominal=[name]))
        labels = [str(label) for label in read.categories(name)]
        original = original.with_column(
            name, _labels_of(original.column(name), labels), kind=Kind.nominal
        )
        masked = read
    return original, masked


def _readable(masked: Microdata, name: str) -> bool:
    """Are the masked values numbers, too?"""
    if masked.schema[name].scale is Kind.continuous:
        return True
    try:
        masked.with_schema(masked.schema.set(continuous=[name])).column(name)
    except InputError:
        return False
    return True


def _labels_of(numbers: np.ndarray, labels: list[str]) -> list[str | None]:
    """The first label that holds each number, or the number itself as text; None where missing."""
    found: list[str | None] = [
        None if np.isnan(number) else repr(float(number)) for number in numbers
    ]
    for label in reversed(labels):
        ends = interval(label)
        if ends is None:
            continue
        low, high, closed = ends
        inside = (numbers >= low) & ((numbers <= high) if closed else (numbers < high))
        for row in np.flatnonzero(inside):
            found[row] = label
    return found
