"""The published stream tables (004, appendix A) and their repaired figures, computed with these filters.

Each function gives rows (cell, measure, published, computed). Risk: nearest of the last `window` originals, raw units,
ties shared, as published (the intruder's window is the filter's, 100 for noise). Loss: sum of squared differences.
Where the published program differs from what it was meant to be, `published` is the repaired figure of the errata,
except for rank swapping at window 100, whose reading (p ranks, downwards only) is run as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.stream.microaggregation import Microaggregation
from tacit.stream.noise import Noise
from tacit.stream.rank_swapping import RankSwapping

FloatArray = NDArray[np.float64]
RECORDS = 100_000

NOISE = {  # amount: (risk, loss)
    "rbf": {
        0.1: (0.956, 1123.97),
        0.25: (0.889, 7024.83),
        0.5: (0.774, 28099.33),
        0.75: (0.596, 63223.50),
        1.0: (0.430, 112397.34),
    },
    "waveform": {
        0.1: (1.000, 50741.41),
        0.25: (1.000, 317133.83),
        0.5: (0.996, 1268535.34),
        0.75: (0.919, 2854204.53),
        1.0: (0.742, 5074141.39),
    },
}
SWAPPING = {  # p at window 100: (risk, loss)
    "rbf": {
        10: (0.838, 19136.62),
        25: (0.469, 57753.05),
        50: (0.070, 136791.17),
        75: (0.036, 178200.11),
        80: (0.037, 178685.81),
    },
    "waveform": {
        10: (0.997, 705196.07),
        25: (0.776, 2464673.56),
        50: (0.112, 6195304.18),
        75: (0.046, 8088473.27),
        80: (0.045, 8097619.70),
    },
}
GROUPS = {  # (window, k): (risk, loss), repaired: true neighbours, the centroid emitted
    "rbf": {
        (100, 3): (0.388, 26269.0),
        (100, 10): (0.069, 72727.0),
        (100, 50): (0.014, 105546.0),
        (1000, 3): (0.366, 13976.0),
        (1000, 10): (0.061, 35046.0),
        (1000, 50): (0.010, 75561.0),
    },
    "waveform": {(100, 3): (0.494, 1.166e6), (100, 10): (0.093, 2.228e6), (100, 50): (0.018, 4.023e6)},
}


class Row(NamedTuple):
    """One number of a table and ours."""

    cell: str
    measure: str
    published: float
    computed: float

    @property
    def difference(self) -> float:
        """Relative difference; what half a unit of the last printed digit explains counts as none."""
        slack = 0.0005 if self.measure == "risk" else 0.0
        return max(abs(self.computed - self.published) - slack, 0.0) / self.published


def records(generator: str, n: int = RECORDS, seed: int = 1) -> FloatArray:
    """The stream of a table."""
    from tacit.datasets import RandomRBF, Waveform

    values: FloatArray = {"rbf": RandomRBF, "waveform": Waveform}[generator](seed=seed).take(n)[0]
    return values


def measure(original: FloatArray, masked: FloatArray, window: int) -> tuple[float, float]:
    """(risk, loss) as published."""
    from tacit.kernels.stream_risk import window_risk

    n, d = original.shape
    out, one, kinds = np.empty(n), np.ones(d), np.zeros(d, dtype=np.int64)
    columns = np.ascontiguousarray(original.T)
    window_risk(columns, n, masked, np.arange(n), window - 1, 0, one, one, kinds, out)
    return float(out.mean()), float(((original - masked) ** 2).sum()) * RECORDS / n


def _rows(cell: str, published: tuple[float, float], got: tuple[float, float]) -> Iterator[Row]:
    for name, theirs, ours in zip(("risk", "loss"), published, got, strict=True):
        yield Row(cell, name, theirs, ours)


def noise(generator: str, n: int = RECORDS, seed: int = 1) -> list[Row]:
    """Tables A.1 (rbf) and A.2 (waveform)."""
    x = records(generator, n, seed)
    rows: list[Row] = []
    for amount, published in NOISE[generator].items():
        masked = Noise(amount=amount, random_state=seed).apply(x)
        rows += _rows(f"generator={generator} filter=noise a={amount:g}", published, measure(x, masked, 100))
    return rows


class _Downwards(RankSwapping):
    """The published reading: ranks, towards smaller values only, the smallest stays. Not registered."""

    def _state(self, kinds: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.int64]]:
        from tacit.kernels.stream_swap import state

        return state(self._reach(), True, kinds, self.window, self._keys)


def swapping(generator: str, n: int = RECORDS, seed: int = 1, repaired: bool = False) -> list[Row]:
    """Tables A.5 (rbf) and A.6 (waveform) at window 100; `repaired`: with our filter instead of their reading."""
    x = records(generator, n, seed)
    kind = RankSwapping if repaired else _Downwards
    rows: list[Row] = []
    for p, published in SWAPPING[generator].items():
        masked = kind(percent=p, window=100, random_state=seed).apply(x)
        cell = f"generator={generator} filter=rank_swapping b=100 p={p}"
        rows += _rows(cell, published, measure(x, masked, 100))
    return rows


def microaggregation(generator: str, n: int = RECORDS, seed: int = 1) -> list[Row]:
    """The repaired figures; the intruder's window is the filter's."""
    x = records(generator, n, seed)
    rows: list[Row] = []
    for (window, k), published in GROUPS[generator].items():
        masked = Microaggregation(k=k, window=window, scale="none").apply(x)
        cell = f"generator={generator} filter=microaggregation b={window} k={k}"
        rows += _rows(cell, published, measure(x, masked, window))
    return rows
