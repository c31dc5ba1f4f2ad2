"""A random number of 64 bits for each record, drawn by its address.

Sorting by such keys gives every order of the records equally often, and breaks ties at random, but
needs no list of all records: the key of a record depends on the seed and on its row alone, so that
any worker draws those of any piece. Two of n records have the same key with a chance of n^2 / 2^65
(three in ten thousand for 100 million); those two stay in the order of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.base import seeds

# records whose keys come from one generator
BLOCK = 8192


@dataclass(frozen=True)
class RowKeys:
    """The keys of records, of any span of rows; small enough to be sent to a worker."""

    seed: int

    def __call__(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        """The keys of the records from ``first`` up to ``stop``.

        >>> keys = RowKeys(7)
        >>> bool((keys(0, 20_000)[9000:9005] == keys(9000, 9005)).all())
        True
        """
        found = np.empty(stop - first, dtype=np.uint64)
        for block in range(first // BLOCK, -(-stop // BLOCK)):
            drawn = seeds.generator(seeds.child(self.seed, block))
            keys = drawn.bit_generator.random_raw(BLOCK)
            low, high = max(first, block * BLOCK), min(stop, (block + 1) * BLOCK)
            found[low - first : high - first] = keys[
                low - block * BLOCK : high - block * BLOCK
            ]
        return found


@dataclass(frozen=True)
class KeyNumbers:
    """The keys of the first n rows, as numbers to be sorted."""

    keys: RowKeys
    n: int

    def read(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        """Those of a span."""
        return self.keys(first, stop)
