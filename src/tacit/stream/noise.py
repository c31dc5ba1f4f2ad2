"""Noise addition on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le

from tacit.parameters import Seed
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel, Ordered


class Noise(Filter):
    """Add Gaussian noise in proportion to the running standard deviation of each column.

    Definition: ``x' = x + amount * sd * N(0, 1)``, sd (ddof 1) of the column over all records so far, the record
    itself included, by Welford's recurrence; with ``forget`` below 1 a record that is t records old weighs ``forget
    ** t``, so that the noise follows drift. An ordinal category moves by noise on its rank; a nominal one is
    redrawn among those seen with probability ``flip``. Source: 004, section 6.4. Guarantee: none. The first
    ``warmup`` records wait for each other, so that no record leaves with the variance of a single value, that is
    raw; a stream of one record is withheld. Cost: constant a value. Known attacks: nearest record, optimal
    assignment. Missing values stay missing. Delay: 0 after the warm-up.

    >>> import numpy as np
    >>> Noise(amount=0.5, random_state=1).apply(np.arange(100.0).reshape(50, 2)).shape
    (50, 2)
    """

    zero_delay = True

    def __init__(
        self,
        amount: Annotated[float, Ge(0)] = 0.1,
        flip: Annotated[float, Ge(0), Le(1)] = 0.1,
        forget: Annotated[float, Gt(0), Le(1)] = 1.0,
        warmup: Annotated[int, Ge(2)] = 20,
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
        random_state: Seed = None,
    ) -> None:
        self.amount = amount
        self.flip = flip
        self.forget = forget
        self.warmup = warmup
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_noise import state

        return state(self.amount, self.flip, self.forget, self.warmup, kinds, self._keys)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_noise import additive

        return additive

    def _burst(self) -> int:
        return self.warmup
