"""Streams that are drawn in blocks of fixed size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.base.typing import Floats, Ints

# Records of one block. It is part of what a seed means: another size gives other records.
BLOCK = 4096


class BlockStream:
    """Records drawn in blocks: record i depends on the seed and on i only."""

    names: tuple[str, ...]
    seed: int

    def _block(self, rng: np.random.Generator, n: int) -> tuple[Floats, Ints]:
        """Draw n records: values (n, d) and classes (n)."""
        raise NotImplementedError

    def rows(self, start: int, stop: int) -> tuple[Floats, Ints]:
        """Records start..stop: values (n, d) and classes (n)."""
        values, labels = [], []
        first = start // BLOCK
        last = max(start, stop - 1) // BLOCK
        for number in range(first, last + 1):
            # a generator of its own for each block: no other need be drawn
            rng = np.random.default_rng([self.seed, number])
            x, y = self._block(rng, BLOCK)
            before = number * BLOCK
            inside = slice(max(start - before, 0), max(stop - before, 0))
            values.append(x[inside])
            labels.append(y[inside])
        return np.concatenate(values), np.concatenate(labels)

    def take(self, n: int) -> tuple[Floats, Ints]:
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
