"""The vector code of the kd-tree against plain numpy.

Distances to 16 points and to 8 boxes, and which of them are near.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numba import njit

from tacit.kernels.trees import kdtree_lanes
from tacit.kernels.trees.kdtree_lanes import ARMS, LANES, Near


def compiled(near: Near) -> Callable[..., int]:
    """The intrinsic as a function of arrays."""

    @njit
    def call(data, query, weight, limit, out):  # type: ignore[no-untyped-def]
        return near(
            data.ctypes.data,
            query.ctypes.data,
            query.size,
            weight.ctypes.data,
            limit,
            out.ctypes.data,
        )

    function: Callable[..., int] = call
    return function


def plain(
    gap: np.ndarray, kind: int, weight: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and nearness of the lanes; ``gap`` (d, lanes)."""
    total = np.abs(gap).sum(axis=0) if kind == 2 else (gap**2).sum(axis=0)
    near = np.sqrt(total) < limit + weight if kind == 1 else total < limit + weight
    return total, near


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("what", ["points", "boxes"])
def test_lanes_equal_plain_numpy(what: str, kind: int) -> None:
    """The same distances and the same lanes near."""
    call = compiled(getattr(kdtree_lanes, f"{what}_{kind}"))
    rng = np.random.default_rng([kind, what == "boxes"])
    seen = set()
    for d in (1, 2, 5, 13):
        for _ in range(40):
            query = rng.normal(size=d)
            if what == "points":
                data = rng.normal(size=(d, LANES))
                gap = data - query[:, None]
            else:
                ends = np.sort(rng.normal(size=(d, 2, ARMS)), axis=1)
                data = np.ascontiguousarray(ends)
                gap = np.maximum(
                    np.maximum(
                        ends[:, 0] - query[:, None], query[:, None] - ends[:, 1]
                    ),
                    0.0,
                )
            lanes = gap.shape[1]
            weight, limit, out = (
                rng.normal(size=lanes),
                float(rng.normal() + d),
                np.empty(lanes),
            )
            mask = call(data, query, weight, limit, out)
            total, near = plain(gap, kind, weight, limit)
            if what == "boxes":
                # what is not near is nowhere
                root = np.sqrt(total) if kind == 1 else total
                bound = np.where(near, root - weight, np.inf)
                np.testing.assert_allclose(out, bound, rtol=1e-13, atol=1e-13)
            elif near.any():
                # where no point is near the distances are not finished
                np.testing.assert_allclose(out, total, rtol=1e-14)
            found = np.array([mask >> lane & 1 for lane in range(lanes)], dtype=bool)
            assert found.tolist() == near.tolist()
            seen |= set(near.tolist())
    assert seen == {True, False}


def test_the_least_bound_is_below_the_limit_and_the_last_of_equal_ones() -> None:
    """Against numpy, with ties, infinities and none below the limit."""

    @njit
    def call(bounds, limit):  # type: ignore[no-untyped-def]
        return kdtree_lanes.least(bounds.ctypes.data, limit)

    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        bounds = rng.integers(-3, 4, ARMS).astype(float)
        bounds[rng.random(ARMS) < 0.3] = np.inf
        limit = rng.choice([-2.0, 0.0, np.inf])
        smallest = bounds.min()
        last = np.flatnonzero(bounds == smallest)[-1] if smallest < limit else -1
        assert call(bounds, limit) == last
        seen.add(int(last))
    assert seen == set(range(-1, ARMS))


def test_the_first_lane_of_a_mask_is_its_lowest_bit() -> None:
    """All masks of a leaf but the empty one."""

    @njit
    def call(mask):  # type: ignore[no-untyped-def]
        return kdtree_lanes.first(mask)

    for mask in range(1, 1 << LANES, 37):
        assert call(mask) == f"{mask:b}"[::-1].index("1")
