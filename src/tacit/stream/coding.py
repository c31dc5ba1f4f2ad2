"""Top and bottom coding on a stream."""

from __future__ import annotations

import math

from tacit.errors import ParameterError
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel
from tacit.stream.records import CONTINUOUS


class TopBottomCoding(Filter):
    """Values below ``bottom`` become ``bottom``, values above ``top`` become ``top``.

    Definition: ``x' = min(max(x, bottom), top)``, the same limits for all columns (name ``columns``, and chain
    filters for others). Source: Willenborg and De Waal (2001). Guarantee: hides extremes only; everything between the
    limits passes. Cost: constant a value. Known attacks: those on raw values, between the limits. Delay: 0.

    >>> import numpy as np
    >>> TopBottomCoding(bottom=0, top=5).apply(np.array([[-3.0, 9.0, 2.0]])).tolist()
    [[0.0, 5.0, 2.0]]
    """

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        bottom: float | None = None,
        top: float | None = None,
        columns: Columns = None,
        nominal: Columns = None,
    ) -> None:
        self.bottom = bottom
        self.top = top
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self._ready()

    def _check(self) -> None:
        low, high = self._limits()
        if not low < high:
            raise ParameterError(f"TopBottomCoding: bottom={low:g} must be below top={high:g}")

    def _limits(self) -> tuple[float, float]:
        if self.bottom is None and self.top is None:
            raise ParameterError("TopBottomCoding needs bottom, top or both")
        return (
            -math.inf if self.bottom is None else self.bottom,
            math.inf if self.top is None else self.top,
        )

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_coding import state

        return state(kinds, self._keys, *self._limits())

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_coding import coding

        return coding
