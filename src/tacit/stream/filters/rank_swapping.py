"""Rank swapping on a stream."""

from __future__ import annotations

from typing import Annotated, Any, Self

from annotated_types import Ge, Gt, Le

from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.rank_swapping import advance, advance_one, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns, Ordered
from tacit.stream.kinds import AnyRecord
from tacit.stream.records import Records
from tacit.stream.released import RELEASE, Release
from tacit.stream.usual import FAULTS, Desk, left_on

# 32.3 percent of 1000 is 322.99999999999994 in floating point and means 323
ROUNDING = 1e-9


class RankSwapping(Filter):
    """Swap each value with one of nearly the same rank in a sliding window, column by column.

    Parameters
    ----------
    p : float
        How far apart the ranks of swapped values may be, in percent of the window.
    window : int
        Records that are looked at together; each waits until so many have arrived.
    columns : list of names or places, optional
        Columns to mask; all unless given.
    nominal : list of names or places, optional
        Columns that hold categories without an order; text is nominal in any case.
    ordinal : dict, optional
        Columns that hold ordered categories, each with its categories from lowest to highest.
    random_state : int, Generator or None
        Seed: the same seed gives the same bytes.

    Notes
    -----
    **Definition.** When the window is full its oldest record leaves. Each of its values not yet
    swapped changes places with one drawn evenly among the values of the window, not yet swapped,
    whose rank among those differs by at most ``floor(p * window / 100)``, upwards or downwards.
    Nominal columns: with any of them. A missing value ranks highest. The published filter swapped
    downwards only, counted p in ranks and left the smallest value as it was.

    **Guarantee.** Every value is another record's (equal values apart); marginal distributions are
    exact. At the end of the stream a value without a partner changes places with the nearest
    pending one; a stream of one record is withheld. The delay is window - 1 records.

    **Cost.** Linear in the window, per value.

    **Known attacks.** Intersecting the rank intervals of several columns.

    References
    ----------
    Martinez Rodriguez (2015), section 6.6.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.arange(8.0).reshape(8, 1)
    >>> masked = RankSwapping(p=50, window=4, random_state=1).apply(values)
    >>> sorted(masked.ravel().tolist())
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """

    title = "Rank swapping"
    family = "swapping"
    purpose = "exchange values of neighbouring rank in a window"
    goal = "exchange values between people"
    plain = {
        "p": "how far values may move, in % of the ranks",
        "window": "records among which values are swapped",
    }
    strength = Strength("p", 1.0, 100.0)
    renamed = {"percent": "p"}

    # what a usual record needs; None: records take the long way
    _hand: tuple[Any, ...] | None

    def __init__(
        self,
        p: Annotated[float, Gt(0), Le(100)] = 10.0,
        window: Annotated[int, Ge(3)] = 100,
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
        random_state: Seed = None,
    ) -> None:
        self.p = p
        self.window = window
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.random_state = random_state
        self._ready()

    def push(self, record: AnyRecord) -> list[Release]:
        """Take one record in; the releases that it sets free."""
        if self._hand is None:
            return super().push(record)
        # the usual record, without a call to another method: calls take a third of the time
        width, get, pack_into, one, desk, floats, ints, unpack_from, out, named = (
            self._hand
        )
        if len(record) != width:
            return super().push(record)
        try:
            pack_into(desk, 0, *get(record))
        except FAULTS:
            return super().push(record)
        left = one(desk, floats, ints)
        if left < 0:
            return super().push(record)
        self._arrived += 1
        if left == 0:
            return []
        if left == 1:
            parts = unpack_from(desk, out)
            released = RELEASE((dict(named(parts)), *parts[width:]))
            self._left = released[1] + 1
            return [released]
        return self._releases(*left_on(desk, width))

    def _begin(self, records: Records) -> None:
        super()._begin(records)
        if self._way is not None:
            way = Desk.of(records.names)
            parts = (way.new(), self._floats, self._ints)
            one = advance_one.direct(*parts)
            # in a plain tuple: it is taken apart in the time of two attributes
            self._hand = (*way[:3], one, *parts, *way[3:])

    def reset(self) -> Self:
        """Forget everything; with an integer seed the same stream gives the same bytes again."""
        self._hand = None
        return super().reset()

    def _check(self) -> None:
        if self._reach() < 1:
            raise ParameterError(
                f"RankSwapping: p={self.p:g} percent of a window of {self.window} is less than "
                "one rank; use a larger p or window"
            )

    def _reach(self) -> int:
        """The largest difference of ranks."""
        return int(self.p * self.window / 100 + ROUNDING)

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        # False: upwards and downwards
        return state(self._reach(), False, kinds, self.window, self._keys)

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_rank_swapping(ints, fresh)

    def _kernel(self) -> Kernel:
        return advance
