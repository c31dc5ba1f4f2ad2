"""Table 3.2 of Domingo-Ferrer (2008): is there one rule for blocks that gives the SSE of every d?

2.5 million records are uniform in a cube, so that all blocks of one shape are alike and a sample of
them is enough: the SSE of a reading is the SSE per record of blocks of that shape, times n. Median,
mean and midpoint of box or data are the same cut here, the order of columns does not matter, no
leaf is low enough to be fused, and single precision moves a cut by 1e-7 of the range. What can
differ is how often, and in which columns, the box is halved. `level_sse` gives a level of the tree,
`shape_sse` any box, and `by_capacity` a tree with another largest leaf, in which a leaf is left as
it is when its children would hold fewer than k records on average. What was found is in
docs/explanation/large-files.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import pdtrc

from tacit.base.typing import Floats
from tacit.scale.partition.aggregate import aggregate_block

RECORDS = 2_500_000
K = 3
PUBLISHED = {2: 4.55, 3: 593.64, 4: 7953.22, 5: 37269.3, 10: 916119.0}
# Records in the sampled blocks of one shape; the standard error is then below one percent.
SAMPLE = 60_000
MOST_BLOCKS = 600


@dataclass(frozen=True)
class Estimate:
    """SSE of the whole file and its standard error, from sampled blocks."""

    sse: float
    error: float


def shape_sse(pieces: tuple[int, ...], seed: int = 0) -> Estimate:
    """SSE when column j is cut into pieces[j] equal parts."""
    rng = np.random.default_rng(seed)
    cut = np.array(pieces, dtype=float)
    mean_size = RECORDS / cut.prod()
    blocks = int(max(3, min(MOST_BLOCKS, SAMPLE / mean_size)))
    # a column that is uniform on [0, 1] has the standard deviation 1 / sqrt(12)
    scale = np.full(len(cut), 1.0 / math.sqrt(12.0))
    per_record = []
    for _ in range(blocks):
        size = max(K, int(rng.poisson(mean_size)))
        box: Floats = rng.random((size, len(cut))) / cut
        per_record.append(aggregate_block(box, K, scale)[2] / size)
    error = float(np.std(per_record, ddof=1)) / math.sqrt(blocks)
    return Estimate(RECORDS * float(np.mean(per_record)), RECORDS * error)


def level_sse(d: int, level: int, seed: int = 0) -> Estimate:
    """SSE when all leaves of the 2^d-tree are at one level."""
    return shape_sse((2**level,) * d, seed)


def level_shares(d: int, capacity: float, guard: bool = True) -> dict[int, float]:
    """Share of the records in leaves of each level when leaves hold at most ``capacity``.

    A cell of the level has a Poisson number of records; it is halved if there are more.

    >>> level_shares(10, 10_000)
    {1: 1.0}
    """
    shares: dict[int, float] = {}
    left, level = 1.0, 0
    while left > 1e-4:
        mean_size = RECORDS / 2.0 ** (d * level)
        # a leaf whose children could not be groups on average stays
        too_small = guard and mean_size / 2.0**d < K
        split = 0.0 if too_small else float(pdtrc(capacity, mean_size))
        stay = left * (1.0 - split)
        if stay > 1e-4:
            shares[level] = stay
        left -= stay
        level += 1
    return shares


def by_capacity(d: int, capacity: float, levels: dict[tuple[int, int], float]) -> float:
    """SSE of a tree with this largest leaf; ``levels`` holds those of (d, level)."""
    shares = level_shares(d, capacity)
    return sum(share * levels[d, level] for level, share in shares.items())


def closest_capacity(
    levels: dict[tuple[int, int], float], tried: range = range(300, 12_000, 5)
) -> tuple[int, float]:
    """The largest leaf that comes nearest to all d, and its largest relative distance."""

    def distance(capacity: int) -> float:
        return max(
            abs(by_capacity(d, capacity, levels) / sse - 1.0)
            for d, sse in PUBLISHED.items()
        )

    best = min(tried, key=distance)
    return best, distance(best)
