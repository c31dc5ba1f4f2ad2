"""The key kernels may not do more than 20 % more work than the committed counts."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from kernels.guard import everything
from kernels.guard.operations import count
from kernels.guard.plain_lanes import near
from tacit.kernels.trees import kdtree_lanes

BASELINE = json.loads(everything.BASELINE.read_text())
ALLOWED = 1.2
"""Counts are exact, so this is no noise: it is what a change may cost without a word."""
UPDATE = "python tests/kernels/guard/everything.py --update"


@pytest.fixture(scope="module")
def counts() -> dict[str, int]:
    """All counts, measured once."""
    return everything.measure()


@pytest.mark.parametrize("workload", sorted(BASELINE))
def test_no_kernel_does_much_more_than_it_did(
    workload: str, counts: dict[str, int]
) -> None:
    """Each count beside the committed one."""
    now, then = counts[workload], BASELINE[workload]
    assert now > 0, f"{workload}: the kernels are not used any more"
    assert now <= ALLOWED * then, (
        f"{workload}: {now} operations, {now / then:.2f} times the committed {then}; "
        f"if that is right, say why and run: {UPDATE}"
    )


def test_every_workload_is_in_the_baseline(counts: dict[str, int]) -> None:
    """A new workload must be committed."""
    assert set(counts) == set(BASELINE), f"run: {UPDATE}"


def test_the_counts_see_more_work(counts: dict[str, int]) -> None:
    """The guard can fail: twice the records are more operations."""
    for name, value in counts.items():
        workload, _, size = name.partition(" n=")
        double = counts.get(f"{workload} n={2 * int(size)}")
        assert double is None or double > ALLOWED * value, name


def test_thirty_per_cent_more_work_is_too_much(tmp_path: Path) -> None:
    """The guard can fail: a kernel whose loop is 30 % longer."""
    file = tmp_path / "tacit" / "kernels" / "loop.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "def loop(n):\n"
        "    total = 0\n"
        "    for i in range(n):\n"
        "        total += i\n"
        "    return total\n"
    )
    space: dict[str, Callable[[int], int]] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    assert (
        count(lambda: space["loop"](1300))
        > ALLOWED * count(lambda: space["loop"](1000))
        > 0
    )


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("boxes", [False, True])
def test_plain_lanes_are_the_twin_of_the_vector_code(boxes: bool, kind: int) -> None:
    """The same masks and distances, empty lanes included."""
    lanes, d = (kdtree_lanes.ARMS, 5) if boxes else (kdtree_lanes.LANES, 5)
    vector = getattr(kdtree_lanes, f"{'boxes' if boxes else 'points'}_{kind}")

    @njit
    def compiled(data, query, d, weight, limit, out):
        return vector(data, query, d, weight, limit, out)

    rng = np.random.default_rng(kind)
    for _ in range(20):
        data = (
            np.sort(rng.normal(size=(d, 2, lanes)), axis=1)
            if boxes
            else rng.normal(size=(d, lanes))
        )
        query, weight, limit = (
            rng.normal(size=d),
            rng.normal(size=lanes),
            float(rng.uniform(0, 5)),
        )
        weight[rng.random(lanes) < 0.2] = -np.inf
        want, got = np.empty(lanes), np.empty(lanes)
        masks = [
            run(
                data.ctypes.data,
                query.ctypes.data,
                d,
                weight.ctypes.data,
                limit,
                out.ctypes.data,
            )
            for run, out in ((near(boxes, kind), want), (compiled, got))
        ]
        assert masks[0] == masks[1]
        np.testing.assert_allclose(got, want, rtol=1e-13)
