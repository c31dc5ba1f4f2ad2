"""Waveform: mixtures of two of three triangular waves, with noise (Breiman and others 1984)."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.datasets.block_stream import BlockStream

_COLUMNS = np.arange(21)
# where each wave reaches its height of 6
_PEAKS = np.array([6, 14, 10])
_DISTANCE = np.abs(_COLUMNS - _PEAKS[:, None])
WAVES = np.maximum(6 - _DISTANCE, 0).astype(np.float64)
# the two waves that each class mixes
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


class Waveform(BlockStream):
    """Waveform stream: 21 columns, three classes (one for each pair of waves).

    Parameters
    ----------
    seed : int
        Seed of the records.

    Notes
    -----
    **Definition.** x = u * wave_a + (1 - u) * wave_b + N(0, 1) in every column, u uniform.

    Examples
    --------
    >>> x, y = Waveform(seed=1).take(5)
    >>> x.shape, sorted(set(y)) <= [0, 1, 2]
    ((5, 21), True)
    """

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.names = tuple(f"att{j + 1}" for j in range(WAVES.shape[1]))

    def _block(self, rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
        label = rng.integers(0, 3, n)
        share = rng.random(n)[:, None]
        first = WAVES[_PAIRS[label, 0]]
        second = WAVES[_PAIRS[label, 1]]
        noise = rng.standard_normal((n, WAVES.shape[1]))
        return share * first + (1.0 - share) * second + noise, label
