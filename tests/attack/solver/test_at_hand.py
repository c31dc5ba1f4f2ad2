"""A small file is linked alike, bit by bit, whether or not kernels happen to be compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attack.solver import at_hand, dense
from tacit.attack.solver.assign import assign
from tacit.attack.solver.scan import distances
from tacit.attack.solver.solution import Solution
from tacit.base.typing import Floats
from tacit.kernels.assignment import all_pairs
from tacit.kernels.compiler import Kernel


def _files(n: int, seed: int) -> dict[str, tuple[Floats, Floats]]:
    """Easy, hard, with equal records on either side, all tied, and of different lengths."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    grid = rng.integers(0, 3, (n, 2)).astype(float)
    groups = np.repeat(x[: n // 5].copy(), 5, axis=0)[:n]
    return {
        "easy": (x, x + 0.01 * rng.normal(size=x.shape)),
        "hard": (x, x + rng.normal(size=x.shape)),
        "groups": (x, groups),
        "equal originals": (groups, x),
        "ties": (grid, grid[rng.permutation(n)]),
        "longer": (x[: n // 2], x + 0.5 * rng.normal(size=x.shape)),
    }


def _bits(solution: Solution) -> bytes:
    assert solution.margin is not None
    arrays = (solution.match, solution.u, solution.v, solution.margin)
    figures = (solution.cost, solution.bound, solution.certified, solution.log)
    return b"".join(a.tobytes() for a in arrays) + repr(figures).encode()


def _never(kernel: Kernel, seconds: float) -> bool:
    return False


def _always(kernel: Kernel, seconds: float) -> bool:
    return True


@pytest.mark.few(6)
@pytest.mark.parametrize("what", list(_files(40, 0)))
@pytest.mark.parametrize("scans", [0, 32])
@pytest.mark.parametrize("metric", ["euclidean", "squared", "manhattan"])
def test_the_answer_does_not_depend_on_compiled_kernels(
    what: str, scans: int, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where links are found on the matrix nor in rounds (no scan allowed)."""
    monkeypatch.setattr(at_hand, "SCANS", scans)
    for kernel in at_hand.OF_ROUNDS:
        kernel.compiled()
    for seed in range(3):
        x, z = _files(60, seed)[what]
        monkeypatch.setattr(Kernel, "pays", _never)
        monkeypatch.setattr(Kernel, "is_ready", False)
        plain = assign(x, z, metric=metric)  # type: ignore[arg-type]
        monkeypatch.setattr(Kernel, "pays", _always)
        monkeypatch.setattr(Kernel, "is_ready", True)
        compiled = assign(x, z, metric=metric)  # type: ignore[arg-type]
        assert _bits(compiled) == _bits(plain)


def test_links_found_by_kernels_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no others as good scipy is not asked."""
    monkeypatch.setattr(Kernel, "pays", _always)
    monkeypatch.setattr(dense, "_cheapest", None)
    x, z = _files(60, 0)["hard"]
    assert assign(x, z).certified


def test_a_wrong_answer_of_a_kernel_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Links that are not optimal have no duals that prove them."""
    x, z = _files(60, 0)["hard"]
    right = assign(x, z)
    monkeypatch.setattr(at_hand, "links", lambda *_: np.arange(60)[::-1].copy())
    assert _bits(assign(x, z)) == _bits(right)


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_costs_have_the_bits_of_scipy(kind: int) -> None:
    rng = np.random.default_rng(kind)
    for d in (1, 2, 13):
        left, right = rng.normal(size=(31, d)), rng.normal(size=(17, d)) * 1e3
        cost = np.empty((31, 17))
        all_pairs.fill(left, np.ascontiguousarray(right.T), kind, cost)
        np.testing.assert_array_equal(cost, distances(left, right, kind))


def test_a_circle_of_choices_is_seen_and_a_chain_is_none() -> None:
    """Three rows that could pass their columns on; without the last they cannot."""
    tails, heads = np.array([0, 1, 2, 5]), np.array([1, 2, 0, 0])
    assert not dense._no_circle(tails, heads)
    assert dense._no_circle(tails[[0, 1, 3]], heads[[0, 1, 3]])
    assert dense._no_circle(tails[:0], heads[:0])
