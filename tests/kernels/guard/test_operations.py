"""No loop of a key kernel may do 20 % more work than the committed counts."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from kernels.guard import everything
from kernels.guard.operations import count, loops
from kernels.guard.plain_lanes import near
from tacit.kernels.trees import kdtree_lanes

BASELINE = json.loads(everything.BASELINE.read_text())
ALLOWED = 1.15
"""Counts are exact, so this is no noise: it is what a change may cost without a word."""
ALLOWED_PUSH = 1.05
"""Of the face of a stream: a line of Python more is a tenth of a push."""
FEW = 40
"""Operations that a loop may execute more than it did, whatever share of it they are."""
UPDATE = "python tests/kernels/guard/everything.py --update"


@pytest.fixture(scope="module")
def counts() -> dict[str, dict[str, int] | int]:
    """All counts, measured once."""
    return everything.measure()


def _parts(value: dict[str, int] | int) -> dict[str, int]:
    """A counter that is one number is one part."""
    return value if isinstance(value, dict) else {"in all": value}


def _worse(
    now: dict[str, int], then: dict[str, int], allowed: float = ALLOWED
) -> list[str]:
    """Loops that do more than they may."""
    return [
        f"{part}: {value} operations, {then.get(part, 0)} committed"
        for part, value in now.items()
        if value > max(allowed * then.get(part, 0), then.get(part, 0) + FEW)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("workload", sorted(BASELINE))
def test_no_loop_does_much_more_than_it_did(
    workload: str, counts: dict[str, dict[str, int] | int]
) -> None:
    """Each loop beside its committed count."""
    now, then = _parts(counts[workload]), _parts(BASELINE[workload])
    assert sum(now.values()) > 0, f"{workload}: the kernels are not used any more"
    is_push = workload.startswith("stream_push")
    worse = _worse(now, then, ALLOWED_PUSH if is_push else ALLOWED)
    assert not worse, (
        f"{workload}: {'; '.join(worse)}; if that is right, say why and run: {UPDATE}"
    )


@pytest.mark.slow
def test_every_workload_is_in_the_baseline(
    counts: dict[str, dict[str, int] | int],
) -> None:
    """A new workload must be committed."""
    assert set(counts) == set(BASELINE), f"run: {UPDATE}"


@pytest.mark.slow
def test_the_counts_see_more_work(counts: dict[str, dict[str, int] | int]) -> None:
    """The guard can fail: twice the records are more operations."""
    for name, value in counts.items():
        workload, _, size = name.partition(" n=")
        double = counts.get(f"{workload} n={2 * int(size)}")
        before = sum(_parts(value).values())
        assert double is None or sum(_parts(double).values()) > ALLOWED * before, name


def test_a_loop_that_does_a_fifth_more_is_seen_beside_a_larger_one(
    tmp_path: Path,
) -> None:
    """In all it is a fiftieth more, which a total would let pass."""
    file = tmp_path / "tacit" / "kernels" / "two.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "def two(n):\n"
        "    for i in range(n):\n"
        "        pass\n"
        "    for i in range(10_000):\n"
        "        pass\n"
    )
    space: dict[str, Callable[[int], None]] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    then, now = (loops(lambda n=n: space["two"](n)) for n in (1_000, 1_200))
    assert set(then) == {"two.two 1", "two.two 2"}
    assert sum(now.values()) < 1.03 * sum(then.values())
    assert [said.partition(":")[0] for said in _worse(now, then)] == ["two.two 1"]
    assert not _worse(then, then)


def test_more_work_on_a_line_is_seen(tmp_path: Path) -> None:
    """As many lines as before, but one of them does more."""
    then, now = [], []
    for found, line in ((then, "x[i] + 1"), (now, "x[i] + 1 + 0 * (x[i] + x[i])")):
        file = tmp_path / "tacit" / "kernels" / f"line{len(line)}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def line(x):\n    for i in range(99):\n        {line}\n")
        space: dict[str, Callable[[list[int]], None]] = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        found += loops(lambda s=space: s["line"]([1] * 99)).values()
    assert now[0] > ALLOWED * then[0]


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
        if not boxes and not masks[0]:
            # where no point is near the distances are not finished
            continue
        np.testing.assert_allclose(got, want, rtol=1e-13)
