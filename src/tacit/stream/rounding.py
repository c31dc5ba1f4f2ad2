"""Rounding on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Gt

from tacit.parameters import Seed
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel
from tacit.stream.records import CONTINUOUS


class Rounding(Filter):
    """Round to multiples of ``base``.

    Definition: the nearest multiple (half goes up); with ``random`` up or down with the probabilities that keep
    the expected value. Source: Willenborg and De Waal (2001). Guarantee: none alone; values already multiples stay as
    they are. Cost: constant a value. Known attacks: a value is known to within base (half of it when not random).
    Delay: 0.

    >>> import numpy as np
    >>> Rounding(base=10).apply(np.array([[12.0, 15.0]])).tolist()
    [[10.0, 20.0]]
    """

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        base: Annotated[float, Gt(0)] = 1.0,
        random: bool = False,
        columns: Columns = None,
        nominal: Columns = None,
        random_state: Seed = None,
    ) -> None:
        self.base = base
        self.random = random
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_coding import state

        return state(kinds, self._keys, self.base, 0.0, random=int(self.random))

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_coding import rounding

        return rounding
