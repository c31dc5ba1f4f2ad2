"""Run targets: units (experiment, cell, seed) over worker processes, resumable; then judge and write."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from tacit.reproduce.model import Context, Experiment, Outcome, Target, Values, params
from tacit.reproduce.store import Store
from tacit.reproduce.targets import experiments, targets
from tacit.reproduce.transcript import published
from tacit.reproduce.verdict import GOOD, NOT_AVAILABLE, STAND_IN, Judged, judge, judge_word

Say = Callable[[str], None]


@dataclass
class Result:
    """One target after its run."""

    target: Target
    lines: list[tuple[str, str, Judged]] = field(default_factory=list)
    claims: list[tuple[str, bool, str]] = field(default_factory=list)
    values: Values = field(default_factory=dict)
    missing: str = ""
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    older: int = 0

    def count(self, verdict: str) -> int:
        return sum(judged.verdict == verdict for _, _, judged in self.lines)

    @property
    def status(self) -> str:
        """reproduced, differs, stand-in (nothing could be judged), not available, or error."""
        if self.missing:
            return NOT_AVAILABLE
        if self.errors:
            return "error"
        if self.count("differs") or not all(held for _, held, _ in self.claims):
            return "differs"
        drawn_and_true = bool(self.claims) and not self.notes
        if drawn_and_true or any(j.verdict in GOOD for _, _, j in self.lines):
            return "reproduced"
        return STAND_IN


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
        return json.dumps([self.experiment, self.cell, self.seed, self.quick, bool(self.data)])


def compute(unit: Unit) -> Outcome:
    """Worker: run one experiment; its wall-clock seconds are among the values."""
    experiment = experiments()[unit.experiment]
    start = time.perf_counter()
    outcome = experiment.run(params(unit.cell), unit.seed, Context(unit.quick, unit.data))
    outcome.values.setdefault("seconds", time.perf_counter() - start)
    return outcome


def cells(target: Target, quick: bool) -> list[str]:
    """The cells of a target: the published ones, or those of a figure; fewer when quick."""
    names = list(published().get(target.name, {})) or list(target.cells)
    return [c for c in names if not quick or target.quick(params(c))]


def _units(target: Target, quick: bool, data: str | None) -> dict[str, list[Unit]]:
    """Units by experiment name: the sound computation, and the fault re-enacted."""
    many = target.quick_seeds if quick else target.seeds
    wanted = [target.experiment] + ([target.fault] if target.fault else [])
    runs = [(c, s) for c in cells(target, quick) for s in range(1 if target.once(params(c)) else many)]
    return {e.name: [Unit(e.name, cell, seed, quick, data) for cell, seed in runs] for e in wanted}


def missing(target: Target) -> str:
    """The parts that a target needs and that are not there; empty when it can run."""
    wanted: list[Experiment] = [target.experiment] + ([target.fault] if target.fault else [])
    return "; ".join(m for e in wanted if (m := e.missing()))


def _compute_all(units: Iterable[Unit], store: Store, jobs: int, say: Say) -> dict[str, str]:
    """Fill the store; returns errors by key. Each unit is written when it ends, so a kill loses at most
    one a job.
    """
    todo = list({u.key: u for u in units if store.get(u.key) is None}.values())
    errors: dict[str, str] = {}
    if not todo:
        return errors

    def keep(unit: Unit, outcome: Outcome | BaseException, done: int) -> None:
        if isinstance(outcome, Outcome):
            store.put(unit.key, outcome)
        else:
            errors[unit.key] = f"{unit.experiment} {unit.cell} seed {unit.seed}: {outcome!r}"
        say(f"{done}/{len(todo)} {unit.experiment} {unit.cell} seed {unit.seed}")

    if jobs <= 1:
        for number, unit in enumerate(todo, 1):
            try:
                keep(unit, compute(unit), number)
            except Exception as error:
                keep(unit, error, number)
        return errors
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: dict[Future[Outcome], Unit] = {}
        rest, done = iter(todo), 0
        while True:
            # a short queue, so that an interrupt does not leave a thousand submitted units behind
            while len(waiting) < 2 * jobs and (following := next(rest, None)) is not None:
                waiting[pool.submit(compute, following)] = following
            if not waiting:
                return errors
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                done += 1
                unit = waiting.pop(future)
                failure = future.exception()
                keep(unit, failure if failure is not None else future.result(), done)


def _judge(target: Target, by_experiment: dict[str, list[Unit]], store: Store, errors: dict[str, str]) -> Result:
    result = Result(target)
    faults: Values = {}
    stand_in: dict[str, str] = {}
    for name, units in by_experiment.items():
        values = result.values if name == target.experiment.name else faults
        for unit in units:
            if unit.key in errors:
                result.errors.append(errors[unit.key])
            outcome = store.get(unit.key)
            if outcome is None:
                continue
            if outcome.stand_in:
                stand_in[unit.cell] = outcome.stand_in
            for measure, value in outcome.values.items():
                values.setdefault(unit.cell, {}).setdefault(measure, []).append(value)
    printed = published().get(target.name, {})
    for cell in result.values:
        drawn = dict.fromkeys(m for m in result.values[cell] if m != "seconds")
        for measure, text in (printed.get(cell) or drawn).items():
            if text and text.value is None and target.label:
                word = judge_word(text.text, target.label(result.values[cell]))
                result.lines.append((cell, measure, word))
                continue
            judged = judge(
                text,
                result.values[cell].get(measure, []),
                better=target.better.get(measure, "none"),
                fault=faults.get(cell, {}).get(measure),
                refuted=target.refute(cell, measure, text.text) if target.refute and text else None,
                stand_in=stand_in.get(cell, ""),
            )
            result.lines.append((cell, measure, judged))
    for claim in target.claims:
        held, figure = claim.check(result.values) if result.values else (False, "nothing computed")
        result.claims.append((claim.text, held, figure))
    result.notes = sorted(set(stand_in.values()))
    result.older = store.older(unit.key for units in by_experiment.values() for unit in units)
    result.seconds = sum(v for by in (result.values, faults) for c in by.values() for v in c.get("seconds", []))
    return result


def reproduce(
    names: list[str],
    *,
    quick: bool = False,
    data: str | None = None,
    out: Path = Path("reproduce-output"),
    jobs: int | None = None,
    fresh: bool = False,
    say: Say = lambda text: None,
) -> list[Result]:
    """Recompute the named targets (resuming), judge them, and write CSV, plots and the summary into
    ``out``.
    """
    from tacit.reproduce.write import write

    data = data or os.environ.get("TACIT_DATA")
    wanted = [targets()[name] for name in names]
    store = Store(out / ("quick.jsonl" if quick else "full.jsonl"), fresh)
    jobs = jobs or min(2, os.cpu_count() or 1)
    absent = {target.name: missing(target) for target in wanted}
    planned = {t.name: _units(t, quick, data) for t in wanted if not absent[t.name]}
    units = [u for by_experiment in planned.values() for us in by_experiment.values() for u in us]
    errors = _compute_all(units, store, jobs, say)
    results = [
        Result(target, missing=absent[target.name])
        if absent[target.name]
        else _judge(target, planned[target.name], store, errors)
        for target in wanted
    ]
    write(results, out, quick)
    return results
