"""No average over fewer than k units: thin groups of a column share one.

A group of k units may hold a column for fewer of them. The average of one value is that value,
so such groups are put together, column by column, until k units stand behind each average.
"""

from __future__ import annotations

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.protect.grouping.gap_classes import too_few_values


def thick_groups(
    name: str,
    values: Floats,
    labels: Ints,
    centre: Floats,
    k: int,
    unit: Ints | None = None,
    stratum: Ints | None = None,
    word: str = "record",
) -> Ints:
    """The groups of one column, put together so that k units with a value are in each.

    Thin groups are taken in the order of their averages, as many as it takes; what is left at
    the end joins the group with the nearest average. Sums over the file stay what they were.

    Parameters
    ----------
    name : str
        The column, for messages.
    values : array
        NaN where missing.
    labels : array of int
        The group of each record.
    centre : array
        The average of each group, NaN where it has no value.
    k : int
        Units behind each average.
    unit : array of int, optional
        Whose each record is; each is its own unless given.
    stratum : array of int, optional
        Groups of different strata are not put together.
    word : str
        What a unit is, for messages.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 9.0, np.nan, 4.0, np.nan])
    >>> labels = np.array([0, 0, 1, 1, 2, 2])
    >>> thick_groups("x", x, labels, np.array([1.5, 9.0, 4.0]), 2).tolist()
    [0, 0, 1, 1, 1, 1]
    """
    here = np.flatnonzero(~np.isnan(values))
    # whose values are in which group, each unit once
    who = here if unit is None else unit[here]
    pairs = np.unique(np.column_stack([labels[here], who]), axis=0)
    count = np.bincount(pairs[:, 0], minlength=len(centre))
    thin = np.flatnonzero((count > 0) & (count < k))
    if not thin.size:
        return labels
    place = np.zeros(len(centre), dtype=np.int64)
    if stratum is not None:
        place[labels] = stratum
    starts = np.cumsum(count) - count
    joins = np.arange(len(centre))
    for here_only in np.unique(place[thin]):
        own = thin[place[thin] == here_only]
        members = {
            int(g): set(pairs[starts[g] : starts[g] + count[g], 1].tolist())
            for g in own
        }
        thick = np.flatnonzero((place == here_only) & (count >= k)).tolist()
        rising = own[np.argsort(centre[own], kind="stable")].tolist()
        bundle: list[int] = []
        together: set[int] = set()
        for group in rising:
            bundle.append(group)
            together |= members[group]
            if len(together) >= k:
                joins[bundle] = group
                thick.append(group)
                bundle, together = [], set()
        if not bundle:
            continue
        if not thick:
            raise ParameterError(too_few_values([name], len(together), k, word))
        distance = np.abs(centre[thick] - centre[bundle].mean())
        joins[bundle] = thick[int(np.argmin(distance))]
    return joins[labels]
