"""Three ways in which what is known of a record and what was released can agree, and their laws.

The law of a feature is how often each degree of agreement occurs between a record and its own
(P), and between strangers (Q); a pair gains log P / Q. Q needs no links. P is learned from pairs
that the intruder knows, and used for other people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.nearness import (
    add_nearness,
    add_nearness_of_pairs,
    add_sameness,
    add_table,
    reaches,
)

# Own pairs that an unseen degree of agreement counts as: a law is never certain of what it has not
# seen
DOUBT = 1.0
EDGE, SIZE = 1e-12, 1e300
"""Share of its size by which a sum may be off; sizes are finite."""
STRANGERS_OF = 300
"""Known numbers from which it is counted how often strangers are as near."""


@dataclass(frozen=True)
class Learned:
    """Own pairs from which laws are learned: row ``own[e]`` of the release is of ``rows[e]``."""

    rows: Ints
    own: Ints


class Law(Protocol):
    """What agreement is worth, in nats."""

    @property
    def bits(self) -> float:
        """Mean of log2 P / Q over own pairs: how much the feature tells of whose record it is."""
        ...

    def of_pairs(self, some: Ints, place: Ints, others: Ints) -> Floats:
        """The gain of each listed pair: original ``some[place[e]]`` and record ``others[e]``."""
        ...

    def take_off(self, cost: Floats, rows: Ints, others: Ints, weight: float) -> None:
        """Take the weighted gains of all pairs of these rows off their costs."""
        ...


class Agreement(Protocol):
    """What both files say of every record, comparable."""

    def learn(self, pairs: Learned) -> Law | None:
        """The law; None: nothing is told."""
        ...

    def ours(self) -> Floats:
        """What tells originals apart."""
        ...

    def theirs(self) -> Floats:
        """What tells released records apart."""
        ...


@dataclass(frozen=True)
class Near:
    """Numbers: the degree is how few released numbers are as near.

    Level b: the released number is among the m / 2^(b+1) nearest to the known one.
    """

    said: Floats
    shown: Floats
    ordered: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        there = self.shown[~np.isnan(self.shown)]
        object.__setattr__(self, "ordered", np.sort(there))

    def ours(self) -> Floats:
        """The known numbers."""
        return self.said

    def theirs(self) -> Floats:
        """The released numbers."""
        return self.shown

    def counts(self) -> Ints:
        """How many numbers are within each level: half of them, a fourth, ..., one."""
        m = len(self.ordered)
        halves = m >> np.arange(1, max(2, m.bit_length()))
        return np.asarray(np.maximum(halves, 1), np.int64)

    def learn(self, pairs: Learned) -> NearLaw | None:
        """The law of the levels: it never falls as numbers come nearer."""
        said, own = self.said[pairs.rows], self.shown[pairs.own]
        there = ~(np.isnan(said) | np.isnan(own))
        if there.sum() < 2 or self.ordered[0] == self.ordered[-1]:
            return None
        said, own = said[there], own[there]
        reach = reaches(self.ordered, said, self.counts())
        level = _levels(said, own, reach)
        share = self._share_within(said, reach)
        strangers = -np.diff(np.concatenate([[1.0], share, [0.0]]))
        seen = np.bincount(level, minlength=len(strangers))
        gain = _rising(seen, np.maximum(strangers, 0.0))
        bits = float(gain[level].sum() / np.log(2) / len(pairs.rows))
        return NearLaw(self, gain, bits)

    def _share_within(self, said: Floats, reach: Floats) -> Floats:
        """Share of all released numbers within each level, of some known ones: ties leave fewer
        than the level allows."""
        some = slice(None, None, max(1, len(said) // STRANGERS_OF))
        # what is as far as the reach is not within it, whatever rounding says
        edge = EDGE * np.minimum(reach[some] + np.abs(said[some, None]), SIZE)
        inner = reach[some] - edge
        low = np.searchsorted(self.ordered, said[some, None] - inner, "right")
        high = np.searchsorted(self.ordered, said[some, None] + inner, "left")
        within = np.maximum(high - low, 0).mean(0)
        return np.asarray(within / len(self.ordered))


@dataclass(frozen=True)
class NearLaw:
    """The gain of each level."""

    feature: Near
    gain: Floats
    bits: float

    def of_pairs(self, some: Ints, place: Ints, others: Ints) -> Floats:
        """The gain of each listed pair."""
        feature = self.feature
        said = feature.said[some]
        reach = reaches(feature.ordered, said, feature.counts())
        cost = np.zeros(len(place))
        add_nearness_of_pairs(
            cost, place, others, said, reach, feature.shown, self.gain
        )
        return -cost

    def take_off(self, cost: Floats, rows: Ints, others: Ints, weight: float) -> None:
        """Take the weighted gains of all pairs off their costs."""
        feature = self.feature
        said = feature.said[rows]
        reach = reaches(feature.ordered, said, feature.counts())
        add_nearness(cost, said, reach, feature.shown[others], weight * self.gain)


def _levels(said: Floats, shown: Floats, reach: Floats) -> Ints:
    """How many reaches each released number lies within."""
    apart = np.abs(shown - said)
    with np.errstate(invalid="ignore"):
        return np.asarray((apart[:, None] < reach).sum(1), np.int64)


def _rising(seen: Ints, strangers: Floats) -> Floats:
    """log P / Q by level, never falling: neighbours that would fall share one ratio."""
    total = seen.sum() + DOUBT
    blocks: list[list[float]] = []
    for count, q in zip(seen, strangers, strict=True):
        blocks.append([count + DOUBT * q, q, 1])
        while len(blocks) > 1 and _ratio(blocks[-2]) >= _ratio(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    ratios = [r for block in blocks for r in [_ratio(block)] * int(block[2])]
    return np.asarray(np.log(np.maximum(np.array(ratios) / total, 1e-12)))


def _ratio(block: list[float]) -> float:
    # what strangers never reach: half a stranger would be the least that could be seen
    return block[0] / max(block[1], 1e-9)


@dataclass(frozen=True)
class Same:
    """Labels or numbers that are equal or not; rare ones say more. -1: none."""

    known: Ints
    released: Ints

    @classmethod
    def of(cls, ours: np.ndarray, theirs: np.ndarray) -> Same:
        """Of values, equal to the last bit; NaN: none."""
        both = np.concatenate([ours, theirs])
        _, code = np.unique(both, return_inverse=True)
        code = np.where(np.isnan(both), -1, code).astype(np.int64)
        return cls(code[: len(ours)], code[len(ours) :])

    def ours(self) -> Floats:
        """The known labels."""
        return self.known.astype(np.float64)

    def theirs(self) -> Floats:
        """The released labels."""
        return self.released.astype(np.float64)

    def learn(self, pairs: Learned) -> SameLaw | None:
        """P(equal) for own pairs; strangers are equal as often as the label is frequent."""
        known, own = self.known[pairs.rows], self.released[pairs.own]
        there = (known >= 0) & (own >= 0)
        released = self.released[self.released >= 0]
        if there.sum() < 2 or not len(released):
            return None
        labels = int(max(self.known.max(), self.released.max())) + 1
        often = np.bincount(released, minlength=labels) / len(released)
        known, equal = known[there], (known == own)[there]
        by_chance = float(often[known].mean())
        p = (equal.sum() + DOUBT * by_chance) / (len(equal) + DOUBT)
        if p <= by_chance:
            return None
        agree = np.log(p / np.maximum(often, 0.5 / len(released)))
        differ = float(np.log(max(1.0 - p, 1e-12) / max(1.0 - by_chance, 1e-12)))
        gains = np.where(equal, agree[known], differ)
        bits = float(gains.sum() / np.log(2) / len(pairs.rows))
        return SameLaw(self, agree, differ, bits)


@dataclass(frozen=True)
class SameLaw:
    """The gain of equality by label, and of difference."""

    feature: Same
    agree: Floats
    differ: float
    bits: float

    def of_pairs(self, some: Ints, place: Ints, others: Ints) -> Floats:
        """The gain of each listed pair."""
        known = self.feature.known[some][place]
        released = self.feature.released[others]
        gain = np.where(known == released, self.agree[known], self.differ)
        return np.where((known < 0) | (released < 0), 0.0, gain)

    def take_off(self, cost: Floats, rows: Ints, others: Ints, weight: float) -> None:
        """Take the weighted gains of all pairs off their costs."""
        known, released = self.feature.known[rows], self.feature.released[others]
        add_sameness(cost, known, released, weight * self.agree, weight * self.differ)


@dataclass(frozen=True)
class Table:
    """Labels of any two columns: how often each released one stands with each known one."""

    known: Ints
    released: Ints

    def ours(self) -> Floats:
        """The known labels."""
        return self.known.astype(np.float64)

    def theirs(self) -> Floats:
        """The released labels."""
        return self.released.astype(np.float64)

    def learn(self, pairs: Learned) -> TableLaw | None:
        """log P(z | x) / P(z); bits with each pair left out of its own law."""
        x, z = self.known[pairs.rows], self.released[pairs.own]
        height, width = int(self.known.max()) + 1, int(self.released.max()) + 1
        often = np.bincount(self.released, minlength=width) / len(self.released)
        cells = np.bincount(x * width + z, minlength=height * width)
        count = cells.reshape(height, width)
        row = count.sum(1)
        # one doubt for each label that was released: an empty row says nothing
        doubt = DOUBT * min(width, 8)
        left = (count[x, z] - 1 + doubt * often[z]) / (row[x] - 1 + doubt)
        bits = float(np.log2(left / often[z]).mean())
        if bits <= 0:
            return None
        usual = np.maximum(often, 0.5 / len(self.released))
        gain = np.log((count + doubt * usual) / (row + doubt)[:, None] / usual)
        return TableLaw(self, gain, bits)


@dataclass(frozen=True)
class TableLaw:
    """The gain of each pair of labels."""

    feature: Table
    gain: Floats
    bits: float

    def of_pairs(self, some: Ints, place: Ints, others: Ints) -> Floats:
        """The gain of each listed pair."""
        known = self.feature.known[some][place]
        return np.asarray(self.gain[known, self.feature.released[others]])

    def take_off(self, cost: Floats, rows: Ints, others: Ints, weight: float) -> None:
        """Take the weighted gains of all pairs off their costs."""
        known, released = self.feature.known[rows], self.feature.released[others]
        add_table(cost, known, released, weight * self.gain)
