"""What every filter shares: the push, pull and batch forms over one kernel, seeds, and state that can be saved."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tacit import parameters
from tacit.errors import InputError, TacitWarning
from tacit.microdata import Kind, Microdata
from tacit.stream.kept import Kept
from tacit.stream.records import CONTINUOUS, NOMINAL, ORDINAL, Records
from tacit.stream.release import Batch, Release

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Columns = list[str | int] | None
Ordered = dict[str | int, list[Any]] | None
Kernel = Any
"""A compiled function (values, last, floats, ints, out, meta) -> (emitted, withheld)."""

_META: Any = struct.Struct("4q")


class Filter(Kept):
    """A protector on a stream.

    `push(record)` gives the list of releases that this record sets free; `flush()` ends the stream and gives the
    rest; `filter(iterable)` does both; `feed(array)` and `finish()` do the same for rows of an array, and
    `apply(data)` does all for a whole array or frame. All forms run the same compiled step, so they agree bit for
    bit. The memory of a filter does not depend on the length of the stream.

    A method writes `_state(kinds) -> (floats, ints)` and names its kernel, or overrides `_advance`.
    """

    handles: ClassVar[frozenset[int]] = frozenset({CONTINUOUS, ORDINAL, NOMINAL})
    """Kinds of column that the method masks; others are carried along."""
    zero_delay: ClassVar[bool] = False
    """Every record leaves with its own push (after the warm-up, where there is one)."""
    linked: ClassVar[bool] = True
    """A release is the masked form of the record that arrived with its index."""

    columns: Columns
    nominal: Columns
    ordinal: Ordered
    random_state: Any
    _row: FloatArray
    _out: FloatArray
    _meta: IntArray
    _step: Kernel

    # -- what a method writes --------------------------------------------------------------------------

    def _check(self) -> None:
        """Checks that involve more than one parameter."""

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        """Fresh state for these columns."""
        raise NotImplementedError

    def _kernel(self) -> Kernel:
        """The compiled step."""
        raise NotImplementedError

    def _burst(self) -> int:
        """The most records that one push can set free."""
        return 1

    def _advance(self, values: FloatArray, last: bool, out: FloatArray, meta: IntArray) -> tuple[int, int]:
        """Take rows in, write what leaves into out and meta; returns (emitted, withheld)."""
        emitted, withheld = self._step(values, last, self._floats, self._ints, out, meta)
        return emitted, withheld

    # -- push and pull ---------------------------------------------------------------------------------

    def push(self, record: Any) -> list[Release]:
        """Take one record in; the releases that it sets free."""
        emitted = self._take_in(record)
        if emitted == 0:
            return []
        if emitted == 1:
            records: Any = self._records
            index, delay, group, size = _META.unpack_from(self._meta)
            carried = self._carried.pop(index, None) if self._carried else None
            self._left = index + 1
            record = records.decode(records.unpack_from(self._out), carried)
            return [tuple.__new__(Release, (record, index, delay, group, size))]  # half the time of Release(...)
        return self._releases(self._out[:emitted], self._meta[:emitted])

    def _take_in(self, record: Any) -> int:
        """One record through the step; what leaves is in `_out` and `_meta`."""
        if self._records is None:
            self._begin(Records(record, *self._declared()))
        carried = self._records.encode(record, self._row)  # type: ignore[union-attr]
        if carried is not None and self.linked:
            self._carried[self._arrived] = carried
        self._arrived += 1
        return self._advance(self._row, False, self._out, self._meta)[0]

    def flush(self) -> list[Release]:
        """End the stream: everything that may leave leaves; the rest is reported in `withheld`."""
        out, meta, withheld = self._end()
        released = self._releases(out, meta)
        self._account(meta, withheld)
        return released

    def _end(self) -> tuple[FloatArray, IntArray, int]:
        if self._records is None:
            return np.empty((0, 0)), np.empty((0, 4), dtype=np.int64), 0
        out, meta = np.empty((self.pending, len(self._records.names))), np.empty((self.pending, 4), dtype=np.int64)
        emitted, withheld = self._advance(self._row[:0], True, out, meta)
        return out[:emitted], meta[:emitted], withheld

    def __call__(self, stream: Iterable[Any]) -> Iterator[Release]:
        """Pull form: releases of any iterable of records, flushed at its end."""
        for record in stream:
            yield from self.push(record)
        yield from self.flush()

    def _releases(self, out: FloatArray, meta: IntArray) -> list[Release]:
        records: Any = self._records
        done = []
        for values, (index, delay, group, size) in zip(out.tolist(), meta.tolist(), strict=True):
            done.append(Release(records.decode(values, self._carried.pop(index, None)), index, delay, group, size))
            self._left = index + 1
        return done

    def _account(self, meta: IntArray, withheld: int) -> None:
        """Keep the arrival numbers of what was withheld at the end of the stream."""
        if withheld:  # what is withheld is the end of the stream: whatever arrived after the last release
            self.withheld.extend(range(self._arrived - withheld, self._arrived))
        self._left = self._arrived
        self._carried.clear()

    # -- batch -----------------------------------------------------------------------------------------

    def feed(self, values: Any) -> Batch:
        """Take the rows of an array in; what they set free."""
        rows = _rows(values)
        if self._records is None:
            self._begin(Records(rows[0] if len(rows) else np.zeros(rows.shape[1]), *self._declared()))
        return self._run(self._take(rows), last=False)

    def finish(self) -> Batch:
        """End of the stream for `feed`."""
        return self._run(np.empty((0, 0 if self._records is None else len(self._records.names))), last=True)

    def _run(self, rows: FloatArray, last: bool) -> Batch:
        if self._records is None:
            nothing = np.empty(0, dtype=np.int64)
            return Batch(np.empty((0, rows.shape[1])), nothing, nothing, nothing, nothing)
        room = len(rows) + self.pending
        out, meta = np.empty((room, len(self._records.names))), np.empty((room, 4), dtype=np.int64)
        self._arrived += len(rows)
        emitted, withheld = self._advance(rows, last, out, meta)
        out, meta = out[:emitted], meta[:emitted]
        lost = len(self.withheld)
        if last:
            self._account(meta, withheld)
        elif emitted:
            self._left = int(meta[-1, 0]) + 1
        index, delay, group, size = np.ascontiguousarray(meta.T)
        return Batch(out, index, delay, group, size, self.withheld[lost:])

    def apply(self, data: Any) -> Any:
        """A whole stream at once: an array gives an array, a frame the same kind of frame, in order of arrival.

        Starts afresh. Rows that were withheld are left out, with a warning; `withheld` holds their numbers.
        """
        self.reset()
        if isinstance(data, np.ndarray) or not hasattr(data, "__len__") or isinstance(data, list):
            rows = _rows(data)
            self._begin(Records(rows[0] if len(rows) else np.zeros(rows.shape[1]), *self._declared()))
            names = self._records.names if self._records else []
            batch = self._run(self._take(rows), last=True).in_order()
            self._warn(batch)
            if len(names) == rows.shape[1] or not self.linked:
                return batch.values
            whole = rows[batch.index]
            whole[:, names] = batch.values
            return whole
        return self._apply_frame(Microdata.of(data), data)

    def _apply_frame(self, data: Microdata, native: Any) -> Any:
        codes = {Kind.continuous: CONTINUOUS, Kind.ordinal: ORDINAL, Kind.nominal: NOMINAL}
        names = [str(c) for c in self.columns] if self.columns else data.quasi
        names = [n for n in names if self.columns or codes[data.schema[n].kind] in self.handles]
        kinds = [codes[data.schema[n].kind] for n in names]
        categories = [None if k == CONTINUOUS else data.categories(n) for n, k in zip(names, kinds, strict=True)]
        for name, kind in zip(names, kinds, strict=True):
            if kind not in self.handles:
                raise InputError(f"{type(self).__name__} cannot mask the column '{name}'; leave it out (columns=[...])")
        self._begin(
            Records.from_dict(
                {
                    "pair": False,
                    "form": "array",
                    "width": len(names),
                    "names": names,
                    "kinds": kinds,
                    "categories": categories,
                }
            )
        )
        batch = self._run(self._frame_rows(data, names), last=True).in_order()
        self._warn(batch)
        kept = data.take(batch.index)
        if not self.linked:
            kept = kept.drop([n for n in kept.names if n not in names])
        masked = kept.with_numbers(names, batch.values)
        return masked if isinstance(native, Microdata) else masked.to_native()

    def _take(self, rows: FloatArray) -> FloatArray:
        """The protected columns of an array."""
        names = self._records.names if self._records else []
        return rows if names == list(range(rows.shape[1])) else np.ascontiguousarray(rows[:, names])

    def _frame_rows(self, data: Microdata, names: list[str]) -> FloatArray:
        """The protected columns of a frame."""
        return np.ascontiguousarray(data.numbers(names))

    def _warn(self, batch: Batch) -> None:
        if batch.withheld:
            warnings.warn(
                f"{len(batch.withheld)} record(s) at the end of the stream were withheld: too few to be protected",
                TacitWarning,
                stacklevel=3,
            )

    # -- life ------------------------------------------------------------------------------------------

    def _ready(self) -> None:
        """Last line of every constructor: check the parameters and start afresh."""
        for name, value in parameters.check(type(self), self.get_params()).items():
            setattr(self, name, value)
        self._check()
        self.reset()

    def reset(self) -> Self:
        """Forget everything; with an integer seed the same stream gives the same bytes again."""
        seed = getattr(self, "random_state", None)
        if seed is None:
            self._keys = _keys(None)
        elif isinstance(seed, int | np.integer) and seed >= 0:
            self._keys = _keys(int(seed))
        else:
            self._keys = parameters.generator(seed).integers(0, 2**64, 2, dtype=np.uint64)
        self._records = None
        self._carried = {}
        self._arrived = self._left = 0
        self.withheld = []
        self._floats, self._ints = np.empty(0), np.empty(0, dtype=np.int64)
        return self

    def _begin(self, records: Records) -> None:
        self._records = records
        d = len(records.names)
        self._floats, self._ints = self._state(records.kinds)
        self._row = np.empty((1, d))
        self._out, self._meta = np.empty((self._burst(), d)), np.empty((self._burst(), 4), dtype=np.int64)
        self._step = self._kernel()

    def _declared(self) -> tuple[Any, ...]:
        return self.columns, self.nominal, self.ordinal, self.handles, type(self).__name__

    @property
    def pending(self) -> int:
        """Records that are inside the filter."""
        return int(self._arrived - self._left)


def _keys(seed: int | None) -> NDArray[np.uint64]:
    return np.asarray(np.random.SeedSequence(seed).generate_state(2, np.uint64), dtype=np.uint64)


def _rows(values: Any) -> FloatArray:
    rows = np.ascontiguousarray(values, dtype=np.float64)
    if rows.ndim != 2:
        raise InputError(f"a batch is a table of records and columns, not an array of {rows.ndim} dimension(s)")
    if np.isinf(rows).any():
        raise InputError(
            f"row {int(np.argmax(np.isinf(rows).any(axis=1))) + 1} holds an infinite value; replace it or drop it"
        )
    return rows
