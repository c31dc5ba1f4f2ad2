"""RandomRBF: a stream of points around random centres, with the class of the centre.

Each record picks a centre (by weight), a direction (a point of the cube [-1, 1]^d, scaled to length 1) and a distance
N(0, 1) times the centre's deviation. The centres of ``model_seed`` are those of the generator of the same name in
MOA (java.util.Random, drawn in its order), so results can be compared with the literature; the records themselves
are drawn by numpy, in blocks of fixed size, so that record i is the same however many are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BLOCK = 4096
_MASK = (1 << 48) - 1


class JavaRandom:
    """The linear congruential generator of java.util.Random, as its documentation defines it."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & _MASK

    def _next(self, bits: int) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & _MASK
        return self._state >> (48 - bits)

    def next_double(self) -> float:
        high = self._next(26) << 27
        return (high + self._next(27)) * 2.0**-53

    def next_int(self, bound: int) -> int:
        if bound & (bound - 1) == 0:
            return (bound * self._next(31)) >> 31
        while True:
            drawn = self._next(31)
            value = drawn % bound
            if drawn - value + bound - 1 < 1 << 31:
                return value


class BlockStream:
    """Records drawn in blocks of fixed size: record i depends on the seed and on i only."""

    names: tuple[str, ...]
    seed: int

    def _block(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, IntArray]:
        raise NotImplementedError

    def rows(self, start: int, stop: int) -> tuple[FloatArray, IntArray]:
        """Records start..stop: values (n, d) and classes (n)."""
        parts = []
        for number in range(start // BLOCK, max(start, stop - 1) // BLOCK + 1):
            x, y = self._block(np.random.default_rng([self.seed, number]), BLOCK)
            inside = slice(max(start - number * BLOCK, 0), max(stop - number * BLOCK, 0))
            parts.append((x[inside], y[inside]))
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def take(self, n: int) -> tuple[FloatArray, IntArray]:
        """The first n records: values (n, d) and classes (n)."""
        return self.rows(0, n)

    def __iter__(self) -> Iterator[tuple[dict[str, float], int]]:
        """(record as a dict, class), without end."""
        start = 0
        while True:
            x, y = self.rows(start, start + BLOCK)
            for values, label in zip(x.tolist(), y.tolist(), strict=True):
                yield dict(zip(self.names, values, strict=True)), label
            start += BLOCK


class RandomRBF(BlockStream):
    """RandomRBF stream; the defaults are those of the literature (50 centres, 10 columns, 2 classes).

    >>> x, y = RandomRBF(seed=1).take(5)
    >>> x.shape, y.shape
    ((5, 10), (5,))
    """

    def __init__(
        self, seed: int = 1, columns: int = 10, centres: int = 50, classes: int = 2, model_seed: int = 1
    ) -> None:
        self.seed = seed
        self.names = tuple(f"att{j + 1}" for j in range(columns))
        java = JavaRandom(model_seed)
        centre, label, deviation, weight = [], [], [], []
        for _ in range(centres):
            centre.append([java.next_double() for _ in range(columns)])
            label.append(java.next_int(classes))
            deviation.append(java.next_double())
            weight.append(java.next_double())
        self.centres = np.array(centre)
        self.labels = np.array(label, dtype=np.int64)
        self.deviations = np.array(deviation)
        self._cumulative = np.cumsum(weight) / np.sum(weight)

    def _block(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, IntArray]:
        which = np.minimum(np.searchsorted(self._cumulative, rng.random(n), side="right"), len(self.labels) - 1)
        direction = rng.uniform(-1.0, 1.0, (n, len(self.names)))
        length = rng.standard_normal(n) * self.deviations[which] / np.linalg.norm(direction, axis=1)
        return self.centres[which] + direction * length[:, None], self.labels[which]
