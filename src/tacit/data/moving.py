"""Columns that move together within a person: an age with the year."""

from __future__ import annotations

from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata
from tacit.data.units import SLIPS, Units, valued

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
    # what hardly changes moves with nothing
    names = [
        name
        for name in valued(data)
        if units.whole(data, name) and not units.stand(data, name, slips)
    ]
    # a first look at a few units rules almost every pair out
    rows, few = units.head(FIRST_LOOK)
    looked_at = data.few(rows, names).table if names else None
    found: dict[str, str] = {}
    for name in names:
        for other in names:
            if other == name:
                continue
            assert looked_at is not None
            apart = floats(looked_at.column(name)) - floats(looked_at.column(other))
            differs = few.split(apart)
            if few.share(differs[few.labels]) > 0.5:
                continue
            if units.move(data, name, other, slips):
                # one column that tells it is enough
                found[name] = other
                break
    return found
