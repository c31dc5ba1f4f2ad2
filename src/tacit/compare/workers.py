"""Many runs, in this process or in several; those that a journal knows are not run again.

With an end, runs are made in processes of their own, which are stopped when it comes: a run on a
large file may take longer than all the time that there is.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

# joblib's pool: unlike Python's own it needs no `if __name__ == "__main__"` in a user's script
from joblib.externals.loky import (  # type: ignore[import-untyped]  # has no types
    get_reusable_executor,
)

from tacit.base.data_only import from_bytes, to_bytes
from tacit.base.stopping import Stop
from tacit.compare.journal import Journal
from tacit.compare.orphans import end_with
from tacit.compare.trials import Outcome, Settings, TrialRun, execute, fingerprint
from tacit.data.frames import NativeFrame
from tacit.data.microdata import Microdata

Pool: TypeAlias = Any
"""loky's executor, which has no types."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells the libraries below numpy how many threads a process may have."""
IDLE = 30
"""Seconds after which a worker without work ends; stages of a search follow each other sooner."""


@dataclass(frozen=True)
class Time:
    """When a stage is over, by ``time.perf_counter``.

    Attributes
    ----------
    last
        No run is started after this moment.
    end
        Runs that have not finished by then are given up.
    """

    last: float = inf
    end: float = inf


WITHOUT_END = Time()
"""All the time in the world."""


@lru_cache(maxsize=1)
def _arrived(path: str) -> Microdata:
    """The data of a comparison; a worker process reads it once."""
    table, schema, given, replaced = from_bytes(Path(path).read_bytes())
    native = NativeFrame.of(table if given is None else given)
    return Microdata(table, schema, replace(native, replaced=replaced))


def _remote(
    path: str,
    run: TrialRun,
    settings: Settings,
    parent: int,
) -> Outcome:
    """One run in a worker process."""
    end_with(parent, Path(path).parent)
    # every worker would say the same again
    warnings.simplefilter("ignore")
    return execute(_arrived(path), run, settings)


@contextmanager
def shipped(data: Microdata) -> Iterator[str]:
    """The data in a file that worker processes read once."""
    with tempfile.TemporaryDirectory(prefix="tacit-compare-") as folder:
        path = Path(folder, "data.npz")
        # where no column has missing codes, nobody asks how the values were given
        has_codes = any(column.missing for column in data.schema)
        given, replaced = data.as_given if has_codes else (None, frozenset())
        path.write_bytes(to_bytes((data.table, data.schema, given, replaced)))
        yield str(path)


def run_all(
    data: Microdata,
    runs: Sequence[TrialRun],
    settings: Settings,
    journal: Journal,
    *,
    workers: int = 1,
    tell: Callable[[str], None] | None = None,
    limit: Time = WITHOUT_END,
    of_data: str | None = None,
    stop: Stop | None = None,
) -> list[Outcome | None]:
    """The outcome of every run, in the order given; from the journal where it is known.

    None: time ran out before it, or somebody asked to stop.

    Parameters
    ----------
    data : Microdata
        The file.
    runs : sequence of TrialRun
        What is run.
    settings : Settings
        What is measured.
    journal : Journal
        What is known already; takes in what is new.
    workers : int
        Number of processes.
    tell : callable, optional
        Called after each run.
    limit : Time
        When no run is started any more, and when none goes on.
    of_data : str, optional
        The fingerprint of the file, where it is known: it takes a look at every record.
    stop : Stop, optional
        Who may ask to stop: runs that have ended by then are kept, the others are given up.
    """
    # the journal may hold runs of other data or settings; keys tell them apart
    of_data = of_data or fingerprint(data)
    keys = [run.key(of_data, settings) for run in runs]
    todo = [i for i, key in enumerate(keys) if key not in journal.known]
    # what is known counts as done
    for i in range(len(runs) - len(todo)):
        if tell is not None:
            tell(f"kept {i + 1}")
    asked = Stop() if stop is None else stop
    try:
        with asked.working():
            for i, outcome in _outcomes(data, runs, todo, settings, workers, limit):
                journal.add(keys[i], outcome)
                if tell is not None:
                    tell(str(runs[i].plan))
    except KeyboardInterrupt:
        if not asked.asked:
            raise
    return [journal.known.get(key) for key in keys]


def _outcomes(
    data: Microdata,
    runs: Sequence[TrialRun],
    todo: Sequence[int],
    settings: Settings,
    workers: int,
    limit: Time,
) -> Iterator[tuple[int, Outcome]]:
    """The runs with these numbers as they end, as far as time allows."""
    # only another process can be stopped in the middle of its work
    if limit.end == inf and (workers == 1 or len(todo) < 2):
        for i in todo:
            yield i, execute(data, runs[i], settings)
        return
    waiting = list(reversed(todo))
    with shipped(data) as path, _pool(workers) as pool:
        running: dict[Future[Outcome], int] = {}
        while waiting or running:
            # asked for one at a time as workers become free, so that it is seen when time is up
            while waiting and len(running) < workers:
                if time.perf_counter() >= min(limit.last, limit.end):
                    waiting.clear()
                    break
                i = waiting.pop()
                asked = pool.submit(_remote, path, runs[i], settings, os.getpid())
                running[asked] = i
            if not running:
                return
            left = limit.end - time.perf_counter()
            patience = None if left == inf else max(left, 0.0)
            ended, _ = wait(running, patience, return_when=FIRST_COMPLETED)
            if not ended:
                pool.shutdown(kill_workers=True)
                return
            for future in ended:
                yield running.pop(future), future.result()


@contextmanager
def _pool(workers: int) -> Iterator[Pool]:
    """Processes that stay for the next call; those of a call that fails are stopped."""
    threads = str(max(1, (os.cpu_count() or 1) // workers))
    pool = get_reusable_executor(
        max_workers=workers,
        timeout=IDLE,
        env=dict.fromkeys(THREADS, threads),
    )
    try:
        yield pool
    except BaseException:
        # Ctrl-C, or a defect: what still runs is for nobody
        pool.shutdown(kill_workers=True)
        raise


def warm(
    data: Microdata,
    runs: Sequence[TrialRun],
    settings: Settings,
    workers: int,
    limit: Time,
) -> dict[int, Outcome]:
    """Have every worker process load the library and compile what these runs need.

    What came of the runs, by their numbers, as far as they ended.
    """
    # every worker has its turn at every run, as far as the pool deals them out evenly
    turns = [run for run in runs for _ in range(workers)]
    each = range(len(turns))
    ended = _outcomes(data, turns, each, settings, workers, limit)
    return {i // workers: outcome for i, outcome in ended}
