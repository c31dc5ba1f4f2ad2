"""Which masked records compete for an original, and what each has to say for itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.base import distinct
from tacit.attack.metric import Metric
from tacit.microdata import FloatArray

SHOWN = 5


def competitors(x: FloatArray, Y: FloatArray, metric: Metric, price: FloatArray) -> list[dict[str, Any]]:
    """The best distinct masked records for x by distance less dual price, best first."""
    classes = distinct(Y)
    gaps = np.abs(classes.rows - x)
    cost = gaps.sum(axis=1) if metric == "manhattan" else (gaps**2).sum(axis=1)
    cost = np.sqrt(cost) if metric == "euclidean" else cost
    paid = cost - price[classes.first]
    return [
        {
            "record": int(classes.first[j]),
            "identical": int(classes.count[j]),
            "distance": float(cost[j]),
            "price": float(-price[classes.first[j]]),
            "total": float(paid[j]),
        }
        for j in np.argsort(paid, kind="stable")[:SHOWN]
    ]
