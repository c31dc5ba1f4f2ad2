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
    """The lanes near enough as a bit mask; writes their distances to ``out``."""
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
        _at(out, lanes)[:] = value
        # no point (-inf) without a limit (inf): nan, which nothing is below
        with np.errstate(invalid="ignore"):
            reach = _at(weight, lanes) + limit
        reach = np.maximum(reach, 0.0) ** 2 if kind == 1 else reach
        return sum(1 << int(lane) for lane in np.flatnonzero(value < reach))

    return run
