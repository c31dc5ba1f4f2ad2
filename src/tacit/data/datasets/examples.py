"""The worked examples of the papers, small enough to check by hand.

Tests, docs and ``tacit reproduce`` use them. Source: Rodriguez Fernandez (2013), sections 2.3.2
and 3.1 to 3.2.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats


def _table(*rows: tuple[float, ...]) -> Floats:
    """The rows as an array of real numbers."""
    return np.array(rows, dtype=np.float64)


#: weights of the 4 x 4 assignment example (rows 1-4, columns A-D); to be maximised
MATCHING_WEIGHTS = _table(
    (2, 5, 3, 4),
    (7, 7, 7, 5),
    (6, 8, 5, 8),
    (6, 6, 1, 3),
)
#: its optimum: value, and the column of each row: (1,B) (2,C) (3,D) (4,A)
MATCHING_VALUE = 26.0
MATCHING_COLUMNS = (1, 2, 3, 0)

#: four records with quasi-identifiers a1, a2 and a confidential a3
RECORDS = _table(
    (8, 9, 1),
    (6, 7, 10),
    (10, 3, 4),
    (7, 1, 2),
)
#: Table 3.1: noise with sigma = 25 (one published draw)
NOISE_25 = _table(
    (8.575, 7.681),
    (6.402, 8.266),
    (10.640, 4.217),
    (7.235, 1.753),
)
#: Table 3.2: rank swapping with p = 2 (one published draw)
SWAPPED_2 = _table(
    (6, 7),
    (10, 9),
    (7, 1),
    (8, 3),
)
#: Table 3.3: microaggregation of both attributes, k = 2
MICROAGGREGATED_2 = _table(
    (7, 8),
    (7, 8),
    (8.5, 2),
    (8.5, 2),
)
#: Table 3.4: microaggregation of each attribute, k = 2
UNIVARIATE_2 = _table(
    (9, 8),
    (6.5, 8),
    (9, 2),
    (6.5, 2),
)
#: Table 3.5: the published distances between RECORDS and NOISE_25. No scaling of the columns
#: reproduces them (the best least-squares scales err by up to 0.2), but the nearest masked
#: record of each original is the same.
DISTANCES = _table(
    (0.200, 1.131, 1.079, 0.977),
    (1.217, 0.178, 1.345, 1.499),
    (0.954, 1.523, 0.195, 0.598),
    (0.990, 1.663, 0.899, 0.105),
)
