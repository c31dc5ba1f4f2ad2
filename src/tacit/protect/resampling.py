"""Resampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.microdata import Kind, Microdata
from tacit.data.out_of_core.number_files import ArrayNumbers, NumberSource
from tacit.data.out_of_core.sorting import SortedNumbers
from tacit.protect import by_address
from tacit.protect.base import Protector, Seed
from tacit.protect.by_rank import random_order

# ranks that are drawn from by one generator
BLOCK = 8192


class Resampling(Protector):
    """Replace the j-th smallest value by the average of the j-th smallest values of t samples.

    Parameters
    ----------
    samples : int
        The number t of samples that are averaged.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Notes
    -----
    **Definition.** For each column t samples of n values are drawn with replacement from the
    column and sorted; the record of rank j takes the mean of their j-th values (equal values
    in random order of rank). Missing values stay missing.

    **Guarantee.** None; ranks are kept, the distribution in expectation.

    **Cost.** One sort per column, and t linear passes.

    **Known attacks.** Ranks are kept, so rank-based linkage finds most records.

    References
    ----------
    Heer (1993); Domingo-Ferrer and Mateo-Sanz (1999).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[3.0], [1.0], [2.0]])
    >>> masked = Resampling(samples=3, random_state=1).fit_transform(x)
    >>> bool(masked[1, 0] <= masked[2, 0] <= masked[0, 0])
    True
    """

    title = "Resampling"
    family = "swapping"
    purpose = "replace values by averages over ordered bootstrap samples"
    goal = "blur numbers"
    plain = {"samples": "samples that are averaged"}
    attacker = "informed.resampling:AwareResampling"

    # values are averaged, which needs numbers
    kinds = frozenset({Kind.continuous})

    whole_file = (
        "it draws from the whole column, and inside a block values would hardly move"
    )
    passes = "ranks"

    def __init__(
        self,
        samples: Annotated[int, Ge(1)] = 3,
        columns: list[str] | None = None,
        by: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.samples = samples
        self.columns = columns
        self.by = by
        self.random_state = random_state

    def in_rank_order(
        self, ordered: SortedNumbers, rng: np.random.Generator, folder: SpillFolder
    ) -> Resampled:
        """The mean of the values of each rank, drawn block by block."""
        return Resampled.drawn(ordered.values, ordered.rows, self.samples, rng)

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        values = data.numbers(columns)
        for j in range(len(columns)):
            values[:, j] = resample(values[:, j], self.samples, rng)
        return data.with_numbers(columns, values)


def resample(
    values: Floats,
    samples: int,
    rng: np.random.Generator,
) -> Floats:
    """One column resampled; NaN stays where it is."""
    present = np.flatnonzero(~np.isnan(values))
    size = present.size
    if not size:
        return values.copy()
    if len(values) > by_address.BLOCK:
        order = random_order(values[present], present, len(values), rng)
        in_order, rows = ArrayNumbers(values[order]), ArrayNumbers(order)
        found, means = Resampled.drawn(in_order, rows, samples, rng)((0, size))
        out = values.copy()
        out[found] = means
        return out
    # the record of rank j takes the mean of the j-th values of all samples
    ordered = np.sort(values[present])
    total = np.zeros(size)
    for _ in range(samples):
        # sorting the drawn positions sorts the drawn values: a counting sort
        drawn = rng.integers(0, size, size)
        times_drawn = np.bincount(drawn, minlength=size)
        total += np.repeat(ordered, times_drawn)
    order = random_order(values[present], present, len(values), rng)
    out = values.copy()
    out[order] = total / samples
    return out


@dataclass(frozen=True)
class Resampled:
    """Rows and means of a span of ranks, drawn so that any span can be had without the others.

    How many of the n values of a sample fall into each block of 8,192 ranks is multinomial; which
    ones they are is drawn in each block by a generator of its own. That is the law of n draws
    with replacement, and a sample comes sorted, block after block.
    """

    values: NumberSource
    rows: NumberSource
    # of each sample: where the draws of each block begin, and the key of its generators
    starts: Ints
    keys: tuple[int, ...]

    @classmethod
    def drawn(
        cls,
        values: NumberSource,
        rows: NumberSource,
        samples: int,
        rng: np.random.Generator,
    ) -> Resampled:
        """Draw how many values of each sample fall into each block."""
        n = values.n
        lengths = np.diff(np.append(np.arange(0, n, BLOCK), n))
        starts = np.zeros((samples, len(lengths) + 1), dtype=np.int64)
        keys = []
        for sample in range(samples):
            keys.append(by_address.root(rng))
            counts = rng.multinomial(n, lengths / n) if n else lengths
            starts[sample, 1:] = np.cumsum(counts)
        return cls(values, rows, starts, tuple(keys))

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        """(rows, means) of a span of ranks."""
        first, stop = item
        total = np.zeros(stop - first)
        for starts, key in zip(self.starts, self.keys, strict=True):
            total += self._of_sample(starts, by_address.Draws(key), first, stop)
        return self.rows.read(first, stop), total / len(self.keys)

    def _of_sample(
        self, starts: Ints, draws: by_address.Draws, first: int, stop: int
    ) -> Floats:
        """The values of one sample at a span of its ranks."""
        block = int(np.searchsorted(starts, first, side="right")) - 1
        found, begin = [], int(starts[block])
        while starts[block] < stop:
            low = block * BLOCK
            values = self.values.read(low, min(low + BLOCK, self.values.n))
            count = int(starts[block + 1] - starts[block])
            drawn = draws.at(block).integers(0, len(values), count)
            # sorting the drawn positions sorts the drawn values: a counting sort
            found.append(np.repeat(values, np.bincount(drawn, minlength=len(values))))
            block += 1
        return np.concatenate(found)[first - begin : stop - begin]
