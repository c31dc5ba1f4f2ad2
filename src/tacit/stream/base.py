"""What every filter shares: the push and pull forms over one kernel, seeds, and its life."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from tacit.base import parameters, seeds
from tacit.base.facts import Described
from tacit.base.typing import Floats, Ints
from tacit.stream.batches import Batches, Columns, Ordered
from tacit.stream.kinds import AnyRecord
from tacit.stream.records import Records
from tacit.stream.released import RELEASE, Release
from tacit.stream.spent import Spent
from tacit.stream.usual import FAULTS, Usual

Kernel: TypeAlias = Any
"""A compiled function (values, last, floats, ints, out, meta) -> (emitted, withheld); numba's
decorator has no types.
"""

# a row of meta in one call: arrival, delay, group, size
_BOOKS: Callable[..., tuple[int, ...]] = struct.Struct("4q").unpack_from


class Filter(Described, Batches):
    """A protector on a stream.

    `push(record)` gives the list of releases that this record sets free; `flush()` ends the stream
    and gives the rest; `filter(iterable)` does both; `feed(array)` and `finish()` do the same for
    rows of an array, and `apply(data)` does all for a whole array or frame. All forms run the same
    compiled step, so they agree bit for bit. The memory of a filter does not depend on the length
    of the stream.

    A method writes `_state(kinds) -> (floats, ints)` and names its kernel, or overrides `_advance`.
    """

    zero_delay: ClassVar[bool] = False
    """Every record leaves with its own push (after the warm-up, where there is one)."""

    nominal: Columns
    ordinal: Ordered
    random_state: Any
    # the row that goes in, and room for all that one push can set free
    _row: Floats
    _out: Floats
    _meta: Ints
    _step: Kernel
    # how a usual record is read and written; None: records take the long way
    _way: Usual | None

    # -- what a method writes ----------------------------------------------------------

    def _check(self) -> None:
        """Checks that involve more than one parameter."""

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        """Fresh state for these columns."""
        raise NotImplementedError

    def _kernel(self) -> Kernel:
        """The compiled step."""
        raise NotImplementedError

    def _burst(self) -> int:
        """The most records that one push can set free."""
        return 1

    def _advance(
        self,
        values: Floats,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> tuple[int, int]:
        """Take rows in, write what leaves into out and meta; returns (emitted, withheld)."""
        emitted, withheld = self._step(
            values,
            last,
            self._floats,
            self._ints,
            out,
            meta,
        )
        return emitted, withheld

    # -- push and pull -----------------------------------------------------------------

    def push(self, record: AnyRecord) -> list[Release]:
        """Take one record in; the releases that it sets free."""
        way = self._way
        if way is None:
            return self._push_any(record)
        # in one step: looking at each by its name takes longer
        width, get, pack_into, unpack_from, named = way
        if len(record) != width:
            return self._push_any(record)
        # the usual record, without a call to another method: calls take a third of the time
        try:
            values = get(record)
            pack_into(self._row, 0, *values)
            whole = sum(values)
        except FAULTS:
            # it says what is wrong, or knows what is meant
            return self._push_any(record)
        if whole - whole != 0.0:
            return self._push_any(record)
        self._arrived += 1
        emitted, _ = self._step(
            self._row, False, self._floats, self._ints, self._out, self._meta
        )
        if emitted == 0:
            return []
        if emitted == 1:
            masked = unpack_from(self._out)
            total = sum(masked)
            if total == total:
                index, delay, group, size = _BOOKS(self._meta)
                self._left = index + 1
                return [RELEASE((dict(named(masked)), index, delay, group, size))]
        return self._releases(self._out[:emitted], self._meta[:emitted])

    def _push_any(self, record: AnyRecord) -> list[Release]:
        """One record of any form."""
        emitted = self._take_in(record)
        if emitted == 0:
            return []
        if emitted == 1 and self._records is not None:
            # without arrays and loops
            index, delay, group, size = _BOOKS(self._meta)
            carried = self._carried.pop(index, None) if self._carried else None
            self._left = index + 1
            masked = self._records.decode_first(self._out, carried)
            return [RELEASE((masked, index, delay, group, size))]
        return self._releases(self._out[:emitted], self._meta[:emitted])

    def _take_in(self, record: AnyRecord) -> int:
        """One record through the step; what leaves is in `_out` and `_meta`."""
        if self._records is None:
            self._begin(Records(record, *self._declared()))
        carried = self._records.encode(record, self._row)  # type: ignore[union-attr]  # begun
        # a release that is no record's own carries nothing of a record
        if carried is not None and self.linked:
            self._carried[self._arrived] = carried
        self._arrived += 1
        return self._advance(self._row, False, self._out, self._meta)[0]

    def flush(self) -> list[Release]:
        """End the stream: what may leave leaves; the rest is reported in `withheld`."""
        out, meta, withheld = self._end()
        released = self._releases(out, meta)
        self._account(meta, withheld)
        return released

    def _end(self) -> tuple[Floats, Ints, int]:
        """The last step: masked rows, their books, and how many are withheld."""
        out, meta = self._room(self.pending)
        if self._records is None:
            return out, meta, 0
        emitted, withheld = self._advance(self._row[:0], True, out, meta)
        return out[:emitted], meta[:emitted], withheld

    def tick(self) -> list[Release]:
        """Release what time has made due; a filter without a clock: nothing."""
        return self._releases(*self._due())

    def _due(self) -> tuple[Floats, Ints]:
        """Masked rows that must leave now, and their books."""
        return self._room(0)

    def _oldest(self) -> int:
        """Arrival number of the oldest record inside, or of the next one if there is none."""
        return self._arrived - self.pending

    def __call__(self, stream: Iterable[AnyRecord]) -> Iterator[Release]:
        """Pull form: releases of any iterable of records, flushed at its end."""
        for record in stream:
            yield from self.push(record)
        yield from self.flush()

    def _releases(
        self,
        out: Floats,
        meta: Ints,
    ) -> list[Release]:
        """Masked rows and their books as releases, with what was carried along."""
        released: list[Release] = []
        if self._records is None:
            return released
        for values, books in zip(out.tolist(), meta.tolist(), strict=True):
            index, delay, group, size = books
            carried = self._carried.pop(index, None) if self._carried else None
            masked = self._records.decode(values, carried)
            released.append(RELEASE((masked, index, delay, group, size)))
            self._left = index + 1
        return released

    def _account(
        self,
        meta: Ints,
        withheld: int,
    ) -> None:
        """Keep the arrival numbers of what was withheld at the end of the stream."""
        # what is withheld is the end of the stream: whatever arrived after the last release
        self.withheld.extend(range(self._arrived - withheld, self._arrived))
        self._left = self._arrived
        self._carried.clear()

    # -- what a private stream has spent -----------------------------------------------

    @property
    def spent(self) -> Spent | None:
        """How far the releases have come, of a differentially private filter; else None."""
        return None

    def remember(self, spent: Spent) -> None:
        """So much had left when the stream was stopped."""

    def pass_over(self, spent: Spent) -> None:
        """Go on behind what has left, and forget the records that are still inside."""

    # -- life --------------------------------------------------------------------------

    def _ready(self) -> None:
        """Last line of every constructor: check the parameters and start afresh."""
        checked = parameters.check(type(self), self.get_params())
        for name, value in checked.items():
            setattr(self, name, value)
        # after the single parameters are right, those that depend on each other
        self._check()
        self.reset()

    def reset(self) -> Self:
        """Forget everything; with an integer seed the same stream gives the same bytes again."""
        seed = getattr(self, "random_state", None)
        # a seed given by hand is spread over the whole key; without one the system gives 128 bits
        if seed is None:
            self._keys = seeds.words(seeds.draw())
        elif isinstance(seed, int | np.integer) and seed >= 0:
            self._keys = seeds.words(int(seed))
        else:
            rng = parameters.generator(seed)
            self._keys = rng.integers(0, 2**64, 2, dtype=np.uint64)
        self._records = None
        self._carried = {}
        self._arrived = self._left = 0
        self.withheld = []
        self._way = None
        self._floats = np.empty(0)
        self._ints = np.empty(0, dtype=np.int64)
        return self

    def _begin(self, records: Records) -> None:
        """The columns are known: make the state and the room for one push."""
        self._records = records
        self._floats, self._ints = self._state(records.kinds)
        self._row = np.empty((1, len(records.names)))
        self._out, self._meta = self._room(self._burst())
        # a method that adds to the step goes the long way
        of = type(self)
        as_written = of._take_in is Filter._take_in and of._advance is Filter._advance
        self._way = records.usual() if as_written else None
        # numba's own function: what puts compiling off takes as long as a record
        self._step = self._kernel().compiled()

    def _declared(self) -> tuple[Columns, Columns, Ordered, frozenset[int], str]:
        who = type(self).__name__
        return self.columns, self.nominal, self.ordinal, self.handles, who
