"""The squared error of replacing records by the means of their groups."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def squared_error(values: Floats, means: Floats, label: Ints, scale: Floats) -> float:
    """Sum over records and columns of ((x - group mean) / scale)^2; missing values (NaN) have no error."""
    out = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if not np.isnan(values[i, j]):
                out += ((values[i, j] - means[label[i], j]) / scale[j]) ** 2
    return out
