"""Top and bottom coding on a stream."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.coding import coding, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns
from tacit.stream.kinds import CONTINUOUS, Name

Limits: TypeAlias = float | dict[str | int, float] | None
"""One threshold for all columns, one for each column named, or none."""


class TopBottomCoding(Filter):
    """Hide the extremes: values below a low or above a high threshold become the threshold.

    Parameters
    ----------
    low : float or dict, optional
        Smallest value that is released: one for all columns, or one for each column named.
    high : float or dict, optional
        Largest value that is released: one for all columns, or one for each column named.
    columns : list of names or places, optional
        Columns to mask; all that hold numbers unless given.
    nominal : list of names or places, optional
        Columns that hold categories, which are carried along as they are.

    Notes
    -----
    **Definition.** ``x' = min(max(x, low), high)``. A column that is masked needs at least one of
    the two; on a file, `tacit.protect.TopBottomCoding` can take quantiles instead, which a stream
    does not have.

    **Guarantee.** Hides extremes only; everything between the thresholds passes. Missing stays
    missing. The delay is 0.

    **Cost.** Constant per value.

    **Known attacks.** Those on raw values, between the thresholds.

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> TopBottomCoding(low=0, high=5).apply(np.array([[-3.0, 9.0, 2.0]])).tolist()
    [[0.0, 5.0, 2.0]]
    >>> coding = TopBottomCoding(high={"age": 90, "income": 5000})
    >>> coding.push({"age": 99.0, "income": 100.0})[0].record
    {'age': 90.0, 'income': 100.0}
    """

    title = "Top and bottom coding"
    family = "coding"
    purpose = "hide the extreme values, which are the best known"
    goal = "blur numbers"
    plain = {
        "low": "lowest value that is shown",
        "high": "highest value that is shown",
    }
    renamed = {"bottom": "low", "top": "high"}

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        low: Limits = None,
        high: Limits = None,
        columns: Columns = None,
        nominal: Columns = None,
    ) -> None:
        self.low = low
        self.high = high
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self._ready()

    def _check(self) -> None:
        if self.low is None and self.high is None:
            raise ParameterError("TopBottomCoding needs low, high or both")
        named: dict[Name, None] = {}
        for limits in (self.low, self.high):
            if isinstance(limits, dict):
                named |= dict.fromkeys(limits)
        # without a dict the thresholds are the same for every column: any name will do
        for name in named or [""]:
            low, high = self._limits(name)
            if not low < high:
                raise ParameterError(
                    f"TopBottomCoding: low={low:g} must be below high={high:g}"
                )

    def _limits(self, name: Name) -> tuple[float, float]:
        """The thresholds of one column; infinite where there is none."""
        low = _of_column(self.low, name)
        high = _of_column(self.high, name)
        return -math.inf if low is None else low, math.inf if high is None else high

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        names = self._records.names if self._records else []
        limits = [self._limits(name) for name in names]
        for name, given in zip(names, limits, strict=True):
            # it would leave as it came
            if given == (-math.inf, math.inf):
                raise ParameterError(
                    f"TopBottomCoding: column '{name}' has neither low nor high; "
                    "leave it out (columns=[...])"
                )
        # thresholds by column, as the kernel takes them
        low, high = np.array(limits).T
        return state(kinds, self._keys, low, high)

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_coding(ints, fresh)

    def _kernel(self) -> Kernel:
        return coding


def _of_column(limits: Limits, name: Name) -> float | None:
    return limits.get(name) if isinstance(limits, dict) else limits
