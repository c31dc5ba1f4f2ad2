"""Run targets: plan their units, compute what is not stored, judge, and write what was found."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tacit.reproduce.judgement import Judged, judge, judge_word, settle
from tacit.reproduce.model import Experiment, Target, Values, params
from tacit.reproduce.pages import write_pages
from tacit.reproduce.store import Store
from tacit.reproduce.target_result import Result
from tacit.reproduce.targets import targets
from tacit.reproduce.transcript import Published, Runs, published, runs
from tacit.reproduce.unit_runs import Unit, compute_all
from tacit.reproduce.write import write

# `Result` is what `reproduce` returns, so it belongs to the face of this module.
__all__ = ["Result", "cells", "missing", "reproduce"]

Say = Callable[[str], None]
# Told when a target has all its values.
Told = Callable[[Result], None]


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
    planned = [
        (cell, seed)
        for cell in cells(target, quick)
        for seed in range(1 if target.once(params(cell)) else many)
    ]
    names = [experiment.name for experiment in _wanted(target)]
    return {
        name: [Unit(name, cell, seed, quick, data) for cell, seed in planned]
        for name in names
    }


def missing(target: Target) -> str:
    """The parts that a target needs and that are not there; empty when it can run."""
    absent = [experiment.missing() for experiment in _wanted(target)]
    return "; ".join(part for part in absent if part)


class _Plan:
    """The units of one target, which of them have not ended, and the errors so far."""

    def __init__(self, target: Target, quick: bool, data: str | None) -> None:
        self.target = target
        self.absent = missing(target)
        self.units = {} if self.absent else _units(target, quick, data)
        self.open: set[str] = set()
        self.errors: list[str] = []

    def all(self) -> list[Unit]:
        """Sound ones and faults."""
        return [unit for same in self.units.values() for unit in same]

    def result(self, store: Store) -> Result:
        """The target, judged; to be asked when nothing is open."""
        if self.absent:
            return Result(self.target, missing=self.absent)
        return _judge(self.target, self.units, store, self.errors)


def _judge(
    target: Target,
    by_experiment: dict[str, list[Unit]],
    store: Store,
    errors: list[str],
) -> Result:
    """The stored runs of a target, judged."""
    result = Result(target, errors=list(errors))
    faults: Values = {}
    stand_in: dict[str, str] = {}
    for name, units in by_experiment.items():
        values = result.values if name == target.experiment.name else faults
        for unit in units:
            outcome = store.get(unit.key)
            if outcome is None:
                continue
            if outcome.stand_in:
                stand_in[unit.cell] = outcome.stand_in
            by_measure = values.setdefault(unit.cell, {})
            for measure, value in outcome.values.items():
                by_measure.setdefault(measure, []).append(value)
    # the values are complete now, the sound ones and those of the fault
    lines = [
        line
        for cell in result.values
        for line in _lines(
            target, cell, result, faults.get(cell, {}), stand_in.get(cell, "")
        )
    ]
    settled = settle([judged for _, _, judged in lines])
    result.lines = [
        (cell, measure, judged)
        for (cell, measure, _), judged in zip(lines, settled, strict=True)
    ]
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
    kind = runs().get(target.name, Runs())
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
                # where nothing is drawn, every run is the same
                runs=max(kind.count, 1),
                better=target.better.get(measure, "none"),
                fault=fault.get(measure),
                refuted=refuted,
                stand_in=stand_in,
            )
        lines.append((cell, measure, judged))
    return lines


def _seconds(values: Values) -> float:
    """Computing time of all runs."""
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
    told: Told = lambda result: None,
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
        Folder for the CSV files, the plots, the pages and the store.
    jobs : int, optional
        Worker processes; two unless the machine has one core.
    fresh : bool
        Forget stored runs.
    say : callable
        Told after each unit how far the run is.
    told : callable
        Told of each target as soon as it has all its values.
    """
    # quick runs are kept apart: they are other experiments under the same names
    data = data or os.environ.get("TACIT_DATA")
    store = Store(out / ("quick.jsonl" if quick else "full.jsonl"), fresh)
    jobs = jobs or min(2, os.cpu_count() or 1)
    plans = [_Plan(targets()[name], quick, data) for name in names]
    waiting: dict[str, list[_Plan]] = {}
    for plan in plans:
        for unit in plan.all():
            if store.get(unit.key) is None:
                plan.open.add(unit.key)
                waiting.setdefault(unit.key, []).append(plan)
    done = 0
    results: dict[str, Result] = {}

    def finish(plan: _Plan) -> None:
        result = results[plan.target.name] = plan.result(store)
        told(result)

    def ended(unit: Unit, error: str) -> None:
        nonlocal done
        done += 1
        say(f"{done}/{len(waiting)} {unit.name}")
        for plan in waiting[unit.key]:
            plan.open.discard(unit.key)
            plan.errors += [error] if error else []
            if not plan.open:
                finish(plan)

    for plan in plans:
        if not plan.open:
            finish(plan)
    compute_all([unit for plan in plans for unit in plan.all()], store, jobs, ended)
    ordered = [results[name] for name in names]
    write(ordered, out)
    write_pages(ordered, out, quick)
    return ordered
