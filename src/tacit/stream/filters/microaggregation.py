"""Microaggregation on a stream."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge

from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.microaggregation import advance, state
from tacit.kernels.stream.neighbours import SCALES
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns, Ordered
from tacit.stream.kinds import NOMINAL


class Microaggregation(Filter):
    """Replace each record by the centroid of its k nearest in a sliding window.

    Parameters
    ----------
    k : int
        Smallest group.
    window : int
        Records among which groups are formed; each waits until so many have arrived.
    scale : {"std", "range", "none"}
        What columns are divided by before distances are taken: running sd, ``ranges``, or 1.
    ranges : list of float, optional
        The range of each masked column, for ``scale="range"``.
    reuse : int
        How many of the last groups records may join that find too few to form one.
    columns : list of names or places, optional
        Columns to mask; all unless given.
    nominal : list of names or places, optional
        Columns that hold categories without an order; text is nominal in any case.
    ordinal : dict, optional
        Columns that hold ordered categories, each with its categories from lowest to highest.

    Notes
    -----
    **Definition.** When the window is full its oldest record leaves; if it has no group, it and
    the k - 1 nearest records without a group form one (mean; median of ordinal, mode of nominal
    columns; a column of which fewer than k members have a value becomes missing for them all). If
    fewer than k are without a group, they join the nearest of the last ``reuse`` groups. The
    published filter grouped in order of arrival and emitted the record itself.

    **Guarantee.** Every value that leaves is shared by at least k records, the end of the stream
    included; a stream of fewer than k records is withheld. The delay is window - 1 records.

    **Cost.** window * columns per group.

    **Known attacks.** Nearest record (at most 1/k when the intruder sees all members).

    References
    ----------
    Martinez Rodriguez (2015), section 6.5.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[1.0], [9.0], [2.0], [8.0]])
    >>> Microaggregation(k=2, window=4).apply(values).ravel().tolist()
    [1.5, 8.5, 1.5, 8.5]
    """

    title = "Microaggregation"
    family = "grouping"
    purpose = "replace a record by the mean of its k nearest in a window"
    goal = "hide in a crowd"
    plain = {
        "k": "people in each group",
        "window": "records that wait to be grouped",
    }
    strength = Strength("k", 2, float("inf"), whole=True)

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
        # a window must hold two groups: the one that leaves and the one that forms
        if self.window < 2 * self.k:
            raise ParameterError(
                f"Microaggregation: window={self.window} must be at least 2 k = {2 * self.k}, "
                "or groups of k cannot be kept"
            )
        if (self.scale == "range") != (self.ranges is not None):
            raise ParameterError(
                'Microaggregation: scale="range" needs ranges=[...], one for each column, '
                "and only then"
            )

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        scale = SCALES[self.scale]
        weights = self._given_weights(kinds)
        return state(
            self.k,
            scale,
            kinds,
            weights,
            self.window,
            self.reuse,
        )

    def _given_weights(self, kinds: Ints) -> Floats:
        """1 / range^2 of each column; a category that differs costs 1."""
        if self.ranges is None:
            return np.ones(len(kinds))
        if len(self.ranges) != len(kinds) or min(self.ranges) <= 0:
            raise ParameterError(
                f"Microaggregation: ranges needs {len(kinds)} numbers above 0, one for each column"
            )
        weights: Floats = np.where(kinds == NOMINAL, 1.0, 1.0 / np.square(self.ranges))
        return weights

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_microaggregation(ints, fresh)

    def _kernel(self) -> Kernel:
        return advance
