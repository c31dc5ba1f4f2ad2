"""Evidence that is fitted to links: how far values moved and how often categories changed, told by
the links themselves.

An intruder without a plan starts from standardised distances. Links that are mostly right then
tell what the method did to each column, and the next links weigh the columns by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.common_codes import common_codes
from tacit.attack.informed.evidence import Evidence, Part
from tacit.attack.informed.gaps import Fate, fates_of, guessed_gaps
from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata

FEW_RANKS = 10
"""An ordinal column of more categories is compared by its ranks, as a number; of fewer, by
equality."""
PRIOR = 10.0
"""Covariances of the disturbance count beside this many links without any, as in ``estimated``."""
SMALLEST = 1e-6
"""Least variance of a disturbance, in units of the column's own: below, the values are the same."""


class Fitted:
    """The compared columns of both files, and the evidence of links that were found so far.

    Values that are missing in one file only are explained by the fate of the column's gaps (see
    ``gaps``); the value itself then says nothing.
    """

    def __init__(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> None:
        self.original = original
        self.masked = masked
        self.columns = columns
        self.fates = fates_of(original, masked, columns)
        self.gaps = guessed_gaps(original, masked, self.fates)
        numeric: list[tuple[Floats, Floats]] = []
        self._coded: list[_Coded] = []
        self._numeric_fates: list[Fate] = []
        for name in columns:
            kind = original.schema[name].scale
            if kind is Kind.continuous:
                numeric.append(_numbers(original, masked, name))
                self._numeric_fates.append(self.fates[name])
                continue
            a, b, size = common_codes(original, masked, name)
            if kind is Kind.ordinal and size > FEW_RANKS:
                numeric.append(_standard(a, b))
                self._numeric_fates.append(self.fates[name])
            else:
                ours = _with_gap_code(a, size)
                theirs = _with_gap_code(b, size)
                coded = _Coded(ours, theirs, size, self.fates[name])
                self._coded.append(coded)
        self._a = _side_by_side([a for a, _ in numeric], original.n)
        self._b = _side_by_side([b for _, b in numeric], masked.n)

    def start(self) -> Evidence:
        """Standardised distances, before anything is known: noise as large as the columns
        themselves."""
        changed = [0.5 * _even(column.size) for column in self._coded]
        as_large = np.eye(self._a.shape[1])
        return self._evidence(as_large, changed)

    def fit(self, match: Ints) -> Evidence:
        """The evidence that these links (masked row of each original, -1: none) imply."""
        linked = np.flatnonzero(match >= 0)
        other = match[linked]
        gap = self._a[linked] - self._b[other]
        seen = ~np.isnan(gap)
        gap = np.where(seen, gap, 0.0)
        both = seen.T.astype(np.float64) @ seen
        seen_often = np.maximum(np.diag(both), 1.0)
        variance = (gap**2).sum(axis=0) / seen_often
        # the prior links have the variances of the others, and no covariance
        prior = PRIOR * np.diag(variance)
        noise = (gap.T @ gap + prior) / (both + PRIOR)
        noise = noise + SMALLEST * np.eye(len(variance))
        changed = []
        for column in self._coded:
            a = column.a[linked]
            b = column.b[other]
            here = (a < column.size) & (b < column.size)
            differs = int((a != b)[here].sum())
            links = int(here.sum())
            # half a change among one link more: none seen is not none ever
            share = (differs + 0.5) / (links + 1.0)
            most = _even(column.size)
            changed.append(float(min(share, most)))
        return self._evidence(noise, changed)

    def apart(self, match: Ints) -> float:
        """Mean squared difference of linked numbers, as a share of that of strangers.

        Parameters
        ----------
        match : array of int
            The masked row of each original, -1: none.
        """
        linked = np.flatnonzero(match >= 0)
        other = match[linked]
        moved = self._a[linked] - self._b[other]
        # E (x - y)^2 of independent x and y
        shift = _mean(self._a) - _mean(self._b)
        strangers = _variance(self._a) + _variance(self._b) + shift**2
        share = _mean(moved**2) / np.maximum(strangers, SMALLEST)
        # columns that no link shows in both files say nothing
        share = share[~np.isnan(share)]
        if not len(share):
            return 0.0
        return float(share.mean())

    def _evidence(
        self,
        noise: Floats,
        changed: list[float],
    ) -> Evidence:
        total = self.gaps
        whole = [
            k for k, fate in enumerate(self._numeric_fates) if self._complete(k, fate)
        ]
        holes = [k for k in range(self._a.shape[1]) if k not in whole]
        if whole:
            # gaps of these columns meet gaps only, so that any number will do
            a = np.nan_to_num(self._a[:, whole])
            b = np.nan_to_num(self._b[:, whole])
            own = noise[np.ix_(whole, whole)]
            turn = whitener(own, spread(a))
            total = total + Evidence(a @ turn, b @ turn)
        for k in holes:
            unit = float(np.sqrt(noise[k, k]))
            a = self._a[:, k] / unit
            b = self._b[:, k] / unit
            total = total + _shown(a, b)
        for column, share in zip(self._coded, changed, strict=True):
            # cost of a change beyond that of staying: log of (1 - p) / (p / (size - 1))
            others = max(column.size - 1, 1)
            odds = np.log((1.0 - share) * others / share)
            cost = max(float(odds), 0.0)
            total = total + column.evidence(cost)
        return total

    def _complete(
        self,
        k: int,
        fate: Fate,
    ) -> bool:
        """Both files have a value, or both have none, wherever a pair is possible at all."""
        if fate == "kept":
            return True
        ours = np.isnan(self._a[:, k])
        theirs = np.isnan(self._b[:, k])
        return not (ours.any() or theirs.any())


def _with_gap_code(
    codes: Floats,
    size: int,
) -> Ints:
    """Codes as whole numbers; a gap is the one after the last category."""
    filled = np.where(np.isnan(codes), size, codes)
    return filled.astype(np.int64)


def _side_by_side(
    columns: list[Floats],
    n: int,
) -> Floats:
    """One matrix of all columns; of none, one of n rows without columns."""
    if not columns:
        return np.empty((n, 0))
    return np.stack(columns, 1)


def _numbers(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> tuple[Floats, Floats]:
    if masked.schema[name].scale is not Kind.continuous:
        masked = masked.with_schema(masked.schema.set(continuous=[name]))
    return _standard(original.column(name), masked.column(name))


def _standard(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Both in units of the original's sd about its mean; gaps stay gaps."""
    # sums in the order of values: rows in another order must not change the last digit
    ranked = np.sort(a[~np.isnan(a)])
    if not len(ranked):
        return a, b
    centre = float(ranked.mean())
    sd = float(ranked.std())
    unit = sd if sd > 0 else 1.0
    ours = (a - centre) / unit
    theirs = (b - centre) / unit
    return ours, theirs


def _mean(x: Floats) -> Floats:
    """Mean of each column over what is shown; missing where nothing is."""
    shown = ~np.isnan(x)
    total = np.where(shown, x, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / shown.sum(axis=0))


def _variance(x: Floats) -> Floats:
    """Mean squared distance from the mean of each column, over what is shown."""
    return _mean((x - _mean(x)) ** 2)


def _even(size: int) -> float:
    """The chance of a change at which a category says nothing any more."""
    return max((size - 1) / size, 0.5) if size > 0 else 0.5


@dataclass(frozen=True)
class _Coded:
    """Codes of a column of categories in both files; ``size`` stands for a gap."""

    a: Ints
    b: Ints
    size: int
    fate: Fate

    def evidence(self, odds: float) -> Evidence:
        """A category that differs costs ``odds``; beside a gap it costs nothing."""
        gap_ours = (self.a == self.size).any()
        gap_theirs = (self.b == self.size).any()
        gone = gap_ours or gap_theirs
        height = np.sqrt(odds)
        ours = _flags(self.a, self.size) * height
        theirs = _flags(self.b, self.size) * height
        if self.fate == "kept" or not gone:
            return Evidence(ours, theirs)
        same = np.eye(self.size + 1, dtype=bool)
        table = np.where(same, 0.0, odds)
        # a gap came or went: the fate of the column explains it, and the value says nothing
        table[self.size] = 0.0
        table[:, self.size] = 0.0
        a = self.a[:, None].astype(np.float64)
        b = self.b[:, None].astype(np.float64)
        part = Part(a, b, _Differs(table), (ours, theirs))
        return _only(part)


class _Differs:
    """Cost of two codes, looked up."""

    def __init__(self, table: Floats) -> None:
        self.table = table

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        ours = p[:, 0].astype(np.int64)
        theirs = q[:, 0].astype(np.int64)
        return np.asarray(self.table[np.ix_(ours, theirs)])


def _flags(codes: Ints, size: int) -> Floats:
    """One coordinate for each category; two that differ are at squared distance 2. A gap has
    none."""
    out = np.zeros((len(codes), size))
    seen = codes < size
    out[np.flatnonzero(seen), codes[seen]] = 1.0
    return out


def _shown(a: Floats, b: Floats) -> Evidence:
    """A number with gaps that came or went: compared where both files show it."""
    ours = np.nan_to_num(a)[:, None]
    theirs = np.nan_to_num(b)[:, None]
    known = ~np.isnan(a)
    width = float(np.nanvar(a)) if known.any() else 1.0
    costs = _WhereShown(width)
    part = Part(a[:, None], b[:, None], costs, (ours, theirs))
    return _only(part)


def _only(part: Part) -> Evidence:
    """Evidence of one part, beside no coordinates."""
    none_ours = np.empty((len(part.a), 0))
    none_theirs = np.empty((len(part.b), 0))
    return Evidence(none_ours, none_theirs, [part])


class _WhereShown:
    """Half the squared difference; a value that was a gap before is a draw from the column and its
    noise."""

    def __init__(self, width: float) -> None:
        self.width = width

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        a = p[:, 0, None]
        b = q[None, :, 0]
        scale = 0.5 * np.log1p(self.width)
        drawn = scale + 0.5 * b**2 / (1.0 + self.width)
        moved = 0.5 * (a - b) ** 2
        value = np.where(np.isnan(a), drawn, moved)
        return np.where(np.isnan(b), 0.0, value)
