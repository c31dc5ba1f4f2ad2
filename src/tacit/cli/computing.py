"""What a command asks of the libraries below numpy, before numpy is loaded.

Products of matrices are small here: some thousands of records times some columns. A second thread
does not make them faster, but it waits for the next one in a loop that takes a core: of the 8.5
CPU seconds of ``tacit assess`` on 4,580 x 15 these were 1.2. Kernels have threads of their own.
Sums in one thread also have one order, whatever the number of cores.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells OpenBLAS and MKL how many threads they may have."""


def prepare() -> None:
    """One thread for products of matrices, unless somebody said how many."""
    if "OMP_NUM_THREADS" in os.environ:
        return
    for name in THREADS:
        os.environ.setdefault(name, "1")


KEPT, USUALLY_KEPT = 1 << 30, 128 << 10
"""Bytes of freed memory that the process keeps to use again."""
ONE_BY_ONE, USUALLY_ONE_BY_ONE = 0, 65_536
"""How many pieces may be asked of the system one by one, and handed back so."""
TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""glibc's names of the two."""


SELDOM = (50_000, 20, 20)
"""How many new objects there must be before Python looks for cycles that nobody holds."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for cycles of objects seldom: with 300 modules loaded, each look takes 50 ms.

    0.2 of the 5.6 CPU seconds of ``tacit assess`` on 4,580 x 15. For files in memory only: a cycle
    may hold a part of a file.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def kept_memory() -> Iterator[None]:
    """Use freed memory again instead of handing it back, where the C library can (glibc).

    A matrix of 4,580 x 4,580 costs takes 168 MB. Handed back and asked for again, every page of it
    is cleared by the system each time: a quarter of the CPU seconds of an attack that makes many.
    Afterwards memory is handed back as before: the process may be a notebook's.
    """
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_MAX, ONE_BY_ONE)
        library.mallopt(TRIM_THRESHOLD, KEPT)
    except (OSError, AttributeError, TypeError):
        # another C library: slower, and otherwise the same
        yield
        return
    try:
        yield
    finally:
        library.mallopt(MMAP_MAX, USUALLY_ONE_BY_ONE)
        library.mallopt(TRIM_THRESHOLD, USUALLY_KEPT)
        library.malloc_trim(0)


@contextmanager
def all_held() -> Iterator[None]:
    """For a command whose files are in memory: what is freed is kept, cycles are looked for
    seldom."""
    with kept_memory(), seldom_collected():
        yield
