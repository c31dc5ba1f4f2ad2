"""Whole households and whole histories as keys: who is alone with all rows together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.units import Units, households, persons
from tacit.risk.benedetti_franconi import individual_risk
from tacit.risk.compositions import count_compositions
from tacit.risk.frequencies import NO_KEYS, key_codes, weights_of
from tacit.risk.judged import Judged


@facts.measure(
    "Household composition",
    threshold=0.05,
    why="at most one household in twenty found by its size and members",
    view="an intruder who knows the keys of a whole household and nothing else",
    passes="units",
    presumes=True,
)
def household_keys(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
) -> Measure:
    """Mean risk of the released households, of which size and all members' keys are known.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.

    Notes
    -----
    **Definition.** Mean over households of E(1/F | f) (1/f without weights): f households have the
    same number of members with the same keys, F in the population. Where every person shares a key
    with many others, a household may still be the only one of a man of 30, a woman of 60 and
    twins.
    **Range.** [0, 1]. 0: no household is found by its composition. Higher: more are.

    References
    ----------
    Franconi and Polettini (2004) for the risk of a key.

    Examples
    --------
    >>> from tacit.data.microdata import Microdata
    >>> table = {"hid": [1, 1, 2, 2, 3], "sex": ["f", "m", "m", "f", "f"]}
    >>> data = Microdata.of(table, household="hid", quasi=["sex"])
    >>> round(household_keys(data, data).value, 4)  # 1/2, 1/2 and 1
    0.6667
    """
    judged = Judged.of(original, masked, keys)
    units = households(judged.on_disk or judged.data)
    if units is None:
        why = "the release does not say who lives together (no column has the role household)"
        return Measure.absent("household_keys", why)
    return _measure("household_keys", judged, units, weight)


@facts.measure(
    "Histories",
    threshold=0.05,
    why="at most one person in twenty found by all rows together",
    view="an intruder who knows the keys in all rows of a person and nothing else",
    passes="units",
    presumes=True,
)
def person_keys(
    original: object,
    masked: object,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
) -> Measure:
    """Mean risk of the released persons of whom the keys of all rows are known.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection; the masked one is judged.
    keys : list of str, optional
        Key columns; the nominal and ordinal quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; the one whose role is weight unless given.

    Notes
    -----
    **Definition.** As ``household_keys``, with the rows of a person for the members of a household:
    f persons have as many rows with the same keys. A release that does not number persons does not
    say which rows are one person's, and has no such risk.
    **Range.** [0, 1]. 0: nobody is found by a history. Higher: more are.

    References
    ----------
    Franconi and Polettini (2004) for the risk of a key.
    """
    judged = Judged.of(original, masked, keys)
    units = persons(judged.on_disk or judged.data)
    if units.single:
        why = "the release does not say that several rows are one person's"
        return Measure.absent("person_keys", why)
    return _measure("person_keys", judged, units, weight)


def _measure(
    name: str,
    judged: Judged,
    units: Units,
    weight: str | None,
) -> Measure:
    if not judged.keys:
        return Measure.absent(name, NO_KEYS)
    codes = key_codes(judged.data, judged.keys)
    if judged.on_disk is None:
        weights = weights_of(judged.data, weight)
        f, F = count_compositions(codes, units.weights(weights), units)
        risk = _risk(f, F, weighted=weights is not None)
        mean = float(risk.mean()) if units.number else 0.0
        of_record: Floats | None = risk[units.labels]
        by_size = _by_size(units, f)
    else:
        mean, by_size = _on_disk(judged, codes, units, weight)
        of_record = None
    return Measure(
        name,
        mean,
        (0.0, 1.0),
        f"no {units.word} is found by all its rows together",
        f"a larger share of the {units.words} is expected to be found "
        "by an intruder who knows the keys of all their rows",
        {
            "keys": judged.keys,
            units.words: units.number,
            "alone": sum(by_size.values()),
            "alone by size": by_size,
            **judged.details,
        },
        of_record,
    )


def _risk(f: Ints, F: Floats, *, weighted: bool) -> Floats:
    """E(1/F | f), or 1/f without weights."""
    if not weighted:
        return np.asarray(1.0 / np.maximum(f, 1))
    # weights below one would make the population smaller than the sample
    return individual_risk(f.astype(np.float64), np.maximum(F, f))


def _on_disk(
    judged: Judged, codes: Ints, units: Units, weight: str | None
) -> tuple[float, dict[str, int]]:
    """The mean risk, and how many are alone by size; no record is held."""
    from tacit.data.units_on_disk import UnitsOnDisk
    from tacit.risk.combinations import record_weights, weight_of
    from tacit.risk.compositions_on_disk import compositions_in_turn

    file, row = judged.on_disk, judged.row
    assert file is not None
    assert row is not None
    assert isinstance(units, UnitsOnDisk)
    by = weight_of(file, weight)
    weights = None if by is None else record_weights(file, by)
    total = 0.0
    alone: dict[str, int] = {}
    for size, (times, f, F) in compositions_in_turn(codes, units.numbers, row, weights):
        total += float(times @ _risk(f, F, weighted=by is not None))
        few = int(times[f == 1].sum())
        if few:
            alone[str(size)] = alone.get(str(size), 0) + few
    return total / units.number if units.number else 0.0, alone


def _by_size(units: Units, f: Ints) -> dict[str, int]:
    """How many are alone with their composition, by number of rows."""
    alone = units.sizes[f == 1]
    sizes, number = np.unique(alone, return_counts=True)
    return {str(size): int(many) for size, many in zip(sizes, number, strict=True)}
