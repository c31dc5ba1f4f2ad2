"""The records from which the models of pMSE and of the classifier learn.

Records are put in an order that depends on their values only before they are dealt into
folds, so that row order does not change a result.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats
from tacit.data.pair import Pair

# Models are trained on at most this many records of each file, spread evenly over the value
# order, so that the time that trees take does not grow with the file.
LARGEST = 5_000


def training_rows(pair: Pair) -> tuple[Floats, Floats]:
    """Both files in value order, thinned where they are large; aligned files stay so."""
    x, z = pair.numbers()
    if pair.aligned:
        order = pair.canonical()
        x, z = x[order], z[order]
    else:
        x, z = _sorted(x), _sorted(z)
    return _thinned(x), _thinned(z)


def _sorted(rows: Floats) -> Floats:
    """Rows by their first column, equal ones by the second, and so on."""
    return rows[np.lexsort(rows.T[::-1])]


def _thinned(rows: Floats) -> Floats:
    """Every so many-th row, so that at most LARGEST are left."""
    step = -(-len(rows) // LARGEST)
    return rows[::step]
