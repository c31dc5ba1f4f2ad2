"""RandomRBF: a stream of points around random centres, with the class of the centre.

Each record picks a centre (by weight), a direction (a point of the cube [-1, 1]^d, scaled to
length 1) and a distance N(0, 1) times the centre's deviation. The centres of ``model_seed`` are
those of the generator of the same name in MOA (java.util.Random, drawn in its order), so results
can be compared with the literature; the records themselves are drawn by numpy, in blocks of
fixed size, so that record i is the same however many are asked for.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.datasets.block_stream import BlockStream

# The constants are those of the documentation of java.util.Random.
_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


class JavaRandom:
    """The linear congruential generator of java.util.Random, as its documentation says.

    Parameters
    ----------
    seed : int
        The seed that a Java program would give.
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    @property
    def state(self) -> int:
        """The 48 bits that the next number is made of."""
        return self._state

    def _next(self, bits: int) -> int:
        """The highest bits of the next state, of 48."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> (48 - bits)

    def next_double(self) -> float:
        """Uniform on [0, 1): 53 bits, of two steps."""
        high = self._next(26) << 27
        return (high + self._next(27)) * 2.0**-53

    def next_int(self, bound: int) -> int:
        """Uniform on 0 .. bound - 1."""
        is_power_of_two = bound & (bound - 1) == 0
        if is_power_of_two:
            return (bound * self._next(31)) >> 31
        while True:
            drawn = self._next(31)
            value = drawn % bound
            # draws beyond the last full multiple of the bound would favour small values
            if drawn - value + bound - 1 < 1 << 31:
                return value


class RandomRBF(BlockStream):
    """RandomRBF stream; the defaults are those of the literature.

    Parameters
    ----------
    seed : int
        Seed of the records.
    columns : int
        Number of columns.
    centres : int
        Number of centres.
    classes : int
        Number of classes.
    model_seed : int
        Seed of the centres, as in MOA.

    Examples
    --------
    >>> x, y = RandomRBF(seed=1).take(5)
    >>> x.shape, y.shape
    ((5, 10), (5,))
    """

    def __init__(
        self,
        seed: int = 1,
        columns: int = 10,
        centres: int = 50,
        classes: int = 2,
        model_seed: int = 1,
    ) -> None:
        self.seed = seed
        self.names = tuple(f"att{j + 1}" for j in range(columns))
        java = JavaRandom(model_seed)
        centre, label, deviation, weight = [], [], [], []
        for _ in range(centres):
            # MOA draws in this order; another one gives other centres
            centre.append([java.next_double() for _ in range(columns)])
            label.append(java.next_int(classes))
            deviation.append(java.next_double())
            weight.append(java.next_double())
        self.centres = np.array(centre)
        self.labels = np.array(label, dtype=np.int64)
        self.deviations = np.array(deviation)
        self.weights = np.array(weight)
        self._cumulative = np.cumsum(weight) / np.sum(weight)

    def _block(self, rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
        drawn = np.searchsorted(self._cumulative, rng.random(n), side="right")
        # rounding may leave the last cumulative weight a hair below 1
        which = np.minimum(drawn, len(self.labels) - 1)
        direction = rng.uniform(-1.0, 1.0, (n, len(self.names)))
        distance = rng.standard_normal(n) * self.deviations[which]
        length = distance / np.linalg.norm(direction, axis=1)
        points = self.centres[which] + direction * length[:, None]
        return points, self.labels[which]
