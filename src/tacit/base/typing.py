"""Types that every room uses, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Bools, Floats, Ints

__all__ = ["TIE", "Bools", "Floats", "Ints", "Objects", "Progress"]

Objects: TypeAlias = npt.NDArray[np.object_]
"""Python values, mostly names and categories."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)`` before each part of the work."""

# far above the rounding of a sum of squares (about 1e-16 per term), far below any difference
# that data have
TIE = 1e-12
"""Two distances closer than this, relative to their size, are the same: they differ by rounding."""
