"""Households by size and composition, persons by their histories: all rows of a unit as one key."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.units import Units
from tacit.kernels.compositions import same_households
from tacit.risk.classes import classes, first_of_each

# Compositions of one size up to which gaps are compared with everything: a table of 16 MB, and
# about a second.
MOST_COMPARED = 4000


def count_compositions(
    codes: Ints,
    weights: Floats,
    units: Units,
) -> tuple[Ints, Floats]:
    """(f, F) of each unit: how many units have rows with the same keys, and their weights.

    Parameters
    ----------
    codes : array
        One row per record, one column per key; -1 where the value is missing.
    weights : array
        The weight of each unit.
    units : Units
        Whose records these are.

    Notes
    -----
    **Definition.** The key of a unit is the list of its rows' keys, sorted: who is in it, and how
    many they are. Two units agree if their rows can be paired so that each pair agrees on every key
    that both have. Above 4,000 different compositions of one size, a suppressed cell is a value of
    its own, which makes f smaller and never larger.
    """
    labels, number = classes(codes)
    one = first_of_each(labels, number)
    missing = codes < 0
    has_gap = np.asarray(missing.any(axis=1))
    # the classes of the members, sorted inside each unit
    order = np.lexsort((labels, units.labels))
    members_of = labels[order]
    f = np.zeros(units.number, np.int64)
    F = np.zeros(units.number)
    # units of different sizes never agree
    for size in np.unique(units.sizes):
        of_size = np.flatnonzero(units.sizes == size)
        start = units.starts[of_size]
        place = start[:, None] + np.arange(size)
        members = members_of[place]
        kinds, kind = np.unique(members, axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        number_of = np.bincount(kind).astype(np.float64)
        weight_of = np.bincount(kind, weights=weights[of_size]).astype(np.float64)
        rows = one[kinds]
        gaps = np.asarray(has_gap[rows].any(axis=1))
        if len(kinds) > MOST_COMPARED:
            gaps[:] = False
        agree, weight_of = alike(codes, rows, gaps, number_of, weight_of)
        f[of_size] = agree[kind]
        F[of_size] = weight_of[kind]
    return f, F


def alike(
    codes: Ints, kinds: Ints, gaps: Bools, number_of: Floats, weight_of: Floats
) -> tuple[Ints, Floats]:
    """(f, F) of different compositions of one size: units that agree with each.

    kinds: (compositions, size), rows of ``codes``; gaps: which have some; number_of, weight_of:
    units that have each composition, and what they weigh.
    """
    # only gaps make compositions agree that are not equal
    if gaps.any():
        same = same_households(np.ascontiguousarray(codes[kinds]), gaps)
        number_of, weight_of = same @ number_of, same @ weight_of
    return np.rint(number_of).astype(np.int64), np.asarray(weight_of, np.float64)
