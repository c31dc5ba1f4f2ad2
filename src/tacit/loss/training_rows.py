"""The records from which the models of pMSE and of the classifier learn.

Records are put in an order that depends on their values only before they are dealt into
folds, so that row order does not change a result.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair

# Models are trained on at most this many records of each file, spread evenly over the value
# order, so that the time that trees take does not grow with the file.
LARGEST = 5_000


def training_rows(pair: Pair) -> tuple[Floats, Floats]:
    """Both files in value order, thinned where they are large; aligned files stay so."""
    if not pair.held:
        return _on_disk(pair)
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
    return rows[_chosen(len(rows))]


def _chosen(n: int) -> Ints:
    """The places of these rows."""
    return np.arange(0, n, max(1, -(-n // LARGEST)))


def _on_disk(pair: Pair) -> tuple[Floats, Floats]:
    """The same of files on the disk, which are put in order there; only these rows are held."""
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.out_of_core.disk_rows import DiskRows, value_order
    from tacit.data.out_of_core.order_counts import at_rising

    both = pair.rows(pair.columns)
    chosen = []
    for side in both:
        assert isinstance(side, DiskRows)
        chosen.append(side)
    if pair.aligned:
        rows = pair.canonical_at(_chosen(pair.original.n))
        return chosen[0].take(rows), chosen[1].take(rows)
    x, z = (
        side.take(at_rising(value_order([side]), _chosen(side.n)).astype(np.int64))
        for side in chosen
    )
    return x, z
