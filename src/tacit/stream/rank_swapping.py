"""Rank swapping on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le

from tacit.errors import ParameterError
from tacit.parameters import Seed
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel, Ordered


class RankSwapping(Filter):
    """Swap each value with one of nearly the same rank in a sliding window, column by column.

    Definition: when the window is full its oldest record leaves. Each of its values not yet swapped changes places
    with one drawn evenly among the values of the window, not yet swapped, whose rank among those differs by at most
    ``floor(percent * window / 100)``, upwards or downwards. Nominal columns: with any of them. A missing value
    ranks highest. Source: 004, section 6.6, repaired (a percentage, both directions, nobody left out). Guarantee:
    every value is another record's (equal values apart); marginal distributions are exact. At the end of the stream
    a value without a partner changes places with the nearest pending one; a stream of one record is withheld. Cost:
    linear in the window, a value. Known attacks: intersecting the rank intervals of several columns. Delay: window
    - 1 records.

    >>> import numpy as np
    >>> sorted(RankSwapping(percent=50, window=4, random_state=1).apply(np.arange(8.0).reshape(8, 1)).ravel().tolist())
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """

    def __init__(
        self,
        percent: Annotated[float, Gt(0), Le(100)] = 10.0,
        window: Annotated[int, Ge(3)] = 100,
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
        random_state: Seed = None,
    ) -> None:
        self.percent = percent
        self.window = window
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.random_state = random_state
        self._ready()

    def _check(self) -> None:
        if self._reach() < 1:
            raise ParameterError(
                f"RankSwapping: {self.percent:g} percent of a window of {self.window} is less than one rank; "
                "use a larger percent or window"
            )

    def _reach(self) -> int:
        return int(self.percent * self.window / 100 + 1e-9)

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_swap import state

        return state(self._reach(), False, kinds, self.window, self._keys)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_swap import advance

        return advance
