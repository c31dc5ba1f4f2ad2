"""k-anonymous clusters on a stream, with a limit on the delay."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt

from tacit.errors import ColumnError, ParameterError
from tacit.microdata import Microdata
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel, Ordered
from tacit.stream.records import Records
from tacit.stream.release import Release

WAITING, ARRIVAL, GROUP, RECENT = range(4)
HEAD = 4


class DelayBoundClusters(Filter):
    """Release records in clusters of at least k persons, none later than the delay limit.

    Definition: records wait. When the oldest has reached the limit (``delay`` records after it, or ``seconds``),
    it (1) takes the value of the nearest of the last ``reuse`` clusters whose box it lies in; else (2) forms a
    cluster with the nearest waiting records of other persons until there are k distinct persons (column
    ``person``; without it every record is a person) and ``l`` distinct values of the column ``sensitive``; all leave
    at once with the centroid; else (3) joins the nearest of the last ``reuse`` clusters; else it is withheld.
    Source: the CASTLE and FADS family (Cao and others 2011; Guo and Zhang 2013). Guarantee: every value that leaves
    is shared by at least k distinct persons, with at least l sensitive values among them; delay <= the limit.
    Known attacks: skewed sensitive values inside a cluster. Cost: delay * columns a cluster. Records leave out of
    order. `tick()` releases what time has made due when nothing arrives.

    >>> f = DelayBoundClusters(k=2, delay=3, person="id", columns=["age"])
    >>> rows = [{"id": i % 3, "age": float(i)} for i in range(6)]
    >>> [(r.index, r.record["age"], r.delay) for r in f(rows)][:2]
    [(0, 0.5, 3), (1, 0.5, 2)]
    """

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        delay: Annotated[int, Ge(1)] = 100,
        seconds: Annotated[float, Gt(0)] | None = None,
        person: str | int | None = None,
        l: Annotated[int, Ge(1)] = 1,  # noqa: E741  (the name of the concept)
        sensitive: str | int | None = None,
        reuse: Annotated[int, Ge(1)] = 8,
        scale: Literal["std", "none"] = "std",
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
    ) -> None:
        self.k = k
        self.delay = delay
        self.seconds = seconds
        self.person = person
        self.l = l
        self.sensitive = sensitive
        self.reuse = reuse
        self.scale = scale
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.clock: Callable[[], float] = time.monotonic
        self._ready()

    def _check(self) -> None:
        if self.delay < self.k - 1:
            raise ParameterError(f"DelayBoundClusters: delay={self.delay} must be at least k - 1 = {self.k - 1}")
        if (self.l > 1) != (self.sensitive is not None):
            raise ParameterError("DelayBoundClusters: l above 1 needs the column sensitive=..., and only then")

    # -- state: everything lives in two flat arrays, of which these are views ----------------------------

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        d, slots = len(kinds), self.delay + 1
        return (
            np.zeros(slots * (d + 3) + 3 * self.reuse * d + 4 * d),
            np.zeros(HEAD + slots + 2 * self.reuse, dtype=np.int64),
        )

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_neighbours import advance

        return advance  # not used: the work is in _advance

    def _begin(self, records: Records) -> None:
        for extra in (self.person, self.sensitive):
            if extra is not None and self.columns is None and extra in records.names:
                self._leave_out(records, extra)
        super()._begin(records)
        d, slots, reuse = len(records.names), self.delay + 1, self.reuse
        self._row = np.zeros((1, d + 2))
        records._whole = False
        parts = np.split(self._floats, np.cumsum([slots * (d + 3), reuse * d, reuse * d, reuse * d]))
        self._wait = parts[0].reshape(slots, d + 3)
        self._centre, self._lowest, self._highest = (p.reshape(reuse, d) for p in parts[1:4])
        self._moments = parts[4].reshape(4, d)
        self._index = self._ints[HEAD : HEAD + slots]
        self._recent_id, self._recent_size = self._ints[HEAD + slots :].reshape(2, reuse)

    def _leave_out(self, records: Records, name: str | int) -> None:
        at = records.names.index(name)
        records.names.pop(at)
        records.categories.pop(at)
        records.kinds = np.delete(records.kinds, at)
        if not records.names:
            raise ColumnError("DelayBoundClusters: no column is left to mask beside person and sensitive")
        records._prepare()

    @property
    def pending(self) -> int:
        """Records that are inside the filter."""
        return int(self._ints[WAITING]) if self._ints.size else 0

    def _burst(self) -> int:
        return self.delay + 1

    # -- records with their person and sensitive value -----------------------------------------------------

    def _take_in(self, record: Any) -> int:
        if self._records is None:
            self._begin(Records(record, *self._declared()))
        x = record[0] if self._records is not None and self._records.pair else record
        self._row[0, -2] = math.nan if self.person is None else token(x[self.person])
        self._row[0, -1] = math.nan if self.sensitive is None else token(x[self.sensitive])
        return super()._take_in(record)

    def tick(self) -> list[Release]:
        """Release what has waited for ``seconds``, without a new record."""
        return self._releases(*self._due())

    def _due(self) -> tuple[FloatArray, IntArray]:
        if self._records is None:
            return np.empty((0, 0)), np.empty((0, 4), dtype=np.int64)
        out, meta = np.empty((self.pending, len(self._records.names))), np.empty((self.pending, 4), dtype=np.int64)
        emitted, _ = self._advance(self._row[:0], False, out, meta)
        return out[:emitted], meta[:emitted]

    def _take(self, rows: FloatArray) -> FloatArray:
        return self._with_extras(super()._take(rows), lambda name: rows[:, int(name)])

    def _frame_rows(self, data: Microdata, names: list[str]) -> FloatArray:
        return self._with_extras(super()._frame_rows(data, names), lambda name: data.column(str(name)))

    def _with_extras(self, rows: FloatArray, column: Callable[[str | int], FloatArray]) -> FloatArray:
        nothing = np.full(len(rows), math.nan)
        extras = [nothing if name is None else column(name) for name in (self.person, self.sensitive)]
        return np.column_stack([rows, *extras])

    # -- the work --------------------------------------------------------------------------------------

    def _advance(self, values: FloatArray, last: bool, out: FloatArray, meta: IntArray) -> tuple[int, int]:
        from tacit.kernels.stream_noise import observe

        ints, emitted, lost = self._ints, 0, len(self.withheld)
        now = self.clock() if self.seconds is not None else 0.0
        for row in values:
            slot = ints[WAITING]
            self._wait[slot, :-1], self._wait[slot, -1] = row, now
            self._index[slot] = ints[ARRIVAL]
            ints[WAITING] += 1
            ints[ARRIVAL] += 1
            observe(row[None, :-2], self._moments, 1.0)
            emitted += self._release_due(now, False, out[emitted:], meta[emitted:])
        emitted += self._release_due(now, last, out[emitted:], meta[emitted:])
        return emitted, len(self.withheld) - lost

    def _release_due(self, now: float, last: bool, out: FloatArray, meta: IntArray) -> int:
        ints, emitted = self._ints, 0
        while ints[WAITING]:
            due = ints[ARRIVAL] - 1 - self._index[0] >= self.delay
            due = due or (self.seconds is not None and now - self._wait[0, -1] >= self.seconds)
            if not (due or last):
                break
            emitted += self._settle(last, out[emitted:], meta[emitted:])
        return emitted

    def _settle(self, last: bool, out: FloatArray, meta: IntArray) -> int:
        """Release the oldest record, and those who leave with it; returns how many."""
        n, d = int(self._ints[WAITING]), self._centre.shape[1]
        rows = self._wait[:n]
        known = min(int(self._ints[RECENT]), self.reuse)
        target = rows[0, :d]
        inside = np.flatnonzero(((self._lowest[:known] <= target) & (target <= self._highest[:known])).all(axis=1))
        chosen = np.array([0])
        if inside.size and not last:
            cluster = int(inside[np.argmin(self._distance(self._centre[inside], target))])
        else:
            members = self._members(rows, d, last)
            if members is not None:
                chosen, cluster = members, self._found(rows[members, :d])
            elif known:
                cluster = int(np.argmin(self._distance(self._centre[:known], target)))
            else:
                self.withheld.append(int(self._index[0]))
                self._carried.pop(int(self._index[0]), None)
                self._drop(chosen)
                return 0
        self._recent_size[cluster] += len(chosen)
        m = len(chosen)
        out[:m] = self._centre[cluster]
        meta[:m, 0] = self._index[chosen]
        meta[:m, 1] = self._ints[ARRIVAL] - 1 - self._index[chosen]
        meta[:m, 2], meta[:m, 3] = self._recent_id[cluster], self._recent_size[cluster]
        self._drop(chosen)
        return m

    def _members(self, rows: FloatArray, d: int, last: bool) -> IntArray | None:
        """Places of the oldest record and its nearest, with k persons and l sensitive values; None: impossible."""
        persons = rows[:, d] if self.person is not None else np.arange(len(rows), dtype=np.float64)
        distinct = len(np.unique(persons))
        if distinct < self.k:
            return None
        order = np.argsort(self._distance(rows[:, :d], rows[0, :d]), kind="stable")
        order = np.concatenate([[0], order[order != 0]])
        if last and distinct < 2 * self.k:  # what is left cannot be cut in two
            chosen = list(order)
        else:
            seen: set[float] = set()
            values: set[float] = set()
            chosen = []
            for i in order:
                new_value = rows[i, d + 1] not in values
                if persons[i] in seen or (len(seen) >= self.k and not new_value):
                    continue
                seen.add(persons[i])
                values.add(rows[i, d + 1])
                chosen.append(i)
                if len(seen) >= self.k and (self.sensitive is None or len(values) >= self.l):
                    break
        if self.sensitive is not None and len(np.unique(rows[chosen, d + 1])) < self.l:
            return None
        return np.sort(np.array(chosen, dtype=np.int64))

    def _found(self, rows: FloatArray) -> int:
        """Remember a new cluster; returns its place."""
        from tacit.kernels.stream_neighbours import centroid

        at = int(self._ints[RECENT]) % self.reuse
        kinds = self._records.kinds if self._records else np.zeros(0, dtype=np.int64)
        centroid(np.ascontiguousarray(rows.T), np.arange(len(rows)), len(rows), kinds, self._centre[at])
        with np.errstate(all="ignore"):
            self._lowest[at], self._highest[at] = rows.min(axis=0), rows.max(axis=0)
        self._recent_id[at], self._recent_size[at] = self._ints[GROUP], 0
        self._ints[GROUP] += 1
        self._ints[RECENT] += 1
        return at

    def _distance(self, rows: FloatArray, target: FloatArray) -> FloatArray:
        from tacit.kernels.stream_neighbours import distances, weights

        d = len(target)
        weight, missing, out = np.empty(d), np.empty(d), np.empty(len(rows))
        kinds = self._records.kinds if self._records else np.zeros(0, dtype=np.int64)
        weights(1 if self.scale == "std" else 0, weight, self._moments, kinds, weight, missing)
        distances(np.ascontiguousarray(rows.T), 0, len(rows), np.ascontiguousarray(target), weight, missing, kinds, out)
        return out

    def _drop(self, chosen: IntArray) -> None:
        n = int(self._ints[WAITING])
        keep = np.ones(n, dtype=np.bool_)
        keep[chosen] = False
        m = int(keep.sum())
        self._wait[:m], self._index[:m] = self._wait[:n][keep], self._index[:n][keep]
        self._ints[WAITING] = m

    def _account(self, meta: IntArray, withheld: int) -> None:
        self._left = self._arrived
        self._carried.clear()


def token(value: Any) -> float:
    """A number for a person or value, the same in every process: itself, or 48 bits of its hash."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float(int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=6).digest(), "big"))
