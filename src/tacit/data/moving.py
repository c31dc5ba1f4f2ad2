"""Columns that move together within a person: an age with the year."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats
from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata
from tacit.data.units import SLIPS, Units, stands, valued

FIRST_LOOK = 1000
"""Rows of the first look: some hundred persons, of whom chance splits nearly all."""


def moving(
    data: Microdata,
    units: Units,
    *,
    slips: float = SLIPS,
) -> dict[str, str]:
    """Columns that move with another one within each unit: an age with the year.

    The difference of both stands at the level of the unit, so that one row tells the others.

    >>> data = Microdata.of({"id": [1, 1, 2], "year": [1, 2, 1], "age": [30, 31, 50]}, person="id")
    >>> from tacit.data.units import persons
    >>> moving(data, persons(data))
    {'year': 'age', 'age': 'year'}
    """
    if units.single:
        return {}
    numbers = {
        name: whole
        for name in valued(data)
        if (whole := _whole(data, name)) is not None
    }
    # what hardly changes moves with nothing
    numbers = {
        name: values
        for name, values in numbers.items()
        if not stands(values, units, slips)
    }
    # a first look at a few units rules almost every pair out
    first = units.order[:FIRST_LOOK]
    few = units.take(first)
    found: dict[str, str] = {}
    for name, values in numbers.items():
        for other, others in numbers.items():
            if other == name:
                continue
            apart = values - others
            differs = few.split(apart[first])
            if few.share(differs[few.labels]) > 0.5:
                continue
            if stands(apart, units, slips):
                # one column that tells it is enough
                found[name] = other
                break
    return found


def _whole(data: Microdata, name: str) -> Floats | None:
    """The numbers of a column of whole numbers, whatever its kind; None for others."""
    values = data.table.column(name)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return None
    numbers = floats(values)
    with np.errstate(invalid="ignore"):
        fractional = numbers != np.rint(numbers)
    broken = fractional & np.isfinite(numbers)
    return None if broken.any() else numbers
