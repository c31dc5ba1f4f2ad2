"""k-anonymous clusters on a stream, with a limit on the delay."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Annotated, Literal, Self

import numpy as np
from annotated_types import Ge, Gt

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.kernels.stream.clusters import EXTRAS, HEAD, WAITING, advance, state
from tacit.kernels.stream.neighbours import SCALES
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns, Ordered
from tacit.stream.kinds import AnyRecord, Name, Plain
from tacit.stream.persons import token
from tacit.stream.records import Records


class DelayBoundClusters(Filter):
    """Release records in clusters of at least k persons, none later than the delay limit.

    Parameters
    ----------
    k : int
        Fewest distinct persons in a cluster.
    delay : int
        How many records may arrive before a record must leave.
    seconds : float, optional
        How long a record may wait, beside the limit in records.
    person : name or place, optional
        Column that says whose record it is; without it every record is a person.
    l : int
        Fewest distinct values of the confidential column in a cluster.
    confidential : name or place, optional
        Column of which every cluster must hold l distinct values.
    reuse : int
        How many of the last clusters a record may join.
    scale : {"std", "none"}
        Whether columns are divided by their running sd before distances are taken.
    columns : list of names or places, optional
        Columns to mask; all but person and confidential unless given.
    nominal : list of names or places, optional
        Columns that hold categories without an order; text is nominal in any case.
    ordinal : dict, optional
        Columns that hold ordered categories, each with its categories from lowest to highest.

    Notes
    -----
    **Definition.** Records wait. When the oldest has reached the limit, it (1) takes the value of
    the nearest of the last ``reuse`` clusters whose box it lies in; else (2) forms a cluster with
    the nearest waiting records of other persons until there are k distinct persons and ``l``
    distinct confidential values; all leave at once with the centroid (a column that fewer than k
    persons have becomes missing); else (3) joins the nearest of the last ``reuse`` clusters; else
    it is withheld. A record without a person counts for none. Records leave out of order. `tick()`
    releases what time has made due when nothing arrives.

    **Guarantee.** Every value that leaves is shared by at least k distinct persons, with at least l
    confidential values among them; delay <= the limit.

    **Cost.** delay * columns per cluster.

    **Known attacks.** Skewed confidential values inside a cluster.

    References
    ----------
    Cao and others (2011), CASTLE; Guo and Zhang (2013), FADS.

    Examples
    --------
    >>> clusters = DelayBoundClusters(k=2, delay=3, person="id", columns=["age"])
    >>> rows = [{"id": i % 3, "age": float(i)} for i in range(6)]
    >>> [(r.index, r.record["age"], r.delay) for r in clusters(rows)][:2]
    [(0, 0.5, 3), (1, 0.5, 2)]
    """

    title = "Clusters with a delay limit"
    family = "grouping"
    purpose = "release groups of k persons before a delay runs out"
    goal = "hide in a crowd"
    plain = {
        "k": "people in each group",
        "delay": "records that may pass before one must leave",
        "seconds": "seconds before one must leave",
        "person": "column that says whose record it is",
    }
    renamed = {"sensitive": "confidential"}

    # what the kernel is told beside the records
    _parameters: Ints

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        delay: Annotated[int, Ge(1)] = 100,
        seconds: Annotated[float, Gt(0)] | None = None,
        person: str | int | None = None,
        l: Annotated[int, Ge(1)] = 1,  # noqa: E741  (the name of the concept)
        confidential: str | int | None = None,
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
        self.confidential = confidential
        self.reuse = reuse
        self.scale = scale
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.clock: Callable[[], float] = time.monotonic
        self._ready()

    def _check(self) -> None:
        if self.delay < self.k - 1:
            raise ParameterError(
                f"DelayBoundClusters: delay={self.delay} must be at least k - 1 = {self.k - 1}"
            )
        if (self.l > 1) != (self.confidential is not None):
            raise ParameterError(
                "DelayBoundClusters: l above 1 needs the column confidential=..., and only then"
            )

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        return state(len(kinds), self.delay + 1, self.reuse)

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_clusters(self.delay + 1)(ints, fresh)

    def _kernel(self) -> Kernel:
        return advance

    def _begin(self, records: Records) -> None:
        for extra in (self.person, self.confidential):
            if extra is not None and self.columns is None and extra in records.names:
                records.leave_out(extra)
        if not records.names:
            raise ColumnError(
                "DelayBoundClusters: no column is left to mask beside person and confidential"
            )
        super()._begin(records)
        # person and confidential value follow the masked columns in a row
        self._row = np.full((1, len(records.names) + 2), math.nan)
        extras = ((-2, self.person), (-1, self.confidential))
        self._extras = [(at, name) for at, name in extras if name is not None]
        # who is withheld by one push: at most all who wait and the newcomer
        self._gone = np.empty(self.delay + 2, dtype=np.int64)
        records.beside_others()
        self._parameters = np.array(
            [
                self.k,
                self.l,
                self.delay,
                self.reuse,
                SCALES[self.scale],
                self.person is not None,
            ],
            dtype=np.int64,
        )

    def _times(self, floats: Floats) -> Floats:
        """When each waiting record came: the last place of its row in the state."""
        assert self._records is not None
        width = len(self._records.names) + EXTRAS
        return floats[width - 1 : self.pending * width : width]

    def state_dict(self) -> Plain:
        """As of every filter; times as ages, since another process has another clock."""
        state = super().state_dict()
        if self.seconds is not None and self._records is not None:
            times = self._times(state["floats"])
            times[:] = self.clock() - times
            state["saved_at"] = time.time()
        return state

    def load_state_dict(self, state: Plain) -> Self:
        """As of every filter; the time since the state was saved counts as waiting."""
        super().load_state_dict(state)
        if self.seconds is not None and self._records is not None:
            # a clock that was put back counts as no time
            away = max(0.0, time.time() - float(state["saved_at"]))
            ages = self._times(self._floats)
            ages[:] = self.clock() - away - ages
        return self

    @property
    def pending(self) -> int:
        """Records that are inside the filter."""
        return int(self._ints[WAITING]) if self._ints.size else 0

    def _burst(self) -> int:
        return self.delay + 1

    def _oldest(self) -> int:
        return int(self._ints[HEAD]) if self.pending else self._arrived

    # -- records with their person and confidential value ------------------------------

    def _take_in(self, record: AnyRecord) -> int:
        if self._records is None:
            self._begin(Records(record, *self._declared()))
        if self._extras:
            x = record[0] if self._records.pair else record  # type: ignore[union-attr]  # begun
            for at, name in self._extras:
                self._row[0, at] = token(x[name])
        return super()._take_in(record)

    def _due(self) -> tuple[Floats, Ints]:
        out, meta = self._room(self.pending)
        if self._records is None:
            return out, meta
        emitted, _ = self._advance(self._row[:0], False, out, meta)
        return out[:emitted], meta[:emitted]

    def _take(self, rows: Floats) -> Floats:
        return self._with_extras(super()._take(rows), lambda name: rows[:, int(name)])

    def _frame_rows(
        self,
        data: Microdata,
        names: list[str],
    ) -> Floats:
        rows = super()._frame_rows(data, names)
        return self._with_extras(rows, lambda name: data.column(str(name)))

    def _with_extras(
        self,
        rows: Floats,
        column: Callable[[Name], Floats],
    ) -> Floats:
        nothing = np.full(len(rows), math.nan)
        extras = [
            nothing if name is None else column(name)
            for name in (self.person, self.confidential)
        ]
        return np.column_stack([rows, *extras])

    # -- the work ----------------------------------------------------------------------

    def _advance(
        self,
        values: Floats,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> tuple[int, int]:
        now = self.clock() if self.seconds is not None else 0.0
        gone = self._gone
        if len(values) > 1:
            gone = np.empty(len(values) + self.pending, dtype=np.int64)
        emitted, withheld = self._step(
            values,
            now,
            last,
            self._parameters,
            math.inf if self.seconds is None else self.seconds,
            self._records.kinds,  # type: ignore[union-attr]  # begun
            self._floats,
            self._ints,
            out,
            meta,
            gone,
        )
        # one array less in most pushes
        for index in gone[:withheld].tolist() if withheld else ():
            self.withheld.append(index)
            # what is withheld must not stay in memory
            self._carried.pop(index, None)
        return emitted, withheld

    def _account(
        self,
        meta: Ints,
        withheld: int,
    ) -> None:
        # records leave out of order: `withheld` was filled one by one, in _advance
        self._left = self._arrived
        self._carried.clear()
