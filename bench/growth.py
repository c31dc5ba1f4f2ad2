"""How time grows with size: the slope of log seconds over log n, fitted by least squares."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from bench.row import Row

Points = dict[int, float]
OURS = "tacit"


def by_series(rows: Iterable[Row]) -> dict[str, dict[str, Points]]:
    """Seconds by series, by who took them, by size."""
    found: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row.series and row.size:
            if row.ours_seconds:
                found[row.series][OURS][row.size] = row.ours_seconds
            if row.peer and row.peer_seconds:
                found[row.series][row.peer][row.size] = row.peer_seconds
    return found


def slope(points: Points) -> float | None:
    """Least-squares exponent b of seconds = a * n**b; None with fewer than two different sizes."""
    logs = [(math.log(n), math.log(s)) for n, s in points.items() if n > 0 and s > 0]
    if len(logs) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    over = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return over / sum((x - mean_x) ** 2 for x, _ in logs)


def fit(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Exponents by series, for ours and for each peer."""
    fitted: dict[str, dict[str, float]] = {}
    for series, by_who in by_series(rows).items():
        slopes = {who: slope(points) for who, points in by_who.items()}
        kept = {who: round(b, 3) for who, b in slopes.items() if b is not None}
        if kept:
            fitted[series] = kept
    return fitted
