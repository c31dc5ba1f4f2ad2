"""Attribute disclosure: what an intruder learns about confidential columns through the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.attack import registry as attackers
from tacit.measure import Measure
from tacit.microdata import Kind
from tacit.pair import Pair
from tacit.risk.keys import FloatArray, IntArray, classes, codes


def attribute(
    original: Any,
    masked: Any,
    *,
    confidential: Sequence[str] | None = None,
    width: float = 0.1,
    link: Any = None,
) -> Measure:
    """Share of confidential values that an intruder gets right by reading them off the linked record.

    The intruder names a masked record by nearest record on the quasi-identifiers (or ``link``) and takes its
    confidential value; among identical masked records each is equally likely. Right: the same value (nominal), or
    within ``width`` standard deviations (numbers). Range [0, 1]. 0: never right. Higher: right more often.
    ``chance`` in the details is the share when the record is named at random: the difference is what the link gives.
    """
    base = Pair.of(original, masked)
    names = base.original.schema.names(role="confidential") if confidential is None else list(confidential)
    names = [name for name in names if name in base.masked.schema]
    if not names:
        return Measure.absent("attribute", "no column has the role confidential")
    if not base.columns:
        return Measure.absent("attribute", "the files have no quasi-identifier in common")
    pair = Pair.of(base.original, base.masked, names)
    keys = [name for name in base.columns if name not in names]
    if link is None:
        link = attackers["nearest"](columns=keys).link(base.original, base.masked, truth=_no_truth(base))
    labels, _ = classes(codes(base.masked.numbers(keys)))
    named = np.where(link.match >= 0, labels[np.maximum(link.match, 0)], -1)
    right = np.zeros(base.original.n)
    per_column: dict[str, float] = {}
    chance: dict[str, float] = {}
    for name in pair.columns:
        x, z = pair.column(name)
        reach = 0.0 if pair.original.schema[name].kind is Kind.nominal else width * float(np.nanstd(x))
        hit = _share_inside(x, z, labels, named, reach)
        right += hit
        per_column[name] = float(hit.mean()) if len(hit) else 0.0
        everywhere = np.zeros(len(z), np.int64)
        chance[name] = float(_share_inside(x, z, everywhere, np.zeros(len(x), np.int64), reach).mean())
    return Measure(
        "attribute",
        float(np.mean(list(per_column.values()))),
        (0.0, 1.0),
        "no confidential value is read off correctly",
        "more confidential values are read off correctly",
        {"width": width, "chance": float(np.mean(list(chance.values()))), "chance by column": chance},
        right / len(pair.columns),
        per_column,
    )


def _no_truth(pair: Pair) -> IntArray | None:
    """Linking does not need the truth; files of different length have none."""
    return None if pair.aligned else np.full(pair.original.n, -1, np.int64)


def _share_inside(x: FloatArray, z: FloatArray, labels: IntArray, named: IntArray, reach: float) -> FloatArray:
    """For each original: share of the records of its named group whose value is within `reach` of its own."""
    known = ~np.isnan(z)
    order = np.sort(z[known])
    n = len(order) + 1
    rank = np.searchsorted(order, z[known], side="left")
    keys = np.sort(labels[known] * n + rank)
    fine = (named >= 0) & ~np.isnan(x)
    at = np.where(fine, x, 0.0)
    slack = reach * 1e-12
    low = np.searchsorted(order, at - reach - slack, side="left")
    high = np.searchsorted(order, at + reach + slack, side="right")
    group = np.where(fine, named, 0)
    # ranks are those of the first equal value, so [low, high) covers exactly the values inside
    inside = np.searchsorted(keys, group * n + high, side="left") - np.searchsorted(keys, group * n + low, side="left")
    size = np.bincount(labels, minlength=int(max(labels.max(initial=0), group.max(initial=0))) + 1)[group]
    return np.where(fine & (size > 0), inside / np.maximum(size, 1), 0.0)
