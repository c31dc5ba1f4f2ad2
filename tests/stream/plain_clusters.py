"""The plain twin of ``kernels.stream.clusters``: records that wait, and the clusters formed last.

Everything lives in two flat arrays (a copy of them is a backup of the filter), of which the
attributes here are views: nothing in this module owns memory.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.neighbours import (
    SCALES,
    centroid,
    distances,
    weights,
)
from tacit.kernels.stream.noise import observe
from tacit.stream.filters.clusters import DelayBoundClusters

# places in the head of the integer array
WAITING, ARRIVAL, GROUP, RECENT = range(4)
HEAD = 4
# a waiting row: the d masked columns, then person, confidential value and time of arrival
PERSON, CONFIDENTIAL, TIME = -3, -2, -1
EXTRAS = 3


def fresh(
    columns: int,
    slots: int,
    reuse: int,
) -> tuple[Floats, Ints]:
    """State for this many columns, waiting records and clusters."""
    waiting = slots * (columns + EXTRAS)
    # of a cluster: centre, lowest and highest values; of a column: four running moments
    clusters = 3 * reuse * columns
    moments = 4 * columns
    integers = HEAD + slots + 2 * reuse
    return np.zeros(waiting + clusters + moments), np.zeros(integers, dtype=np.int64)


class Waiting:
    """Views into the state, and the geometry of clusters."""

    def __init__(
        self,
        floats: Floats,
        ints: Ints,
        kinds: Ints,
        slots: int,
        reuse: int,
        scale: str,
    ) -> None:
        self.ints = ints
        self.kinds = kinds
        self.reuse = reuse
        self.scale = SCALES[scale]
        d = len(kinds)
        sizes = [slots * (d + EXTRAS), reuse * d, reuse * d, reuse * d]
        rows, centre, lowest, highest, moments = np.split(floats, np.cumsum(sizes))
        self.table = rows.reshape(slots, d + EXTRAS)
        self.centre = centre.reshape(reuse, d)
        self.lowest = lowest.reshape(reuse, d)
        self.highest = highest.reshape(reuse, d)
        self.moments = moments.reshape(4, d)
        self.index = ints[HEAD : HEAD + slots]
        self.cluster_id, self.cluster_size = ints[HEAD + slots :].reshape(2, reuse)

    @property
    def count(self) -> int:
        """How many records wait."""
        return int(self.ints[WAITING])

    @property
    def newest(self) -> int:
        """Arrival number of the record that came last."""
        return int(self.ints[ARRIVAL]) - 1

    @property
    def known(self) -> int:
        """How many clusters are remembered."""
        return min(int(self.ints[RECENT]), self.reuse)

    @property
    def rows(self) -> Floats:
        """The records that wait, in order of arrival."""
        return self.table[: self.count]

    @property
    def values(self) -> Floats:
        """Their masked columns."""
        return self.rows[:, :PERSON]

    def add(
        self,
        row: Floats,
        now: float,
    ) -> None:
        """A record arrives: its columns, person and confidential value."""
        slot = self.count
        self.table[slot, :TIME] = row
        self.table[slot, TIME] = now
        self.index[slot] = self.ints[ARRIVAL]
        self.ints[WAITING] += 1
        self.ints[ARRIVAL] += 1
        observe(row[None, : PERSON + 1], self.moments, 1.0)

    def drop(self, chosen: Ints) -> None:
        """These leave; the others move up and stay in order."""
        count = self.count
        stays = np.ones(count, dtype=np.bool_)
        stays[chosen] = False
        left = int(stays.sum())
        self.table[:left] = self.table[:count][stays]
        self.index[:left] = self.index[:count][stays]
        self.ints[WAITING] = left

    def around_oldest(self) -> Ints:
        """Clusters whose box the oldest record lies in."""
        oldest = self.values[0]
        above = self.lowest[: self.known] <= oldest
        below = oldest <= self.highest[: self.known]
        return np.flatnonzero((above & below).all(axis=1))

    def nearest_cluster(self, among: Ints) -> int:
        """Of these clusters the one whose centre is nearest to the oldest record."""
        gaps = self.distance(self.centre[among], self.values[0])
        return int(among[np.argmin(gaps)])

    def by_distance(self) -> Ints:
        """Places of the waiting records, the oldest first and then the nearest to it."""
        gaps = self.distance(self.values, self.values[0])
        order = np.argsort(gaps, kind="stable")
        return np.concatenate([[0], order[order != 0]])

    def distance(
        self,
        rows: Floats,
        target: Floats,
    ) -> Floats:
        """Squared distances as in microaggregation, scaled by the moments so far."""
        d = len(target)
        weight = np.empty(d)
        missing = np.empty(d)
        gaps = np.empty(len(rows))
        weights(
            self.scale,
            weight,
            self.moments,
            self.kinds,
            weight,
            missing,
        )
        columns = np.ascontiguousarray(rows.T)
        point = np.ascontiguousarray(target)
        distances(
            columns,
            0,
            len(rows),
            point,
            weight,
            missing,
            self.kinds,
            gaps,
        )
        return gaps

    def remember(
        self,
        chosen: Ints,
        persons: Floats,
        k: int,
    ) -> int:
        """Make a cluster of these records; returns its place, that of the oldest one known.

        A column that fewer than k persons have becomes missing.
        """
        rows = self.values[chosen]
        at = int(self.ints[RECENT]) % self.reuse
        centre = self.centre[at]
        everyone = np.arange(len(rows))
        columns = np.ascontiguousarray(rows.T)
        centroid(
            columns,
            everyone,
            len(rows),
            self.kinds,
            k,
            centre,
        )
        # the kernel counts records, of which one person may have several
        for j in np.flatnonzero(np.isnan(rows).any(axis=0)):
            present = ~np.isnan(rows[:, j])
            if distinct(persons[present]) < k:
                centre[j] = math.nan
        with np.errstate(all="ignore"):
            self.lowest[at] = rows.min(axis=0)
            self.highest[at] = rows.max(axis=0)
        self.cluster_id[at] = self.ints[GROUP]
        self.cluster_size[at] = 0
        self.ints[GROUP] += 1
        self.ints[RECENT] += 1
        return at

    def members(
        self,
        persons: Floats,
        k: int,
        diversity: int,
        last: bool,
    ) -> Ints | None:
        """The oldest record and its nearest, of k persons with enough confidential values.

        None: it is impossible.
        """
        count = distinct(persons)
        if count < k:
            return None
        chosen = self.by_distance()
        secrets = self.rows[:, CONFIDENTIAL]
        # at the end of the stream, what is left and cannot be cut in two stays together
        if not last or count >= 2 * k:
            chosen = nearest_persons(chosen, persons, secrets, k, diversity)
        if len(np.unique(secrets[chosen])) < diversity:
            return None
        return np.sort(chosen)


def nearest_persons(
    order: Ints,
    persons: Floats,
    secrets: Floats,
    k: int,
    diversity: int,
) -> Ints:
    """The first of ``order`` until there are k persons and enough confidential values.

    One record per person; whoever is not known counts for nobody and is taken only if first.
    """
    seen: set[float] = set()
    values: set[float] = set()
    chosen: list[int] = []
    for i in order:
        unknown = bool(np.isnan(persons[i]))
        if persons[i] in seen or (unknown and i != 0):
            continue
        # with k persons only another confidential value is of use
        if len(seen) >= k and secrets[i] in values:
            continue
        if not unknown:
            seen.add(persons[i])
        values.add(secrets[i])
        chosen.append(i)
        if len(seen) >= k and len(values) >= diversity:
            break
    return np.array(chosen, dtype=np.int64)


def distinct(persons: Floats) -> int:
    """Different persons; whoever is not known may be any of the others and does not count."""
    return len(np.unique(persons[~np.isnan(persons)]))


class PlainClusters(DelayBoundClusters):
    """The filter as its definition reads, step by step over arrays."""

    def _advance(
        self, values: Floats, last: bool, out: Floats, meta: Ints
    ) -> tuple[int, int]:
        kinds = self._records.kinds
        slots = self.delay + 1
        self._waiting = Waiting(
            self._floats, self._ints, kinds, slots, self.reuse, self.scale
        )
        withheld_before = len(self.withheld)
        now = self.clock() if self.seconds is not None else 0.0
        emitted = 0
        for row in values:
            self._waiting.add(row, now)
            emitted += self._release_due(now, False, out[emitted:], meta[emitted:])
        emitted += self._release_due(now, last, out[emitted:], meta[emitted:])
        return emitted, len(self.withheld) - withheld_before

    def _release_due(
        self,
        now: float,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> int:
        """Release the oldest while it has reached a limit; at the end of the stream all."""
        waiting, emitted = self._waiting, 0
        while waiting.count:
            due = waiting.newest - waiting.index[0] >= self.delay
            if self.seconds is not None and not due:
                due = now - waiting.rows[0, TIME] >= self.seconds
            if not (due or last):
                break
            emitted += self._settle(last, out[emitted:], meta[emitted:])
        return emitted

    def _settle(
        self,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> int:
        """Release the oldest record, and those who leave with it; returns how many."""
        waiting = self._waiting
        persons = self._persons()
        around = waiting.around_oldest()
        # by default the oldest record leaves alone
        chosen = np.array([0])
        if around.size and not last:
            cluster = waiting.nearest_cluster(around)
        elif (members := waiting.members(persons, self.k, self.l, last)) is not None:
            chosen = members
            cluster = waiting.remember(members, persons[members], self.k)
        elif waiting.known:
            cluster = waiting.nearest_cluster(np.arange(waiting.known))
        else:
            index = int(waiting.index[0])
            self.withheld.append(index)
            # what is withheld must not stay in memory
            self._carried.pop(index, None)
            waiting.drop(chosen)
            return 0
        waiting.cluster_size[cluster] += len(chosen)
        count = len(chosen)
        out[:count] = waiting.centre[cluster]
        meta[:count, 0] = waiting.index[chosen]
        meta[:count, 1] = waiting.newest - waiting.index[chosen]
        meta[:count, 2] = waiting.cluster_id[cluster]
        meta[:count, 3] = waiting.cluster_size[cluster]
        waiting.drop(chosen)
        return count

    def _persons(self) -> Floats:
        """A number for each waiting record's person; NaN where it is not known who that is."""
        if self.person is None:
            return np.arange(self._waiting.count, dtype=np.float64)
        return self._waiting.rows[:, PERSON]
