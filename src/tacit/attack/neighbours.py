"""Exact nearest neighbours of vectors, in threads that can be stopped.

Euclidean distances do not change under a rotation, and boxes along the principal axes are much tighter, so both
files are centred and turned to the principal axes first (three to five times faster on correlated columns).
Turning costs a rounding error of about 1e-15 times the largest norm: ``Frame.error`` bounds it, and whatever must be
exact (ties, costs) is computed again from the vectors as given.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.attack.metric import Metric
from tacit.errors import InputError
from tacit.kernels import kdtree
from tacit.kernels.assignment_graph import pair_costs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KIND: dict[str, int] = {"squared": kdtree.SQUARED, "euclidean": kdtree.EUCLIDEAN, "manhattan": kdtree.MANHATTAN}
TIE = 1e-12
"""Distances that differ by less than this share are the same number computed in two ways."""
_TURN_UP_TO = 64


@dataclass
class Stopper:
    """Runs kernels in threads while the main thread stays awake for Ctrl-C and for a deadline."""

    deadline: float = np.inf
    threads: int = field(
        default_factory=lambda: len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    )
    flag: NDArray[np.int8] = field(default_factory=lambda: np.zeros(1, np.int8))
    interrupted: bool = False

    @property
    def stopped(self) -> bool:
        return bool(self.flag[0])

    def run(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Do all works (each polls ``flag``); after Ctrl-C or the deadline they end early, and ``stopped`` is true."""
        with ThreadPoolExecutor(self.threads) as pool:
            jobs = [pool.submit(work) for work in works]
            pending = set(jobs)
            while pending:
                try:
                    left = self.deadline - time.monotonic()
                    _, pending = wait(pending, timeout=max(0.0, min(left, 0.2)) if pending else 0)
                except KeyboardInterrupt:
                    self.interrupted = True
                    self.flag[0] = 1
                if time.monotonic() > self.deadline:
                    self.flag[0] = 1
            return [job.result() for job in jobs]


@dataclass(frozen=True)
class Frame:
    """Where the search takes place: a centre, principal axes (or None) and the error that turning may add."""

    centre: Floats
    axes: Floats | None
    error: float

    @classmethod
    def of(cls, points: Floats, others: Floats, kind: int) -> Frame:
        centre = points.mean(axis=0) if len(points) else np.zeros(points.shape[1])
        moved = points - centre
        d = points.shape[1]
        spread = float(np.sqrt((moved**2).sum(axis=1).mean())) if len(points) else 0.0
        far = max(
            float(np.sqrt((moved**2).sum(axis=1).max(initial=0.0))),
            float(np.sqrt(((others - centre) ** 2).sum(axis=1).max(initial=0.0))),
        )
        turns = kind != kdtree.MANHATTAN and 2 < d <= _TURN_UP_TO and far < 1e4 * max(spread, 1e-300)
        if not turns:
            return cls(np.zeros(d), None, 0.0)
        _, axes = np.linalg.eigh(moved.T @ moved)
        return cls(centre, np.ascontiguousarray(axes[:, ::-1]), 4e-16 * d * far)

    def __call__(self, points: Floats) -> Floats:
        if self.axes is None:
            return np.ascontiguousarray(points, dtype=np.float64)
        return np.ascontiguousarray((points - self.centre) @ self.axes)


def check_vectors(X: Any, Y: Any) -> tuple[Floats, Floats]:
    """Both as finite float arrays of the same width."""
    X, Y = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(Y, dtype=np.float64)
    if X.ndim != 2 or Y.ndim != 2 or X.shape[1] != Y.shape[1]:
        raise InputError(f"both files must be tables of the same number of columns, not {X.shape} and {Y.shape}")
    if not (np.isfinite(X).all() and np.isfinite(Y).all()):
        raise InputError("distances need finite numbers: impute or drop missing values first")
    return X, Y


