"""How many people stand out on every set of keys: sets are refined key by key, and never hashed.

Up to eight keys there are at most 255 sets, and all are counted. Of more keys random orders are
drawn, and the sets of their first one, two, ... keys are counted: each number of keys is then seen
equally often, and what a key adds is its mean step over the orders.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.units import Units
from tacit.risk.classes import classes

ALL_SETS = 8
"""Up to so many keys every set is counted: 255 sets take seconds on 100,000 records."""
# sets that are counted of more keys: as many as all sets of eight keys
MOST_SETS = 256
# sets of keys are bits of a 64-bit number, with its sign left out
MOST_KEYS = 62


@dataclass(frozen=True)
class Size:
    """Units in small groups when an intruder knows so many keys."""

    keys: int
    sets: int
    """Sets of that many keys that were counted."""
    of: int
    """Sets of that many keys that there are."""
    mean: Mapping[int, float]
    """k -> units below k, over the sets."""
    worst: Mapping[int, int]
    """k -> the same for the set with the most units alone."""
    worst_set: int = field(repr=False)
    names: tuple[str, ...] = ()

    def named(self, names: Sequence[str]) -> Size:
        """With the names of the worst set."""
        chosen = [name for j, name in enumerate(names) if self.worst_set >> j & 1]
        return replace(self, names=tuple(chosen))

    def to_dict(self) -> dict[str, object]:
        """Plain types."""
        return {
            "keys": self.keys,
            "sets": self.sets,
            "of": self.of,
            "mean": {str(k): units for k, units in self.mean.items()},
            "worst": {str(k): units for k, units in self.worst.items()},
            "worst_keys": list(self.names),
        }


@dataclass(frozen=True)
class Seen:
    """What was counted over the sets of keys."""

    sizes: tuple[Size, ...]
    contributions: list[float]
    alone: list[int]
    fewest: Ints
    """For each record the smallest set of keys on which it is alone, as bits; 0: none."""
    times: Ints
    """On how many of the counted sets it is alone."""
    sampled: bool
    in_file: float
    """Sum over units of 1/f on all keys."""


@dataclass(frozen=True)
class _Counted:
    """One set of keys."""

    below: dict[int, int]
    mean_risk: float


class KeySets:
    """Counts units on sets of keys; each set is counted once."""

    def __init__(self, codes: Ints, units: Units, k: Sequence[int]) -> None:
        if codes.shape[1] > MOST_KEYS:
            raise ParameterError(
                f"a look takes at most {MOST_KEYS} keys, not {codes.shape[1]}; "
                "leave some out (keys=[...], --quasi)"
            )
        self.codes = codes
        self.units = units
        self.k = tuple(k)
        n = len(codes)
        self._known: dict[int, _Counted] = {}
        self._fewest = np.zeros(n, np.int64)
        # larger than any set, so that the first one counts
        self._smallest = np.full(n, MOST_KEYS + 1)
        self._times = np.zeros(n, np.int64)

    def seen(self) -> Seen:
        """Count all sets, or those of random orders."""
        m = self.codes.shape[1]
        sampled = m > ALL_SETS
        if sampled:
            gains = self._along_orders(m)
        else:
            self._all(m)
            gains = self._shapley(m)
        total = gains.sum()
        every = (1 << m) - 1
        # keys that single nobody out share no risk
        shares = 100 * gains / total if total > 0 else np.zeros(m)
        return Seen(
            sizes=tuple(self._size(s, m) for s in range(1, m + 1)),
            contributions=[float(share) for share in shares],
            alone=[self._known[1 << j].below[2] for j in range(m)],
            fewest=self._fewest,
            times=self._times,
            sampled=sampled,
            in_file=self._risk(every) * self.units.number,
        )

    def _all(self, m: int) -> None:
        for size in range(1, m + 1):
            for chosen in combinations(range(m), size):
                self._count(chosen)

    def _shapley(self, m: int) -> Floats:
        """Each key's step, weighted by how many orders have it there: s! (m-1-s)! / m!."""
        gains = np.zeros(m)
        for members in range(1 << m):
            s = members.bit_count()
            share = math.factorial(s) * math.factorial(m - 1 - s) if s < m else 0
            weight = share / math.factorial(m)
            for j in range(m):
                if not members >> j & 1:
                    wider = members | 1 << j
                    step = self._risk(wider) - self._risk(members)
                    gains[j] += weight * step
        return gains

    def _along_orders(self, m: int) -> Floats:
        """The mean step of each key over random orders, the first of which are cyclic."""
        rng = np.random.default_rng(FIXED)
        gains = np.zeros(m)
        for j in range(m):
            self._count((j,))
        # an order counts m sets; two at least, as they come in pairs
        for order in _orders(m, max(2, MOST_SETS // m), rng):
            before = 0
            for place, key in enumerate(order):
                members = before | 1 << key
                self._count(order[: place + 1])
                gains[key] += self._risk(members) - self._risk(before)
                before = members
        return gains

    def _risk(self, members: int) -> float:
        # who knows no key guesses among all units
        if not members:
            return 1.0 / self.units.number
        return self._known[members].mean_risk

    def _count(self, chosen: Sequence[int]) -> None:
        """Count one set, unless it is known."""
        members = sum(1 << j for j in chosen)
        if members in self._known:
            return
        # sorted, so that an order of keys does not change the labels
        labels, number = classes(self.codes[:, sorted(chosen)])
        f = self._frequency(labels, number)
        below = {k: self._units_of(f < k) for k in self.k}
        risk = 1.0 / f
        if self.units.single:
            mean = self.units.row_mean(risk)
        else:
            # an intruder takes the row that tells most
            mean = self.units.mean(risk)
        counted = _Counted(below, mean)
        self._known[members] = counted
        alone = f == 1
        self._times += alone
        # fewer keys are what an intruder more likely knows
        closer = alone & (len(chosen) < self._smallest)
        self._fewest[closer] = members
        self._smallest[closer] = len(chosen)

    def _frequency(self, labels: Ints, number: int) -> Ints:
        """Units that share each record's key."""
        if self.units.single:
            return np.asarray(self.units.by_label(labels, number)[labels])
        # each unit once in each class
        f, _ = self.units.counted(labels, number, None)
        return np.asarray(f[labels])

    def _units_of(self, rows: np.ndarray) -> int:
        if self.units.single:
            return self.units.marked(rows)
        return self.units.having(rows)

    def _size(self, s: int, m: int) -> Size:
        """What was counted on sets of s keys."""
        sets = {
            members: counted
            for members, counted in self._known.items()
            if members.bit_count() == s
        }
        # of equal ones the first keys of the file, so that runs agree
        worst = max(sets, key=lambda members: (sets[members].below[2], -members))
        mean: dict[int, float] = {}
        for k in self.k:
            below = [one.below[k] for one in sets.values()]
            mean[k] = float(np.mean(below))
        return Size(
            keys=s,
            sets=len(sets),
            of=math.comb(m, s),
            mean=mean,
            worst=dict(sets[worst].below),
            worst_set=worst,
        )


def _orders(m: int, number: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """Random orders of the keys, in pairs of which one is the reverse of the other."""
    for place in range(number):
        if place % 2 == 0:
            order = tuple(int(key) for key in rng.permutation(m))
            yield order
        else:
            # a key that came early comes late: the mean step varies less
            yield order[::-1]
