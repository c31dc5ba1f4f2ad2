"""Martinez Rodriguez (2015), appendix A: the stream tables and their repaired figures.

Each function gives rows (cell, measure, published, computed). Risk: nearest of the last
`window` originals, raw units, ties shared, as published (the intruder's window is the
filter's, 100 for noise). Loss: sum of squared differences. Where the published program differs
from what it was meant to be, `published` is the repaired figure of the errata, except for rank
swapping at window 100, whose reading (p ranks, downwards only) is run as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.datasets import RandomRBF, Waveform
from tacit.kernels.stream.rank_swapping import state
from tacit.kernels.stream.risk import window_risk
from tacit.stream.filters.microaggregation import Microaggregation
from tacit.stream.filters.noise import Noise
from tacit.stream.filters.rank_swapping import RankSwapping

SEED = 1  # of the experiments: nothing is released
# The tables are of so many records; shorter runs are scaled up to them.
RECORDS = 100_000
# The intruder's window where the filter has none of its own.
DEFAULT_WINDOW = 100
GENERATORS = {"rbf": RandomRBF, "waveform": Waveform}

# Amount of noise: (risk, loss).
NOISE = {
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
# p at window 100: (risk, loss).
SWAPPING = {
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
# (window, k): (risk, loss), repaired: true neighbours, the centroid emitted.
GROUPS = {
    "rbf": {
        (100, 3): (0.388, 26269.0),
        (100, 10): (0.069, 72727.0),
        (100, 50): (0.014, 105546.0),
        (1000, 3): (0.366, 13976.0),
        (1000, 10): (0.061, 35046.0),
        (1000, 50): (0.010, 75561.0),
    },
    "waveform": {
        (100, 3): (0.494, 1.166e6),
        (100, 10): (0.093, 2.228e6),
        (100, 50): (0.018, 4.023e6),
    },
}


class Row(NamedTuple):
    """One number of a table and ours."""

    cell: str
    measure: str
    published: float
    computed: float

    @property
    def difference(self) -> float:
        """Relative difference; what rounding explains counts as none."""
        # half a unit of the last printed digit; losses are printed to more than we need
        slack = 0.0005 if self.measure == "risk" else 0.0
        return max(abs(self.computed - self.published) - slack, 0.0) / self.published


def records(generator: str, n: int = RECORDS, seed: int = SEED) -> Floats:
    """The stream of a table, without its class column."""
    values: Floats = GENERATORS[generator](seed=seed).take(n)[0]
    return values


def past_risk(kept: Floats, emitted: Floats, window: int) -> float:
    """The published estimator: emitted[t] against kept[t - window + 1 .. t]."""
    n, d = kept.shape
    success = np.empty(n)
    # raw units: every column is a number and counts as it is
    one, kinds = np.ones(d), np.zeros(d, dtype=np.int64)
    window_risk(
        np.ascontiguousarray(kept.T),
        n,
        np.ascontiguousarray(emitted),
        np.arange(n, dtype=np.int64),
        window - 1,
        0,
        one,
        one,
        kinds,
        success,
    )
    return float(success.mean())


def squared_loss(original: Floats, masked: Floats) -> float:
    """The sum of squared differences, scaled up to the records of the tables."""
    squares = float(((original - masked) ** 2).sum())
    return squares * RECORDS / len(original)


def measure(original: Floats, masked: Floats, window: int) -> tuple[float, float]:
    """(risk, loss) as published."""
    return past_risk(original, masked, window), squared_loss(original, masked)


def _rows(
    cell: str, published: tuple[float, float], got: tuple[float, float]
) -> Iterator[Row]:
    for name, theirs, ours in zip(("risk", "loss"), published, got, strict=True):
        yield Row(cell, name, theirs, ours)


def noise(generator: str, n: int = RECORDS, seed: int = SEED) -> list[Row]:
    """Tables A.1 (rbf) and A.2 (waveform)."""
    x = records(generator, n, seed)
    rows: list[Row] = []
    for amount, published in NOISE[generator].items():
        masked = Noise(percent=100 * amount, random_state=seed).apply(x)
        cell = f"generator={generator} filter=noise a={amount:g}"
        rows += _rows(cell, published, measure(x, masked, DEFAULT_WINDOW))
    return rows


class _Downwards(RankSwapping):
    """The published reading: ranks, towards smaller values only, the smallest stays.

    Not registered: it protects less than its name says.
    """

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        return state(
            self._reach(),
            True,
            kinds,
            self.window,
            self._keys,
        )


def swapping(
    generator: str, n: int = RECORDS, seed: int = SEED, repaired: bool = False
) -> list[Row]:
    """Tables A.5 (rbf) and A.6 (waveform) at window 100.

    `repaired`: with our filter instead of their reading.
    """
    x = records(generator, n, seed)
    kind = RankSwapping if repaired else _Downwards
    rows: list[Row] = []
    for p, published in SWAPPING[generator].items():
        swapping = kind(p=p, window=100, random_state=seed)
        masked = swapping.apply(x)
        cell = f"generator={generator} filter=rank_swapping b=100 p={p}"
        rows += _rows(cell, published, measure(x, masked, 100))
    return rows


def microaggregation(generator: str, n: int = RECORDS, seed: int = SEED) -> list[Row]:
    """The repaired figures; the intruder's window is the filter's."""
    x = records(generator, n, seed)
    rows: list[Row] = []
    for (window, k), published in GROUPS[generator].items():
        masked = Microaggregation(k=k, window=window, scale="none").apply(x)
        cell = f"generator={generator} filter=microaggregation b={window} k={k}"
        rows += _rows(cell, published, measure(x, masked, window))
    return rows
