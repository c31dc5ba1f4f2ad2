"""Units of work (experiment, cell, seed) over worker processes that have one thread each."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

from tacit.reproduce.model import Context, Outcome, params
from tacit.reproduce.store import Store
from tacit.reproduce.targets import experiments

# Told after each unit: the unit, and its error if it failed.
Ended = Callable[["Unit", str], None]
# Libraries that start threads of their own read these when they are loaded.
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(frozen=True)
class Unit:
    """One thing to compute."""

    experiment: str
    cell: str
    seed: int
    quick: bool
    data: str | None

    @property
    def key(self) -> str:
        """The name of the run in the store."""
        # the folder of the data is not part of the key, only whether there is one
        given = bool(self.data)
        parts = [self.experiment, self.cell, self.seed, self.quick, given]
        return json.dumps(parts)

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.experiment} {self.cell} seed {self.seed}"


def compute(unit: Unit) -> Outcome:
    """Worker: run one experiment; its seconds of computing time are among the values."""
    experiment = experiments()[unit.experiment]
    context = Context(unit.quick, unit.data)
    start = time.process_time()
    outcome = experiment.run(params(unit.cell), unit.seed, context)
    outcome.values.setdefault("seconds", time.process_time() - start)
    return outcome


def _long_first(units: Iterable[Unit]) -> list[Unit]:
    """Long units before the others, which keep their order."""
    known = experiments()
    return sorted(
        units,
        key=lambda unit: not known[unit.experiment].long(params(unit.cell)),
    )


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that are started meanwhile use one thread.

    Two workers with two threads each take turns on two cores instead of computing.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def compute_all(units: Iterable[Unit], store: Store, jobs: int, ended: Ended) -> None:
    """Fill the store.

    Each unit is written when it ends, so a kill loses at most one per job.
    """
    # two targets can need the same unit: it is computed once
    new = {unit.key: unit for unit in units if store.get(unit.key) is None}
    todo = _long_first(new.values())

    def keep(unit: Unit, outcome: Outcome | BaseException) -> None:
        error = ""
        if isinstance(outcome, Outcome):
            store.put(unit.key, outcome)
        else:
            error = f"{unit.name}: {outcome!r}"
        ended(unit, error)

    if jobs > 1 and len(todo) > 1:
        _in_processes(todo, jobs, keep)
        return
    for unit in todo:
        # whatever goes wrong in one unit is reported, and the others go on
        try:
            outcome = compute(unit)
        except Exception as error:
            keep(unit, error)
        else:
            keep(unit, outcome)


def _in_processes(
    todo: list[Unit], jobs: int, keep: Callable[[Unit, Outcome | BaseException], None]
) -> None:
    """The units over so many processes, in their order."""
    # spawned, not forked: a forked child inherits locks that other threads hold
    context = get_context("spawn")
    with one_thread_each(), ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: dict[Future[Outcome], Unit] = {}
        rest = iter(todo)
        while True:
            # a short queue, so that an interrupt does not leave a thousand submitted units
            # behind
            for unit in islice(rest, 2 * jobs - len(waiting)):
                waiting[pool.submit(compute, unit)] = unit
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                unit = waiting.pop(future)
                failure = future.exception()
                keep(unit, failure if failure is not None else future.result())
