"""Live information loss: squared error, its share of the variance, and what happens to the correlations."""

from __future__ import annotations

import numpy as np

from tacit.stream.monitor import FloatArray, IntArray, Passage


class LossMonitor:
    """Compares what left with what arrived.

    ``sse``: sum of squared differences in the units of the data (a differing category counts 1), as in 004, section
    6.3.2; ``loss``: the same over all records and columns divided by the column's variance, so 0 is unchanged and 1
    is as far off as the mean; ``correlation``: mean absolute difference of the correlations of both streams.
    A reservoir of ``sample`` pairs (uniform over the stream) is kept for measures that need files: `sample()`.
    """

    def __init__(self, sample: int = 1000, seed: int = 0) -> None:
        self.size = sample
        self.seed = seed

    def start(self, kinds: IntArray, first: int = 0) -> None:
        d = len(kinds)
        self._nominal = kinds == 2
        self._sse = np.zeros(d)
        self._n = 0
        self._pairs = np.zeros(d)  # records with the column present on both sides
        self._shift: FloatArray | None = None
        self._sums = [np.zeros(d), np.zeros(d)]
        self._products = [np.zeros((d, d)), np.zeros((d, d))]
        self._kept = np.empty((2, self.size, d))
        self._rng = np.random.default_rng(self.seed)

    def arrive(self, rows: FloatArray) -> None:
        """Nothing to do: loss is counted when a record leaves."""

    def leave(self, block: Passage) -> None:
        original, masked = block.originals, block.masked
        if not len(original):
            return
        gap = masked - original
        if self._nominal.any():
            differ = (gap != 0).astype(np.float64)
            gap = np.where(self._nominal & ~np.isnan(gap), differ, gap)
        holes = np.isnan(gap)
        if holes.any():
            gap = np.where(holes, 0.0, gap)
            original, masked = np.where(holes, np.nan, original), np.where(holes, np.nan, masked)
        self._sse += np.einsum("ij,ij->j", gap, gap)
        self._pairs += len(gap) - holes.sum(axis=0)
        if self._shift is None:
            self._shift = np.where(holes[0], 0.0, original[0])
        for which, rows in enumerate((original, masked)):
            centred = rows - self._shift
            if holes.any():
                centred = np.where(np.isnan(centred), 0.0, centred)
            self._sums[which] += centred.sum(axis=0)
            self._products[which] += centred.T @ centred
        self._reservoir(block.originals, block.masked)
        self._n += len(gap)

    def _reservoir(self, original: FloatArray, masked: FloatArray) -> None:
        room = max(0, min(self.size - self._n, len(original)))
        self._kept[0, self._n : self._n + room] = original[:room]
        self._kept[1, self._n : self._n + room] = masked[:room]
        if room < len(original):
            number = self._n + np.arange(room, len(original))
            slot = (self._rng.random(len(number)) * (number + 1)).astype(np.int64)
            chosen = np.flatnonzero(slot < self.size)
            self._kept[0, slot[chosen]] = original[room:][chosen]
            self._kept[1, slot[chosen]] = masked[room:][chosen]

    def finish(self) -> None:
        """Nothing is waiting."""

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """The reservoir: original rows and their masked rows."""
        n = min(self._n, self.size)
        return self._kept[0, :n].copy(), self._kept[1, :n].copy()

    def pil(self) -> float:
        """Probabilistic information loss of the reservoir, 0 to 1 (nan below 50 pairs)."""
        original, masked = self.sample()
        keep = ~self._nominal
        if len(original) < 50 or not keep.any():
            return float("nan")
        from tacit.loss import registry
        from tacit.microdata import Microdata

        return float(registry["PIL"](Microdata.of(original[:, keep]), Microdata.of(masked[:, keep])).value)

    def values(self) -> dict[str, float]:
        n = self._n
        if n < 2:
            return {"sse": float(self._sse.sum()), "loss": float("nan"), "correlation": float("nan")}
        covariance = [p / n - np.outer(s, s) / n**2 for p, s in zip(self._products, self._sums, strict=True)]
        variance = np.diag(covariance[0])
        ok = (variance > 0) & ~self._nominal
        loss = float(np.mean(self._sse[ok] / (self._pairs[ok] * variance[ok]))) if ok.any() else float("nan")
        upper = np.triu_indices(len(variance), 1)
        with np.errstate(all="ignore"):
            r = [c / np.sqrt(np.outer(np.diag(c), np.diag(c))) for c in covariance]
            gaps = np.abs(r[0] - r[1])[upper]
        correlation = float(np.nanmean(gaps)) if gaps.size and not np.isnan(gaps).all() else float("nan")
        return {"sse": float(self._sse.sum()), "loss": loss, "correlation": correlation}
