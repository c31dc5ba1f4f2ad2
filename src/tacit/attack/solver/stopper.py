"""Kernels in threads that Ctrl-C and a deadline can end early."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# Seconds between two looks at the deadline; Ctrl-C is answered within this time
POLL = 0.2


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return 1


@dataclass
class Stopper:
    """Runs kernels in threads while the main thread stays awake for Ctrl-C and a deadline.

    Attributes
    ----------
    deadline
        Of the monotonic clock; inf: none.
    threads
        Threads that kernels run in.
    flag
        What kernels look at: 1 tells them to end early.
    interrupted
        Ctrl-C was pressed.
    """

    deadline: float = np.inf
    threads: int = field(default_factory=_processors)
    flag: NDArray[np.int8] = field(default_factory=lambda: np.zeros(1, np.int8))
    interrupted: bool = False

    @property
    def stopped(self) -> bool:
        """The run was ended early, by the deadline or by Ctrl-C."""
        return bool(self.flag[0])

    def run(self, works: Sequence[Callable[[], object]]) -> None:
        """Do all works; after Ctrl-C or the deadline they end early, and ``stopped`` is true.

        Parameters
        ----------
        works : sequence of functions
            Each polls ``flag``. What one of them raises is raised here.
        """
        with ThreadPoolExecutor(self.threads) as pool:
            jobs = [pool.submit(work) for work in works]
            pending = set(jobs)
            while pending:
                try:
                    left = self.deadline - time.monotonic()
                    timeout = max(0.0, min(left, POLL))
                    _, pending = wait(pending, timeout=timeout)
                # kernels release the lock and poll the flag: they end soon after
                except KeyboardInterrupt:
                    self.interrupted = True
                    self.flag[0] = 1
                except SystemExit:
                    # a signal ends the program: nobody may wait for what would still take minutes
                    self.flag[0] = 1
                    raise
                if time.monotonic() > self.deadline:
                    self.flag[0] = 1
            # what a kernel raised is raised here
            for job in jobs:
                job.result()
