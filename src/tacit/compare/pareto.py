"""Which points no other beats."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float]
"""Risk and loss; less is better in both."""


def ranks(points: Sequence[Point]) -> list[int]:
    """Layers of the comparison.

    0 for points that no other beats, 1 for those that only layer 0 beats, and so on. A point
    beats another when it is no worse in both and better in one. Points with a NaN come last.
    """
    left = [i for i, point in enumerate(points) if not any(map(math.isnan, point))]
    out = [len(points)] * len(points)
    layer = 0
    while left:
        best = [i for i in left if not any(_beats(points[j], points[i]) for j in left)]
        for i in best:
            out[i] = layer
        left = [i for i in left if i not in set(best)]
        layer += 1
    return out


def _beats(one: Point, other: Point) -> bool:
    """No worse in both, and not the same."""
    return one[0] <= other[0] and one[1] <= other[1] and one != other
