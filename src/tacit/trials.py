"""Running many plans: one run a plan, seed and sample; in parallel processes; kept in a journal to resume from."""

from __future__ import annotations

import hashlib
import json
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import InputError, TacitError
from tacit.measure import Measure
from tacit.microdata import Microdata
from tacit.plan import Plan

if TYPE_CHECKING:
    from tacit.assess import Assessment


@dataclass(frozen=True)
class Settings:
    """What is measured in every run."""

    attackers: tuple[str, ...] = ("nearest", "assignment")
    risks: tuple[str, ...] = ("dld", "pld", "interval")
    losses: tuple[str, ...] = ("IL", "PIL", "SSE")
    informed: bool = True


@dataclass(frozen=True)
class Run:
    """One plan (with its seeds) on so many records."""

    plan: Plan
    records: int
    seed: int

    def key(self, fingerprint: str, settings: Settings) -> str:
        """Names the run: the same data, steps, seed and measures have the same key, whatever the plan is called."""
        steps = {part: told for part, told in self.plan.to_dict().items() if part != "name"}
        told = json.dumps([fingerprint, steps, self.records, self.seed, asdict(settings)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:32]


@dataclass
class Outcome:
    """What a run found; ``failed`` holds the reason if it did not finish."""

    attacks: dict[str, float] = field(default_factory=dict)
    measures: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    score: float = float("nan")
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of computing, which do not depend on what else the machine does
    failed: str = ""

    @classmethod
    def of(cls, found: Assessment) -> Outcome:
        """The figures of an assessment that comparisons are made of."""
        out = cls({name: link.rate for name, link in found.linkages.items()}, score=found.score.value)
        out.notes = [f"{failure.name} did not run: {failure.reason}" for failure in found.failures]
        for name, measure in {**found.risk, **found.loss}.items():
            if isinstance(measure, Measure):
                out.measures[name] = float(measure.value)
                if not measure.computed:
                    out.notes.append(f"{name} was not computed: {measure.details['not computed']}")
        if found.attacks and not out.attacks:
            out.failed = f"no attack ran: {found.failures[0].reason}"
        return out


def fingerprint(data: Microdata) -> str:
    """Names the data: values, column names, roles and kinds; not the order of rows."""
    values = data.numbers()
    rows = np.sort(np.array([hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in values]))
    told = json.dumps(data.schema.to_dict(), sort_keys=True, default=str)
    return hashlib.sha256(rows.tobytes() + told.encode()).hexdigest()[:32]


def sample(data: Microdata, records: int) -> Microdata:
    """So many records, spread evenly over a scrambled value order: the same ones whatever the order of rows."""
    if records >= data.n:
        return data
    values = data.numbers()
    order = np.lexsort(values.T[::-1])
    chosen = np.random.default_rng([data.n, records]).permutation(data.n)[:records]
    return data.take(np.sort(order[chosen]))


def execute(data: Microdata, run: Run, settings: Settings) -> Outcome:
    """Mask, attack, measure. What goes wrong with a plan is its outcome, not the end of the comparison."""
    from tacit.assess import assess

    start, work = time.perf_counter(), time.process_time()
    try:
        part = sample(data, run.records)
        masked = run.plan.apply(part)
        found = assess(
            part,
            masked,
            plan=run.plan if settings.informed else None,
            attackers=settings.attackers,
            risks=settings.risks,
            losses=settings.losses,
        )
    except (TacitError, ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        return Outcome(failed=f"{type(error).__name__}: {error}", seconds=time.perf_counter() - start)
    out = Outcome.of(found)
    out.seconds, out.cpu = time.perf_counter() - start, time.process_time() - work
    return out


class Journal:
    """Finished runs, one JSON line each, written as they finish; a half-written last line is ignored."""

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[str, Outcome] = {}
        if self.path is None or not self.path.exists():
            return
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                entry = json.loads(line)
                self.known[entry["key"]] = Outcome(**entry["outcome"])
            except (json.JSONDecodeError, KeyError, TypeError):
                if number == 1:
                    raise InputError(f"{self.path}: is not a journal of tacit compare; name another file") from None

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep a finished run."""
        self.known[key] = outcome
        if self.path is None:
            return
        line = json.dumps({"key": key, "outcome": asdict(outcome)})
        whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"", b"\n")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("" if whole else "\n") + line + "\n")


@lru_cache(maxsize=1)
def _unpickled(path: str) -> Microdata:
    return pickle.loads(Path(path).read_bytes())  # type: ignore[no-any-return]


def _remote(path: str, run: Run, settings: Settings) -> Outcome:
    import warnings

    warnings.simplefilter("ignore")
    return execute(_unpickled(path), run, settings)


@contextmanager
def shipped(data: Microdata) -> Iterator[str]:
    """The data in a file that worker processes read once."""
    with tempfile.TemporaryDirectory(prefix="tacit-compare-") as folder:
        path = Path(folder, "data.pickle")
        path.write_bytes(pickle.dumps(data.select(data.names)))
        yield str(path)


def run_all(
    data: Microdata,
    runs: Sequence[Run],
    settings: Settings,
    journal: Journal,
    *,
    workers: int = 1,
    tell: Callable[[str], None] | None = None,
    until: float | None = None,
) -> list[Outcome | None]:
    """The outcome of every run, in the order given; from the journal where it is known. None: time ran out before.

    One run is made however late it is, so that there is always an answer.
    """
    named = fingerprint(data)
    keys = [run.key(named, settings) for run in runs]
    todo = [i for i, key in enumerate(keys) if key not in journal.known]
    for i in range(len(runs) - len(todo)):
        if tell is not None:
            tell(f"kept {i + 1}")

    def finish(i: int, outcome: Outcome) -> None:
        journal.add(keys[i], outcome)
        if tell is not None:
            tell(str(runs[i].plan))

    def late(i: int) -> bool:
        return until is not None and i != todo[0] and time.perf_counter() > until

    if workers == 1 or len(todo) < 2:
        for i in todo:
            if late(i):
                break
            finish(i, execute(data, runs[i], settings))
    else:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        with shipped(data) as path:
            jobs = (delayed(_numbered)(i, path, runs[i], settings) for i in todo if not late(i))
            pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
            for i, outcome in pool(jobs):
                finish(i, outcome)
    return [journal.known.get(key) for key in keys]


def warm(data: Microdata, runs: Sequence[Run], settings: Settings, workers: int) -> None:
    """Have every worker process load the library and compile what these runs need, by making them."""
    if workers == 1:
        for run in runs:
            execute(data, run, settings)
        return
    from joblib import Parallel, delayed

    with shipped(data) as path:
        Parallel(n_jobs=workers, batch_size=1)(delayed(_make)(path, runs, settings) for _ in range(workers))


def _make(path: str, runs: Sequence[Run], settings: Settings) -> None:
    for run in runs:
        _remote(path, run, settings)


def _numbered(i: int, path: str, run: Run, settings: Settings) -> tuple[int, Outcome]:
    return i, _remote(path, run, settings)
