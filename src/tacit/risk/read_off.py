"""Reading a confidential value off the masked record that a link names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.attack import registry as attackers
from tacit.attack.linkage import Linkage
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.data.pair import Pair
from tacit.risk.classes import classes_in_turn, column_codes


def targets_of(pair: Pair, confidential: Sequence[str] | None) -> list[str]:
    """The confidential columns that the release holds."""
    if confidential is None:
        confidential = pair.original.schema.names(role="confidential")
    return [name for name in confidential if name in pair.masked.schema]


def nearest(pair: Pair, keys: list[str]) -> Linkage:
    """Nearest record on the keys. It needs no truth; files of different length have none."""
    truth = None if pair.aligned else np.full(pair.original.n, -1, np.int64)
    return nearest_of(pair.original, pair.masked, keys, truth)


def nearest_of(
    original: Microdata,
    masked: Microdata,
    keys: list[str],
    truth: Ints | None,
) -> Linkage:
    """Nearest record on the keys, counted against this truth."""
    attacker = attackers["nearest"](columns=keys)
    link: Linkage = attacker.link(original, masked, truth=truth)
    return link


def read_off(
    pair: Pair,
    link: Linkage,
    keys: list[str],
    width: float,
) -> dict[str, Floats]:
    """Per column and original: the probability that the value read off is right.

    Parameters
    ----------
    pair : Pair
        Both files, comparing the confidential columns.
    link : Linkage
        Whom the intruder names.
    keys : list of str
        What the intruder knows, where the link does not say it.
    width : float
        A number is right within this many standard deviations of its column.
    """
    # Records that agree on all that was compared cannot be told apart: the link names
    # their class.
    compared = [name for name in link.columns if name in pair.masked.schema] or keys
    labels, linked_class = named_classes(pair.masked, link, compared)
    hits: dict[str, Floats] = {}
    for name in pair.columns:
        x, z = pair.column(name)
        reach = reach_of(pair, name, width)
        hits[name] = share_inside(x, z, labels, linked_class, reach)
    return hits


def named_classes(
    masked: Microdata,
    link: Linkage,
    compared: list[str],
) -> tuple[Ints, Ints]:
    """The class of each masked record, and the one named for each original (-1: none)."""
    # one column after the other: a file may be larger than memory
    columns = (column_codes(masked.column(name)) for name in compared)
    labels, _ = classes_in_turn(columns, masked.n)
    return labels, np.where(link.match >= 0, labels[np.maximum(link.match, 0)], -1)


def reach_of(
    pair: Pair,
    name: str,
    width: float,
) -> float:
    """How far off a right value may be: 0 for categories, else `width` times the sd."""
    if pair.original.schema[name].scale is Kind.nominal:
        return 0.0
    values = pair.original.column(name)
    known = values[~np.isnan(values)]
    return width * float(known.std()) if len(known) else 0.0


def share_inside(
    x: Floats,
    z: Floats,
    labels: Ints,
    linked_class: Ints,
    reach: float,
) -> Floats:
    """Per original: share of its linked class whose value is within `reach` of its own.

    Every masked value becomes one sorted whole number, class * base + rank, so that the
    values of a class inside an interval of ranks are counted by two binary searches.
    """
    known = ~np.isnan(z)
    values = np.sort(z[known])
    base = len(values) + 1
    rank = np.searchsorted(values, z[known], side="left")
    keys = np.sort(labels[known] * base + rank)

    linked = (linked_class >= 0) & ~np.isnan(x)
    own = np.where(linked, x, 0.0)
    group = np.where(linked, linked_class, 0)
    # A value exactly at the edge counts as inside, in spite of rounding.
    slack = reach * 1e-12
    low = np.searchsorted(values, own - reach - slack, side="left")
    high = np.searchsorted(values, own + reach + slack, side="right")
    # Ranks are those of the first equal value, so [low, high) covers exactly the values
    # inside.
    below_high = np.searchsorted(keys, group * base + high, side="left")
    below_low = np.searchsorted(keys, group * base + low, side="left")
    inside = below_high - below_low

    # Missing values count in the size of a class: reading one off is not right.
    highest = max(labels.max(initial=0), group.max(initial=0))
    number = int(highest) + 1
    size = np.bincount(labels, minlength=number)[group]
    share = inside / np.maximum(size, 1)
    return np.where(linked & (size > 0), share, 0.0)
