"""What a command asks of the libraries below numpy, before numpy is loaded.

Products of matrices are small here: some thousands of records times some columns. A second thread
does not make them faster, but it waits for the next one in a loop that takes a core: of the 8.5
CPU seconds of ``tacit assess`` on 4,580 x 15 these were 1.2. Kernels have threads of their own.
Sums in one thread also have one order, whatever the number of cores.
"""

from __future__ import annotations

import os

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells OpenBLAS and MKL how many threads they may have."""


def prepare() -> None:
    """One thread for products of matrices, unless somebody said how many."""
    if "OMP_NUM_THREADS" in os.environ:
        return
    for name in THREADS:
        os.environ.setdefault(name, "1")


KEPT = 1 << 30
"""Bytes of freed memory that the process keeps to use again."""
TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Names of glibc's ``mallopt``: what is kept at the end of the heap, and how many pieces may be
asked of the system one by one."""


def keep_memory() -> None:
    """Use freed memory again instead of handing it back, where the C library can (glibc).

    A matrix of 4,580 x 4,580 costs takes 168 MB. Handed back and asked for again, every page of it
    is cleared by the system each time: a quarter of the CPU seconds of an attack that makes many.
    """
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_MAX, 0)
        library.mallopt(TRIM_THRESHOLD, KEPT)
    except (OSError, AttributeError, TypeError):
        # another C library: slower, and otherwise the same
        return
