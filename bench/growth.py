"""How time grows with size: the slope of log seconds over log n, fitted by least squares."""

from __future__ import annotations

import math
from collections import defaultdict

from bench.row import Row


def slope(points: list[tuple[float, float]]) -> float | None:
    """Least-squares exponent b of seconds = a * n**b; None with fewer than two different sizes."""
    logs = [(math.log(n), math.log(s)) for n, s in points if n > 0 and s > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    over = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return over / sum((x - mean_x) ** 2 for x, _ in logs)


def fit(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Exponents by series, for ours and for each peer."""
    points: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if not row.series or not row.size:
            continue
        if row.ours_seconds:
            points[row.series]["tacit"].append((row.size, row.ours_seconds))
        if row.peer and row.peer_seconds:
            points[row.series][row.peer].append((row.size, row.peer_seconds))
    fitted: dict[str, dict[str, float]] = {}
    for series, by_who in points.items():
        slopes = {who: slope(p) for who, p in by_who.items()}
        kept = {who: round(s, 3) for who, s in slopes.items() if s is not None}
        if kept:
            fitted[series] = kept
    return fitted
