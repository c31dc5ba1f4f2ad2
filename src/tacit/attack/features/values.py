"""Values and ranks of one column in both files: near, equal, or equal in their last digits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.attack.features.agreement import Learned, Near, Same
from tacit.attack.features.feature import Feature
from tacit.attack.features.two_files import TwoFiles
from tacit.base.typing import Floats

MODULI = (1.0, 10.0, 100.0, 1000.0)
"""Parts of a number that noise in whole units, tens, hundreds or thousands leaves alone."""
PLACES = 6
"""Decimals of a residue that are looked at: what a file rounds away does not make it another."""


def values(files: TwoFiles) -> Iterator[Feature]:
    """Near values, near ranks, equal values, equal texts."""
    for name in files.shared:
        x, z = files.known[name], files.shown[name]
        yield Feature("value", (name,), name, Near(x, z))
        yield Feature("rank", (name,), name, Near(by_rank(x, z), z))
        yield Feature("equal cells", (name,), name, Same.of(x, z))
    for name, (ours, theirs) in files.texts.items():
        yield Feature("equal cells", (name,), name, Same(ours, theirs))


def by_rank(x: Floats, z: Floats) -> Floats:
    """The released value at the rank of each known one: whatever rises stays where it is."""
    ours, theirs = np.sort(x[~np.isnan(x)]), np.sort(z[~np.isnan(z)])
    if not len(ours) or not len(theirs):
        return np.full(len(x), np.nan)
    middle = np.searchsorted(ours, x) + np.searchsorted(ours, x, "right") - 1
    place = middle / 2 / max(len(ours) - 1, 1) * (len(theirs) - 1)
    mapped = np.interp(place, np.arange(len(theirs)), theirs)
    return np.where(np.isnan(x), np.nan, mapped)


def residues(files: TwoFiles, pairs: Learned) -> Iterator[Feature]:
    """Equal last digits, for whole steps and for the step in which own pairs differ."""
    for name in files.shared:
        x, z = files.known[name], files.shown[name]
        step = _step(z[pairs.own] - x[pairs.rows])
        for modulus in dict.fromkeys([*MODULI, *([] if step is None else [step])]):
            ours, theirs = _residue(x, modulus), _residue(z, modulus)
            if _varies(ours) and _varies(theirs):
                way = f"last digits (of {modulus:g})"
                yield Feature(way, (name,), name, Same.of(ours, theirs))


def _residue(values: Floats, modulus: float) -> Floats:
    """x mod m as a share of m, rounded; the ends of the circle are one point."""
    share = np.round(np.mod(values / modulus, 1.0), PLACES)
    return np.where(share >= 1.0, 0.0, share)


def _varies(values: Floats) -> bool:
    there = values[~np.isnan(values)]
    return bool(len(there)) and bool(there.min() < there.max())


def _step(differences: Floats) -> float | None:
    """The smallest difference other than none, if all others are multiples of it."""
    size = np.abs(differences[np.isfinite(differences)])
    size = size[size > 1e-9 * size.max(initial=0.0)]
    if not len(size):
        return None
    step = float(size.min())
    multiple = size / step
    whole = np.abs(multiple - np.rint(multiple)) < 1e-6 * np.maximum(multiple, 1.0)
    return step if whole.all() and multiple.max() > 1.5 else None
