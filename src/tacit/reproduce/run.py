"""Run targets: units (experiment, cell, seed) over worker processes, resumable.

Then judge them and write what was found.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from tacit.reproduce.judgement import Judged, judge, judge_word
from tacit.reproduce.model import Context, Experiment, Outcome, Target, Values, params
from tacit.reproduce.store import Store
from tacit.reproduce.target_result import Result
from tacit.reproduce.targets import experiments, targets
from tacit.reproduce.transcript import Published, published
from tacit.reproduce.write import write

# `Result` is what `reproduce` returns, so it belongs to the face of this module.
__all__ = ["Result", "Unit", "cells", "compute", "missing", "reproduce"]

Say = Callable[[str], None]


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


def compute(unit: Unit) -> Outcome:
    """Worker: run one experiment; its wall-clock seconds are among the values."""
    experiment = experiments()[unit.experiment]
    context = Context(unit.quick, unit.data)
    start = time.perf_counter()
    outcome = experiment.run(params(unit.cell), unit.seed, context)
    outcome.values.setdefault("seconds", time.perf_counter() - start)
    return outcome


def cells(target: Target, quick: bool) -> list[str]:
    """The cells of a target: the published ones, or those of a figure; fewer when quick."""
    names = list(published().get(target.name, {})) or list(target.cells)
    return [cell for cell in names if not quick or target.quick(params(cell))]


def _wanted(target: Target) -> list[Experiment]:
    """The sound computation, and the fault where there is one."""
    return [target.experiment] + ([target.fault] if target.fault else [])


def _units(target: Target, quick: bool, data: str | None) -> dict[str, list[Unit]]:
    """Units by experiment name: the sound computation, and the fault re-enacted."""
    many = target.quick_seeds if quick else target.seeds
    runs = [
        (cell, seed)
        for cell in cells(target, quick)
        for seed in range(1 if target.once(params(cell)) else many)
    ]
    names = [experiment.name for experiment in _wanted(target)]
    return {
        name: [
            Unit(
                name,
                cell,
                seed,
                quick,
                data,
            )
            for cell, seed in runs
        ]
        for name in names
    }


def missing(target: Target) -> str:
    """The parts that a target needs and that are not there; empty when it can run."""
    absent = [experiment.missing() for experiment in _wanted(target)]
    return "; ".join(part for part in absent if part)


def _compute_all(
    units: Iterable[Unit], store: Store, jobs: int, say: Say
) -> dict[str, str]:
    """Fill the store; returns errors by key.

    Each unit is written when it ends, so a kill loses at most one per job.
    """
    # two targets can need the same unit: it is computed once
    new = {unit.key: unit for unit in units if store.get(unit.key) is None}
    todo = list(new.values())
    errors: dict[str, str] = {}
    if not todo:
        return errors

    def keep(unit: Unit, outcome: Outcome | BaseException, done: int) -> None:
        name = f"{unit.experiment} {unit.cell} seed {unit.seed}"
        if isinstance(outcome, Outcome):
            store.put(unit.key, outcome)
        else:
            errors[unit.key] = f"{name}: {outcome!r}"
        say(f"{done}/{len(todo)} {name}")

    if jobs <= 1:
        for number, unit in enumerate(todo, 1):
            # whatever goes wrong in one unit is reported, and the others go on
            try:
                keep(unit, compute(unit), number)
            except Exception as error:
                keep(unit, error, number)
        return errors
    # spawned, not forked: a forked child inherits locks that other threads hold
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: dict[Future[Outcome], Unit] = {}
        rest, done = iter(todo), 0
        while True:
            # a short queue, so that an interrupt does not leave a thousand submitted units
            # behind
            for unit in islice(rest, 2 * jobs - len(waiting)):
                waiting[pool.submit(compute, unit)] = unit
            if not waiting:
                return errors
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                done += 1
                unit = waiting.pop(future)
                failure = future.exception()
                keep(unit, failure if failure is not None else future.result(), done)


def _judge(
    target: Target,
    by_experiment: dict[str, list[Unit]],
    store: Store,
    errors: dict[str, str],
) -> Result:
    """The stored runs of a target, judged."""
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
            by_measure = values.setdefault(unit.cell, {})
            for measure, value in outcome.values.items():
                by_measure.setdefault(measure, []).append(value)
    # the values are complete now, the sound ones and those of the fault
    for cell in result.values:
        fault = faults.get(cell, {})
        result.lines += _lines(
            target,
            cell,
            result,
            fault,
            stand_in.get(cell, ""),
        )
    for claim in target.claims:
        holds, figure = False, "nothing computed"
        if result.values:
            holds, figure = claim.check(result.values)
        result.claims.append((claim.text, holds, figure))
    result.notes = sorted(set(stand_in.values()))
    every = [unit.key for units in by_experiment.values() for unit in units]
    result.older = store.older(every)
    result.seconds = _seconds(result.values) + _seconds(faults)
    return result


def _lines(
    target: Target,
    cell: str,
    result: Result,
    fault: dict[str, list[float]],
    stand_in: str,
) -> list[tuple[str, str, Judged]]:
    """One cell: each printed measure judged, or each computed one shown."""
    values = result.values[cell]
    computed: dict[str, Published | None] = {
        measure: None for measure in values if measure != "seconds"
    }
    printed = published().get(target.name, {}).get(cell)
    lines = []
    for measure, text in (dict(printed) if printed else computed).items():
        # a printed word is judged as a word, a number by its interval
        if text and text.value is None and target.label:
            judged = judge_word(text.text, target.label(values))
        else:
            refuted = None
            if target.refute and text:
                refuted = target.refute(cell, measure, text.text)
            judged = judge(
                text,
                values.get(measure, []),
                better=target.better.get(measure, "none"),
                fault=fault.get(measure),
                refuted=refuted,
                stand_in=stand_in,
            )
        lines.append((cell, measure, judged))
    return lines


def _seconds(values: Values) -> float:
    """Wall-clock seconds of all runs."""
    by_cell = [by_measure.get("seconds", []) for by_measure in values.values()]
    return sum(map(sum, by_cell))


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
    """Recompute the named targets (resuming), judge them, and write what was found.

    Parameters
    ----------
    names : list of str
        Targets, as `tacit reproduce list` shows them.
    quick : bool
        Fewer cells, seeds and records.
    data : str, optional
        Folder of the reference files; else that of the environment variable TACIT_DATA.
    out : path
        Folder for the CSV files, the plots, the summary and the store.
    jobs : int, optional
        Worker processes; two unless the machine has one core.
    fresh : bool
        Forget stored runs.
    say : callable
        Told after each unit how far the run is.
    """
    # quick runs are kept apart: they are other experiments under the same names
    data = data or os.environ.get("TACIT_DATA")
    wanted = [targets()[name] for name in names]
    store = Store(out / ("quick.jsonl" if quick else "full.jsonl"), fresh)
    jobs = jobs or min(2, os.cpu_count() or 1)
    absent = {target.name: missing(target) for target in wanted}
    planned = {t.name: _units(t, quick, data) for t in wanted if not absent[t.name]}
    units = [
        unit
        for by_experiment in planned.values()
        for same in by_experiment.values()
        for unit in same
    ]
    errors = _compute_all(units, store, jobs, say)
    results = [
        Result(target, missing=absent[target.name])
        if absent[target.name]
        else _judge(target, planned[target.name], store, errors)
        for target in wanted
    ]
    write(results, out, quick)
    return results
