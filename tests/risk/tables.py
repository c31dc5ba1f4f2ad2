"""Small tables whose risks are worked out by hand in the tests."""

import numpy as np

# the published eight-record example: Key1..Key4 and its weights
FRANCDAT_KEYS = np.array(
    [
        [1, 2, 5, 1],
        [1, 2, 1, 1],
        [1, 2, 1, 1],
        [3, 3, 1, 5],
        [4, 3, 1, 4],
        [4, 3, 1, 1],
        [6, 2, 1, 5],
        [1, 2, 5, 1],
    ],
    float,
)
FRANCDAT_WEIGHTS = np.array([18, 45.5, 39, 17, 541, 8, 5, 92])
