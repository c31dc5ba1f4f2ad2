"""The types of arrays that kernels take and give."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Real numbers: values, distances, probabilities."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers: row numbers, codes, group labels."""
Bools: TypeAlias = npt.NDArray[np.bool_]
"""Yes or no for each entry."""
StopFlag: TypeAlias = npt.NDArray[np.int8]
"""One number that another thread sets to non-zero when a kernel should stop early."""
