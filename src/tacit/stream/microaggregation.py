"""Microaggregation on a stream."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge

from tacit.errors import ParameterError
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel, Ordered

_SCALES = {"none": 0, "std": 1, "range": 2}


class Microaggregation(Filter):
    """Replace each record by the centroid of its k nearest in a sliding window.

    Definition: when the window is full its oldest record leaves; if it has no group, it and the k - 1 nearest
    records without a group form one (mean; median of ordinal, mode of nominal columns; missing values count by
    their present neighbours). If fewer than k are without a group, they join the nearest of the last ``reuse``
    groups. ``scale``: "std" divides by the running sd, "range" by the ``ranges`` given for each column, "none"
    uses raw units. Source: 004, section 6.5, repaired (true nearest neighbours; the centroid is what is emitted).
    Guarantee: every value that leaves is shared by at least k records, the end of the stream included; a stream
    of fewer than k records is withheld. Known attacks: nearest record (at most 1/k when the intruder sees all
    members). Cost: window * columns a group. Delay: window - 1 records.

    >>> import numpy as np
    >>> masked = Microaggregation(k=2, window=4).apply(np.array([[1.0], [9.0], [2.0], [8.0]]))
    >>> masked.ravel().tolist()
    [1.5, 8.5, 1.5, 8.5]
    """

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        window: Annotated[int, Ge(4)] = 100,
        scale: Literal["std", "range", "none"] = "std",
        ranges: list[float] | None = None,
        reuse: Annotated[int, Ge(1)] = 2,
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
    ) -> None:
        self.k = k
        self.window = window
        self.scale = scale
        self.ranges = ranges
        self.reuse = reuse
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self._ready()

    def _check(self) -> None:
        if self.window < 2 * self.k:
            raise ParameterError(
                f"Microaggregation: window={self.window} must be at least 2 k = {2 * self.k}, "
                "or groups of k cannot be kept"
            )
        if (self.scale == "range") != (self.ranges is not None):
            raise ParameterError(
                'Microaggregation: scale="range" needs ranges=[...], one for each column, and only then'
            )

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_neighbours import state

        given = np.ones(len(kinds))
        if self.ranges is not None:
            if len(self.ranges) != len(kinds) or min(self.ranges) <= 0:
                raise ParameterError(
                    f"Microaggregation: ranges needs {len(kinds)} numbers above 0, one for each column"
                )
            given = np.where(kinds == 2, 1.0, 1.0 / np.square(self.ranges))
        return state(self.k, _SCALES[self.scale], kinds, given, self.window, self.reuse)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_neighbours import advance

        return advance
