"""Live information loss: squared error, its share of the variance, and the correlations."""

from __future__ import annotations

import math

import numpy as np

from tacit.base.seeds import FIXED
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata
from tacit.loss import registry
from tacit.stream.kinds import NOMINAL
from tacit.stream.monitors.base import Passage

# the probabilistic loss compares statistics, which fewer pairs estimate too badly
FEWEST_PAIRS = 50


class LossMonitor:
    """Compares what left with what arrived.

    ``sse`` is the sum of squared differences in the units of the data (a differing category counts
    1); ``loss`` the same over all records and columns divided by the column's variance, so 0 is
    unchanged and 1 is as far off as the mean; ``correlation`` the mean absolute difference of the
    correlations of both streams.

    Parameters
    ----------
    sample : int
        Pairs that are kept, uniform over the stream, for measures that need files: `sample()`.
    random_state : int
        Seed of the choice of pairs, which leaves no trace in what is released.

    References
    ----------
    Martinez Rodriguez (2015), section 6.3.2.
    """

    behind = 0

    def __init__(
        self,
        sample: int = 1000,
        random_state: int = FIXED,
    ) -> None:
        self.size = sample
        self.random_state = random_state
        # so that it can be asked before the first record
        self.start(np.empty(0, dtype=np.int64))

    def start(
        self,
        kinds: Ints,
        first: int = 0,
    ) -> None:
        """Begin with columns of these kinds."""
        d = len(kinds)
        self._nominal = kinds == NOMINAL
        self._sse = np.zeros(d)
        self._n = 0
        # records with the column present on both sides
        self._pairs = np.zeros(d)
        # sums of originals and masked values about the first original, against cancellation
        self._shift: Floats | None = None
        self._sums = np.zeros((2, d))
        self._products = np.zeros((2, d, d))
        self._kept = np.empty((2, self.size, d))
        self._rng = np.random.default_rng(self.random_state)

    def arrive(self, rows: Floats) -> None:
        """Nothing to do: loss is counted when a record leaves."""

    def leave(self, block: Passage) -> None:
        """Records that left: add their squared errors and moments."""
        original, masked = block.originals, block.masked
        if not len(original):
            return
        gap = masked - original
        # categories are codes: they are the same or not
        if self._nominal.any():
            differ = (gap != 0).astype(np.float64)
            gap = np.where(self._nominal & ~np.isnan(gap), differ, gap)
        # missing on either side: the value counts in no sum
        holes = np.isnan(gap)
        if holes.any():
            gap = np.where(holes, 0.0, gap)
        self._sse += np.einsum("ij,ij->j", gap, gap)
        self._pairs += len(gap) - holes.sum(axis=0)
        if self._shift is None:
            self._shift = np.where(holes[0], 0.0, original[0])
        self._add_moments(0, original - self._shift, holes)
        self._add_moments(1, masked - self._shift, holes)
        self._reservoir(original, masked)
        self._n += len(gap)

    def _add_moments(
        self,
        which: int,
        centred: Floats,
        holes: Bools,
    ) -> None:
        if holes.any():
            centred = np.where(holes, 0.0, centred)
        self._sums[which] += centred.sum(axis=0)
        self._products[which] += centred.T @ centred

    def _reservoir(
        self,
        original: Floats,
        masked: Floats,
    ) -> None:
        """Algorithm R: pair number i takes the place of a kept one with probability size / i."""
        start = self._n
        room = max(0, min(self.size - start, len(original)))
        self._kept[0, start : start + room] = original[:room]
        self._kept[1, start : start + room] = masked[:room]
        if room < len(original):
            number = start + np.arange(room, len(original))
            place = self._rng.random(len(number)) * (number + 1)
            slot = place.astype(np.int64)
            chosen = np.flatnonzero(slot < self.size)
            self._kept[0, slot[chosen]] = original[room:][chosen]
            self._kept[1, slot[chosen]] = masked[room:][chosen]

    def finish(self) -> None:
        """Nothing is waiting."""

    def sample(self) -> tuple[Floats, Floats]:
        """The reservoir: original rows and their masked rows."""
        n = min(self._n, self.size)
        original, masked = self._kept[:, :n].copy()
        return original, masked

    def pil(self) -> float:
        """Probabilistic information loss of the reservoir, 0 to 1 (nan below 50 pairs)."""
        original, masked = self.sample()
        numeric = ~self._nominal
        if len(original) < FEWEST_PAIRS or not numeric.any():
            return math.nan
        before = Microdata.of(original[:, numeric])
        after = Microdata.of(masked[:, numeric])
        return float(registry["PIL"](before, after).value)

    def values(self) -> dict[str, float]:
        """Squared error, its share of the variance, and the change of the correlations."""
        sse = float(self._sse.sum())
        if self._n < 2:
            return {"sse": sse, "loss": math.nan, "correlation": math.nan}
        original, masked = self._covariance(0), self._covariance(1)
        return {
            "sse": sse,
            "loss": self._share_of_variance(np.diag(original)),
            "correlation": _mean_gap(original, masked),
        }

    def _covariance(self, which: int) -> Floats:
        products = self._products[which] / self._n
        sums = self._sums[which]
        covariance: Floats = products - np.outer(sums, sums) / self._n**2
        return covariance

    def _share_of_variance(self, variance: Floats) -> float:
        # a constant column has no variance to compare with
        counted = (variance > 0) & ~self._nominal
        if not counted.any():
            return math.nan
        expected = self._pairs[counted] * variance[counted]
        return float(np.mean(self._sse[counted] / expected))


def _mean_gap(one: Floats, other: Floats) -> float:
    """Mean absolute difference of the correlations of two covariance matrices."""
    upper = np.triu_indices(len(one), 1)
    # a constant column has no correlation: nan, and left out
    with np.errstate(all="ignore"):
        gaps = np.abs(_correlation(one) - _correlation(other))[upper]
    if not gaps.size or np.isnan(gaps).all():
        return math.nan
    return float(np.nanmean(gaps))


def _correlation(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    correlation: Floats = covariance / np.sqrt(np.outer(variance, variance))
    return correlation
