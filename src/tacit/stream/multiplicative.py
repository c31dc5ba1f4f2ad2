"""Multiplicative noise on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Gt

from tacit.parameters import Seed
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel
from tacit.stream.records import CONTINUOUS


class MultiplicativeNoise(Filter):
    """Multiply each value by ``1 + amount * N(0, 1)``.

    Definition: ``x' = x (1 + amount * N(0, 1))``, continuous columns only; large values move more, in proportion.
    Source: Kim and Winkler (2003). Guarantee: none. A zero stays zero: use `Noise` where zeros identify.
    Cost: constant a value. Known attacks: nearest record on logarithms. Delay: 0. Missing values stay missing.

    >>> import numpy as np
    >>> MultiplicativeNoise(amount=0.1, random_state=1).apply(np.ones((3, 2))).shape
    (3, 2)
    """

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        amount: Annotated[float, Gt(0)] = 0.1,
        columns: Columns = None,
        nominal: Columns = None,
        random_state: Seed = None,
    ) -> None:
        self.amount = amount
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_noise import state

        return state(self.amount, 0.0, 1.0, 0, kinds, self._keys)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_noise import multiplicative

        return multiplicative
