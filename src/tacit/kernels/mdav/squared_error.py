"""The squared error of replacing records by the means of their groups.

Idea. One pass over the records, in their order, so that the sum has the same digits each
time. Invariant: a missing value adds nothing, whatever the mean of its group is.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def squared_error(
    values: Floats,
    means: Floats,
    label: Ints,
    scale: Floats,
) -> float:
    """Sum over records and columns of ((x - group mean) / scale)^2.

    Missing values (NaN) have no error.
    """
    total = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if not np.isnan(values[i, j]):
                gap = values[i, j] - means[label[i], j]
                total += (gap / scale[j]) ** 2
    return total
