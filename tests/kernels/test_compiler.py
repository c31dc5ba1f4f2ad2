"""Kernels cost nothing until they are called, and both ways of a call give the same bits."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.kernels import rankswap
from tacit.kernels.compiler import Kernel, njit

SOURCE = Path(tacit.__file__).parents[1]


@njit(nogil=True)
def doubled(x: float) -> float:
    """A kernel that another calls."""
    return 2.0 * x


@njit(nogil=True)
def total(values: np.ndarray) -> float:
    """A kernel that calls another."""
    result = 0.0
    for value in values:
        result += doubled(value)
    return result


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
    )


def test_importing_every_kernel_does_not_import_numba() -> None:
    """But for the vector code, which is loaded when a search is compiled."""
    names = [
        str(file.relative_to(SOURCE).with_suffix("")).replace(os.sep, ".")
        for file in (SOURCE / "tacit" / "kernels").rglob("*.py")
        if file.stem not in ("__init__", "kdtree_lanes")
    ]
    assert "tacit.kernels.mdav.exact" in names
    done = run(f"import sys, {', '.join(names)}\nprint('numba' in sys.modules)")
    assert done.stdout.split() == ["False"], done.stderr


def test_a_kernel_is_compiled_at_its_first_call() -> None:
    """Also the one that it calls."""
    values = np.arange(5.0)
    assert total(values) == 20.0
    assert total.signatures
    assert doubled.signatures


def test_a_direct_call_gives_what_the_kernel_gives() -> None:
    """Of the code compiled for these types, also where the kernel was compiled for others."""
    assert total(np.arange(5)) == 20
    values = np.arange(5.0)
    direct = total.direct(values)
    assert direct is not total.compiled()
    assert direct(values) == total(values)


def test_plainly_nothing_is_compiled() -> None:
    """Neither the kernel nor what it calls."""
    inner = Kernel(lambda x: x + 1, {})
    outer = Kernel(lambda x: inner(x) * 2, {})
    assert outer.plainly(3) == 8
    assert inner._compiled is None
    assert outer._compiled is None


def test_it_is_compiled_when_plain_code_has_taken_long_enough() -> None:
    """A second call of a tenth of a million steps is one too many."""
    kernel = Kernel(lambda x: x, {})
    assert kernel.taking(1_900_000) == kernel.plainly
    assert not kernel.pays(0.9)
    assert kernel.taking(300_000) is kernel
    assert kernel.pays(0.2)


def test_a_kernel_travels_to_other_processes() -> None:
    """By its name, as a function does."""
    assert pickle.loads(pickle.dumps(rankswap.stir)) is rankswap.stir


@pytest.mark.parametrize("cycles", [False, True])
def test_rank_swapping_has_the_same_bits_either_way(
    cycles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain Python and the compiled kernels do the same."""
    sources = []
    for compiled in (False, True):
        for kernel in (rankswap.swap_positions, rankswap.stir):
            way = kernel if compiled else kernel.plainly
            monkeypatch.setattr(kernel, "taking", lambda _, way=way: way)
        rng = np.random.default_rng(5)
        sources.append(
            [
                rankswap.draw_positions(rng, n, window, cycles=cycles)
                for n, window in ((1, 1), (7, 2), (50, 1), (300, 15))
            ]
        )
    for plain, fast in zip(*sources, strict=True):
        assert np.array_equal(plain, fast)


@pytest.mark.slow
def test_it_is_said_once_that_something_is_compiled(tmp_path: Path) -> None:
    """Whoever asked is told the name of the first kernel; from the cache nothing is compiled."""
    code = (
        "import numpy as np\n"
        "from tacit.kernels import compiler\n"
        "compiler.when_compiling(lambda name: print('compiling', name))\n"
        "from tacit.kernels.pairing import clear, follow\n"
        "a = np.zeros(3, np.int64)\n"
        "clear(0, a, a, a)\n"
        "from tacit.kernels.rankswap import stir\n"
        "stir(a, np.zeros(3), 1)\n"
    )
    cold = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert cold.stdout.splitlines() == ["compiling clear"], cold.stderr
    warm = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert warm.stdout == "", warm.stderr


def test_a_kernel_at_hand_is_used_sooner_once_numba_is_in_use(monkeypatch) -> None:
    """Reading one more kernel costs little; one that must be compiled waits as before."""
    from tacit.kernels import compiler

    kernel = Kernel(lambda x: x, {})
    seconds = (compiler.IN_USE + compiler.AT_HAND) / 2
    for cached, in_use, pays in [
        (True, True, True),
        (True, False, False),
        (False, True, False),
    ]:
        monkeypatch.setitem(vars(kernel), "_is_cached", cached)
        monkeypatch.setattr(compiler, "_watched", in_use)
        kernel._spent = 0.0
        assert kernel.pays(seconds) is pays
