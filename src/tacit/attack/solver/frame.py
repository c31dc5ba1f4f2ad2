"""The frame in which neighbours are searched: centred, and turned to the principal axes.

Euclidean distances do not change under a rotation, and boxes along the principal axes are
much tighter (three to five times faster on correlated columns). Turning costs a rounding
error of about 1e-15 times the largest norm: ``Frame.error`` bounds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats
from tacit.kernels.trees import kdtree

# Most columns that are turned: axes cost d^3, and boxes prune little in many
# dimensions.
TURN_UP_TO = 64

# Files with a point this many times beyond the usual distance from the centre are not
# turned: the rounding error grows with the farthest point, not with the usual one.
FAR_OUT = 1e4

# Error of one turned coordinate relative to the largest norm, for each of its d terms:
# about twice the machine epsilon (2.2e-16).
ROUNDING = 4e-16


# Rows that are turned at a time: more would wake the threads of the linear algebra, which wait for
# each other longer than they work. The bits are the same.
BLOCK = 2048


@dataclass(frozen=True)
class Frame:
    """Where the search takes place.

    Attributes
    ----------
    centre, axes
        Points are moved to this centre and turned to these axes; None: as they are.
    error
        What turning may add to a distance.
    """

    centre: Floats
    axes: Floats | None
    error: float

    @classmethod
    def of(
        cls,
        points: Floats,
        others: Floats,
        kind: int,
    ) -> Frame:
        """The principal axes of ``points``; none where turning does not pay or is not safe.

        Parameters
        ----------
        points, others : arrays
            The points that the tree will hold, and those that will look for them.
        kind : int
            Of the kernels; Manhattan distances change under a rotation.
        """
        n, d = points.shape
        if n:
            centre = points.mean(axis=0)
        else:
            centre = np.zeros(d)
        moved = points - centre
        # squared distances from the centre
        norms = np.einsum("ij,ij->i", moved, moved)
        apart = others - centre
        other_norms = np.einsum("ij,ij->i", apart, apart)
        if n:
            usual = float(np.sqrt(norms.mean()))
        else:
            usual = 0.0
        farthest = max(
            float(np.sqrt(norms.max(initial=0.0))),
            float(np.sqrt(other_norms.max(initial=0.0))),
        )
        is_even = farthest < FAR_OUT * max(usual, 1e-300)
        if kind == kdtree.MANHATTAN or not 2 < d <= TURN_UP_TO or not is_even:
            return cls(np.zeros(d), None, 0.0)
        _, axes = np.linalg.eigh(moved.T @ moved)
        # eigh lists the widest axis last; the tree and ``Rounds`` want it first
        widest_first = np.ascontiguousarray(axes[:, ::-1])
        return cls(centre, widest_first, ROUNDING * d * farthest)

    def __call__(self, points: Floats) -> Floats:
        """Points as the search sees them."""
        if self.axes is None:
            return np.ascontiguousarray(points, dtype=np.float64)
        turned = np.empty(points.shape)
        for start in range(0, len(points), BLOCK):
            at = slice(start, start + BLOCK)
            np.matmul(points[at] - self.centre, self.axes, out=turned[at])
        return turned
