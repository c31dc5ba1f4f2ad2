"""Which masked records compete for an original, and what each has to say for itself."""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy as np

from tacit.attack.base import distinct
from tacit.attack.common_classes import in_common_classes
from tacit.attack.distances import vectors
from tacit.attack.solver.metric import Metric
from tacit.base.typing import Floats
from tacit.data.fill_in import as_read
from tacit.data.microdata import Microdata

# Competitors listed: enough to see a close race, few enough to read
SHOWN = 5


class Competitor(TypedDict):
    """One masked record that could be the original's, with what it would cost."""

    record: int
    identical: int
    distance: float
    price: float
    total: float
    held_by: NotRequired[int | None]


def competitors(
    x: Floats,
    Y: Floats,
    metric: Metric,
    price: Floats,
) -> list[Competitor]:
    """The best distinct masked records for x by distance less dual price, best first.

    Parameters
    ----------
    x, Y : arrays
        Vector of the original, and vectors of the masked records.
    metric : str
        What lies between the vectors.
    price : array
        Dual of each masked record; zeros where records do not rule each other out.
    """
    classes = distinct(Y)
    gaps = np.abs(classes.rows - x)
    if metric == "manhattan":
        distance = gaps.sum(axis=1)
    else:
        squared = (gaps**2).sum(axis=1)
        if metric == "euclidean":
            distance = np.sqrt(squared)
        else:
            distance = squared
    total = distance - price[classes.first]
    best = np.argsort(total, kind="stable")[:SHOWN]
    return [
        {
            "record": int(classes.first[j]),
            "identical": int(classes.count[j]),
            "distance": float(distance[j]),
            # duals of wanted records are negative; people read a price as positive
            "price": float(-price[classes.first[j]]),
            "total": float(total[j]),
        }
        for j in best
    ]


def competing(
    original: Microdata, masked: Microdata, columns: list[str], i: int
) -> list[Competitor]:
    """The masked records that are nearest to original i on these columns, as `Nearest` compares.

    One record alone: it costs one pass over the release, and no attack on all.
    """
    ours, seen = in_common_classes(original, as_read(masked, original), columns)
    X, Y, metric = vectors(ours, seen, columns)
    return competitors(X[i], Y, metric, np.zeros(len(Y)))
