"""``kdtree_lanes`` in plain numpy: the kd-tree can run (and be counted) without numba."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from tacit.kernels.trees.kdtree_lanes import ARMS, LANES

calls = 0
"""How often the lanes were asked: 16 distances or 8 boxes each time."""


def _at(address: int, *shape: int) -> np.ndarray:
    """The array of numbers that stands at an address."""
    size = int(np.prod(shape))
    return np.ctypeslib.as_array(
        (ctypes.c_double * size).from_address(int(address))
    ).reshape(shape)


def near(boxes: bool, kind: int) -> Callable[[int, int, int, int, float, int], int]:
    """The lanes near enough as a bit mask; writes distances of points, or bounds of boxes."""
    lanes = ARMS if boxes else LANES

    def run(data: int, query: int, d: int, weight: int, limit: float, out: int) -> int:
        global calls
        calls += 1
        x = _at(query, d)[:, None]
        if boxes:
            box = _at(data, d, 2, lanes)
            gap = np.maximum(np.maximum(box[:, 0] - x, x - box[:, 1]), 0.0)
        else:
            gap = _at(data, d, lanes) - x
        value = (np.abs(gap) if kind == 2 else gap * gap).sum(axis=0)
        weights = _at(weight, lanes)
        # no point (-inf) without a limit (inf): nan, which nothing is below
        with np.errstate(invalid="ignore"):
            reach = weights + limit
            bound = (np.sqrt(value) if kind == 1 else value) - weights
        reach = np.maximum(reach, 0.0) ** 2 if kind == 1 else reach
        is_near = value < reach
        _at(out, lanes)[:] = np.where(is_near, bound, np.inf) if boxes else value
        return sum(1 << int(lane) for lane in np.flatnonzero(is_near))

    return run


def least(at: int, limit: float) -> int:
    """The last lane of the smallest bound; -1 where none is below the limit."""
    bounds = _at(at, ARMS)
    smallest = bounds.min()
    return int(np.flatnonzero(bounds == smallest)[-1]) if smallest < limit else -1


def first(mask: int) -> int:
    """The lowest bit of a mask."""
    return (mask & -mask).bit_length() - 1
