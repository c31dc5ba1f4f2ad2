"""Linkage: nearest record and certified assignment against scipy's kd-tree and dense solver.

Files are census-like (13 columns), masked by normal noise of sigma percent of each column's sd, and divided by the
larger maximum of both files. Notes give processor seconds too: on a busy machine they compare better than the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import Row, best, peak_memory_mb


def files(n: int, sigma: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    from tacit.datasets.census import make_census

    x = np.column_stack([np.asarray(c, dtype=float) for c in make_census(n, seed).columns])
    z = x + np.random.default_rng(seed + 1).normal(size=x.shape) * sigma / 100 * x.std(axis=0, ddof=1)
    unit = np.maximum(np.abs(x).max(axis=0), np.abs(z).max(axis=0))
    return x / unit, z / unit


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    out = function()
    return out, time.perf_counter() - wall, time.process_time() - cpu


def dense(x: np.ndarray, z: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    matrix = cdist(x, z)
    i, j = linear_sum_assignment(matrix)
    return float(matrix[i, j].sum())


def twelve_both_ways(x: np.ndarray, z: np.ndarray) -> None:
    from scipy.spatial import cKDTree

    cKDTree(z).query(x, 12, workers=-1)
    cKDTree(x).query(z, 12, workers=-1)


def against_dense(n: int, sigma: float, repeat: int) -> Row:
    from tacit.attack.solve import assign

    x, z = files(n, sigma)
    found = assign(x, z)
    ours = best(lambda: assign(x, z), repeat=repeat)
    cost, theirs, _ = timed(lambda: dense(x, z))
    return Row(
        f"assignment, census-like, sigma={sigma:g}",
        ours,
        "scipy linear_sum_assignment with cdist",
        theirs,
        memory_mb=peak_memory_mb(lambda: assign(x, z)),
        note=f"certified {found.certified}, relative difference of cost {abs(found.cost - cost) / cost:.1e}",
        size=n,
        series=f"assignment, sigma={sigma:g}",
    )


def against_neighbours(n: int, sigma: float) -> Row:
    """The whole certified run against scipy's 12 nearest in both directions; a ratio of 0.4 is 2.5 times as long."""
    from tacit.attack.solve import assign

    x, z = files(n, sigma)
    found, ours, cpu = timed(lambda: assign(x, z))
    _, theirs, their_cpu = timed(lambda: twelve_both_ways(x, z))
    correct = int((found.match == np.arange(n)).sum())
    return Row(
        f"assignment, census-like, sigma={sigma:g}",
        ours,
        "scipy cKDTree, 12 nearest both ways",
        theirs,
        note=f"certified {found.certified}, gap {found.gap:.1e}, {len(found.log)} rounds, {correct} on the same "
        f"row; cpu {cpu:.1f} s against {their_cpu:.1f} s",
        size=n,
        series=f"assignment, sigma={sigma:g}",
    )


def nearest(n: int, sigma: float) -> Row:
    from scipy.spatial import cKDTree

    from tacit.attack.neighbours import nearest_with_ties

    x, z = files(n, sigma)
    nearest_with_ties(x[:100], z[:100])
    (distance, indptr, _), ours, cpu = timed(lambda: nearest_with_ties(x, z))
    (theirs_distance, _), theirs, their_cpu = timed(lambda: cKDTree(z).query(x, 1, workers=-1))
    return Row(
        f"nearest record with ties, sigma={sigma:g}",
        ours,
        "scipy cKDTree, k=1",
        theirs,
        note=f"same distances {np.allclose(distance, theirs_distance)}, {int(indptr[-1]) - n} ties; "
        f"cpu {cpu:.1f} s against {their_cpu:.1f} s",
        size=n,
        series=f"nearest, sigma={sigma:g}",
    )


def blocks(n: int, sigma: float) -> Row:
    """Tables 5.1 to 5.3 of the source: blocks and votes against nearest record, and the partition that fails."""
    from tacit.attack.blocks import Blocks
    from tacit.attack.nearest import Nearest

    x, z = files(n, sigma)
    near = Nearest(scale="none").link(x, z).correct
    voted, seconds, _ = timed(lambda: Blocks(scale="none", size=n // 3).link(x, z).correct)
    ranks, clusters = (Blocks(scale="none", size=n // 3, partition=p).link(x, z).correct for p in ("ranks", "clusters"))
    return Row(
        f"blocks of a third with best-score votes, sigma={sigma:g}",
        seconds,
        note=f"links: nearest {near:.0f}, votes {voted:.0f}, one cut by ranks {ranks:.0f}, clusters {clusters:.0f}",
        size=n,
    )


def run(full: bool) -> list[Row]:
    """Quick: up to 13,500 records. Full: 149,642 records and the growth from 1,000."""
    rows = [against_dense(1080, 25, 5), against_dense(4000, 25, 2)]
    rows += [against_dense(13_500, 25, 2)]
    rows += [nearest(13_500, sigma) for sigma in (5, 25)]
    rows += [blocks(3_000, sigma) for sigma in (5, 15, 25)]
    if full:
        rows += [against_neighbours(n, 25) for n in (1_000, 2_000, 5_000, 20_000, 50_000)]
        rows += [against_neighbours(149_642, sigma) for sigma in (5, 15, 25)]
        rows += [nearest(149_642, sigma) for sigma in (5, 25)]
        rows += [blocks(13_500, sigma) for sigma in (5, 15, 25)]
    return rows