def search(
    queries: Floats,
    tree: kdtree.Tree,
    k: int,
    kind: int,
    stopper: Stopper,
    *,
    rows: Ints | None = None,
    limits: Floats | None = None,
    weights: Floats | None = None,
    ties: float = -1.0,
) -> tuple[Floats, Ints]:
    """The k smallest f(distance) - weight of each query below its limit: (values, indices), in threads.

    ``rows`` says which queries, in an order that keeps neighbours together if it can (speed only).
    """
    rows = np.arange(len(queries)) if rows is None else rows
    limits = np.full(len(rows), np.inf) if limits is None else limits
    value, index = np.empty((len(rows), k)), np.full((len(rows), k), -1, np.int64)
    laid = kdtree.weigh(tree, weights)
    step = max(64, -(-len(rows) // (16 * stopper.threads)))

    def part(start: int) -> Callable[[], int]:
        at = slice(start, start + step)
        return lambda: int(
            kdtree.search(queries, rows[at], limits[at], tree, laid, kind, ties, value[at], index[at], stopper.flag)
        )

    stopper.run([part(start) for start in range(0, len(rows), step)])
    return value, index


def neighbours(X: Any, Y: Any, k: int = 1, *, metric: Metric = "euclidean") -> tuple[Floats, Ints]:
    """Distance and row of the k nearest rows of Y of every row of X, nearest first; Y needs at least k rows."""
    X, Y = check_vectors(X, Y)
    if not 1 <= k <= len(Y):
        raise InputError(f"k={k} neighbours cannot be found among {len(Y)} records")
    kind = KIND[metric]
    frame = Frame.of(Y, X, kind)
    tree, turned = kdtree.build(frame(Y)), frame(X)
    rows = kdtree.build(turned).order if len(X) else np.zeros(0, np.int64)
    ranked = kdtree.SQUARED if kind == kdtree.EUCLIDEAN else kind
    _, index = search(turned, tree, k, ranked, Stopper(), rows=rows)
    out = np.empty((len(X), k), np.int64)
    out[rows] = index
    distance = pair_costs(X, Y, np.repeat(np.arange(len(X)), k), out.ravel(), kind).reshape(-1, k)
    order = np.lexsort((out, distance), axis=1)
    return np.take_along_axis(distance, order, 1), np.take_along_axis(out, order, 1)


def nearest_with_ties(X: Any, Y: Any, *, metric: Metric = "euclidean") -> tuple[Floats, Ints, Ints]:
    """All nearest rows of Y of each row of X, ties included.

    Returns (distance, indptr, index): the least distance and the tied rows of Y, rising, as
    index[indptr[i]:indptr[i + 1]].
    """
    X, Y = check_vectors(X, Y)
    if not len(Y):
        raise InputError("there is no masked record to link to")
    kind = KIND[metric]
    frame = Frame.of(Y, X, kind)
    tree, turned = kdtree.build(frame(Y)), frame(X)
    rows = kdtree.build(turned).order if len(X) else np.zeros(0, np.int64)
    ranked = kdtree.SQUARED if kind == kdtree.EUCLIDEAN else kind
    least = np.empty(len(X))
    owners, tied = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    k = 4
    while len(rows):
        _, index = search(turned, tree, k, ranked, Stopper(), rows=rows, ties=2 * frame.error)
        found = index >= 0
        exact = np.full(index.shape, np.inf)
        exact[found] = pair_costs(X, Y, rows[np.nonzero(found)[0]], index[found], kind)
        complete = ~found[:, -1] | (k >= len(Y))
        best = exact.min(axis=1)
        least[rows[complete]] = best[complete]
        at = np.nonzero(complete[:, None] & (exact <= best[:, None] * (1 + TIE)))
        owners.append(rows[at[0]])
        tied.append(index[at])
        rows, k = rows[~complete], 8 * k
    owner, index = np.concatenate(owners), np.concatenate(tied)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(X)))]).astype(np.int64)
    return least, indptr, index[np.lexsort((index, owner))]
