"""Many runs, in this process or in several; those that a journal knows are not run again."""

from __future__ import annotations

import pickle
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from joblib import Parallel, delayed  # type: ignore[import-untyped]  # has no types

from tacit.compare.journal import Journal
from tacit.compare.trials import Outcome, Settings, TrialRun, execute, fingerprint
from tacit.data.microdata import Microdata


@lru_cache(maxsize=1)
def _unpickled(path: str) -> Microdata:
    """The data of a comparison; a worker process reads it once."""
    data: Microdata = pickle.loads(Path(path).read_bytes())
    return data


def _remote(
    path: str,
    run: TrialRun,
    settings: Settings,
) -> Outcome:
    """One run in a worker process."""
    # every worker would say the same again
    warnings.simplefilter("ignore")
    return execute(_unpickled(path), run, settings)


def _numbered(
    i: int,
    path: str,
    run: TrialRun,
    settings: Settings,
) -> tuple[int, Outcome]:
    """One run with its number, because runs come back in the order in which they end."""
    return i, _remote(path, run, settings)


def _make(
    path: str,
    runs: Sequence[TrialRun],
    settings: Settings,
) -> None:
    """Runs whose outcome nobody wants."""
    for run in runs:
        _remote(path, run, settings)


@contextmanager
def shipped(data: Microdata) -> Iterator[str]:
    """The data in a file that worker processes read once."""
    with tempfile.TemporaryDirectory(prefix="tacit-compare-") as folder:
        path = Path(folder, "data.pickle")
        path.write_bytes(pickle.dumps(data.select(data.names)))
        yield str(path)


def run_all(
    data: Microdata,
    runs: Sequence[TrialRun],
    settings: Settings,
    journal: Journal,
    *,
    workers: int = 1,
    tell: Callable[[str], None] | None = None,
    until: float | None = None,
) -> list[Outcome | None]:
    """The outcome of every run, in the order given; from the journal where it is known.

    None: time ran out before. One run is made however late it is, so that there is always an
    answer.

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
    until : float, optional
        Time (of ``time.perf_counter``) after which no run is started.
    """
    # the journal may hold runs of other data or settings; keys tell them apart
    of_data = fingerprint(data)
    keys = [run.key(of_data, settings) for run in runs]
    todo = [i for i, key in enumerate(keys) if key not in journal.known]
    # what is known counts as done
    for i in range(len(runs) - len(todo)):
        if tell is not None:
            tell(f"kept {i + 1}")

    def finish(i: int, outcome: Outcome) -> None:
        journal.add(keys[i], outcome)
        if tell is not None:
            tell(str(runs[i].plan))

    # the first run is never late
    def late(i: int) -> bool:
        return until is not None and i != todo[0] and time.perf_counter() > until

    if workers == 1 or len(todo) < 2:
        for i in todo:
            if late(i):
                break
            finish(i, execute(data, runs[i], settings))
        return [journal.known.get(key) for key in keys]
    with shipped(data) as path:
        # asked for one at a time as workers become free, so that it is seen when time is up
        jobs = (
            delayed(_numbered)(i, path, runs[i], settings) for i in todo if not late(i)
        )
        pool = Parallel(
            n_jobs=workers,
            return_as="generator_unordered",
            pre_dispatch="n_jobs",
            batch_size=1,
        )
        for i, outcome in pool(jobs):
            finish(i, outcome)
    return [journal.known.get(key) for key in keys]


def warm(
    data: Microdata,
    runs: Sequence[TrialRun],
    settings: Settings,
    workers: int,
) -> None:
    """Have every worker process load the library and compile what these runs need."""
    if workers == 1:
        for run in runs:
            execute(data, run, settings)
        return
    with shipped(data) as path:
        job = delayed(_make)(path, runs, settings)
        Parallel(n_jobs=workers, batch_size=1)(job for _ in range(workers))
