"""Many plans, one map: what each risks and loses, which are beaten by none, and which to take.

``compare(data, plans)`` runs every plan over repeated seeds. With a ``budget`` it searches instead: all plans on a
small sample of the records, the better half on more of them, and so on (successive halving), until the whole file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.callable_module import make_callable
from tacit.errors import ParameterError
from tacit.frontier import LOSS, STRONGEST, Frontier, Trial, ranks
from tacit.grid import plans_of
from tacit.microdata import Microdata
from tacit.plan import Plan
from tacit.trials import Journal, Outcome, Run, Settings, run_all, warm

__all__ = ["Frontier", "compare"]

Progress = Callable[[str, int, int], None]
FEW = 60
"""Records on which each method is run once before a search, so that its kernels are compiled."""
SMALLEST = 250
"""The fewest records that a search judges a plan by."""
FIRST = 1_000
"""Records of the first stage on a large file: enough to tell plans apart, few enough to try them all."""
STAGES = 5
LIKE = 0.5
"""Share of the plans that goes on to the next stage."""


def compare(
    data: Any,
    plans: Any,
    *,
    seeds: int = 3,
    seed: int = 0,
    bound: float = 0.05,
    risk: str = STRONGEST,
    loss: str = LOSS,
    attackers: Iterable[str] = ("nearest", "assignment"),
    risks: Iterable[str] = ("dld", "pld", "interval"),
    losses: Iterable[str] = ("IL", "PIL", "SSE"),
    informed: bool = True,
    budget: float | None = None,
    workers: int | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Compare plans: a plans file, or a list of plans, protectors or entries with ranges (see ``grid``).

    ``seeds``: how often a plan that draws numbers is repeated (intervals are over seeds); ``bound``: the risk that is
    still acceptable; ``risk``: 'strongest attack' (the highest rate of any attacker) or a risk measure; ``loss``: a
    loss measure; ``informed``: the intruder knows the plan; ``budget``: seconds, search instead of running all;
    ``workers``: processes; ``resume``: a file of finished runs, which are not run again.
    Same data, plans and seed, same result, whatever the number of workers (with a budget: as far as time allows).
    """
    start = time.perf_counter()
    micro = Microdata.of(data)
    chosen = plans_of(plans)
    if seeds < 1:
        raise ParameterError(f"seeds={seeds} must be 1 or more")
    if budget is not None and budget <= 0:
        raise ParameterError(f"budget={budget} must be above 0 seconds")
    settings = Settings(
        tuple(attackers),
        tuple(dict.fromkeys([*risks, *([] if risk == STRONGEST else [risk])])),
        tuple(dict.fromkeys([*losses, loss])),
        informed,
    )
    _check_names(settings)
    lab = _Lab(micro, settings, Journal(resume), workers or _cores(), seeds, seed, risk, loss, progress)
    dropped: list[Trial] = []
    notes: list[str] = []
    if budget is None:
        trials = lab.trials(chosen, micro.n, seeds)
        lab.finish()
    else:
        trials, dropped, notes = _search(lab, chosen, budget)
    return Frontier(
        tuple(trials),
        risk,
        loss,
        bound,
        micro.n,
        tuple(dropped),
        (*notes, *sorted(lab.notes)),
        time.perf_counter() - start,
        {
            "seeds": seeds,
            "seed": seed,
            "attackers": settings.attackers,
            "informed": informed,
            "budget": budget,
            "workers": lab.workers,
            "computing_seconds": lab.cpu,
        },
    )


class _Lab:
    """Runs plans and sums up their outcomes."""

    def __init__(
        self,
        data: Microdata,
        settings: Settings,
        journal: Journal,
        workers: int,
        seeds: int,
        seed: int,
        risk: str,
        loss: str,
        progress: Progress | None,
    ) -> None:
        self.data, self.settings, self.journal, self.workers = data, settings, journal, workers
        self.seeds, self.seed, self.risk, self.loss, self.progress = seeds, seed, risk, loss, progress
        self.done = self.total = 0
        self.notes: set[str] = set()
        self.cpu = 0.0

    def tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, self.done, max(self.total, self.done + 1))
        self.done += 1

    def finish(self) -> None:
        if self.progress is not None:
            self.progress("done", self.total, self.total)

    def runs(self, plan: Plan, records: int, seeds: int) -> list[Run]:
        """One run a seed; a plan that draws no numbers, or has its seeds, runs once."""
        free = any(step.random and step.seed is None for step in plan.steps)
        if not free:
            return [Run(plan, records, self.seed)]
        return [Run(_with_seeds(plan, first), records, first) for first in (self.seed + 1000 * i for i in range(seeds))]

    def trials(self, plans: Sequence[Plan], records: int, seeds: int, until: float | None = None) -> list[Trial]:
        """Every plan on so many records; those that time ran out for are left out."""
        batches = [self.runs(plan, records, seeds) for plan in plans]
        # every plan with its first seed before any with its second, in case time runs out
        order = sorted(
            ((j, i) for i, batch in enumerate(batches) for j in range(len(batch))), key=lambda place: place[0]
        )
        flat = [batches[i][j] for j, i in order]
        self.total += len(flat)
        outcomes = run_all(
            self.data, flat, self.settings, self.journal, workers=self.workers, tell=self.tell, until=until
        )
        found: list[list[Outcome]] = [[] for _ in plans]
        for (_, i), outcome in zip(order, outcomes, strict=True):
            if outcome is not None:
                found[i].append(outcome)
        return [self.sum_up(plan, records, part) for plan, part in zip(plans, found, strict=True) if part]

    def sum_up(self, plan: Plan, records: int, found: Sequence[Outcome]) -> Trial:
        self.cpu += sum(outcome.cpu for outcome in found)
        self.notes.update(note for outcome in found if not outcome.failed for note in outcome.notes)
        return Trial.of(plan, records, found, self.risk, self.loss)


def rungs(n: int) -> list[int]:
    """Records at each stage of a search, at most ``STAGES``: n halved again and again while ``SMALLEST`` are left;
    of a large file it is divided by more, so that the first stage has about ``FIRST``.
    """
    stages = min(STAGES, 1 + int(np.log2(max(n / SMALLEST, 1.0))))
    ratio = max(2.0, (n / FIRST) ** (1 / max(stages - 1, 1)))
    return [round(n / ratio**i) for i in reversed(range(stages))]


def _search(lab: _Lab, plans: Sequence[Plan], budget: float) -> tuple[list[Trial], list[Trial], list[str]]:
    """Successive halving: every stage has the same share of the time, more records and at most half the plans."""
    sizes = rungs(lab.data.n)
    methods = {tuple(step.method for step in plan.steps): plan for plan in plans}
    runs = [run for plan in methods.values() for run in lab.runs(plan, FEW, 1)]
    warm(lab.data, runs, lab.settings, lab.workers)
    end = time.perf_counter() + budget  # the time is for the search, not for starting processes and compiling
    # scrambled, so that what a short stage does not reach is spread over all methods
    alive = [plans[i] for i in np.random.default_rng(lab.seed).permutation(len(plans))]
    dropped: list[Trial] = []
    notes: list[str] = []
    for stage, records in enumerate(sizes[:-1]):
        began = time.perf_counter()
        share = max(0.0, end - began) / (len(sizes) - stage)
        found = lab.trials(alive, records, 1, until=began + share)
        if len(found) < len(alive):
            notes.append(f"time ran out on {records} records: {len(alive) - len(found)} plans went no further, untried")
        layer = ranks([(trial.risk, trial.loss) for trial in found])
        order = sorted(range(len(found)), key=lambda i: (layer[i], found[i].score != found[i].score, found[i].score))
        keep = int(np.ceil(len(found) * LIKE))
        # a frontier is what is wanted: all of the first layer goes on, if time allows
        keep = max(keep, sum(rank == 0 for rank in layer))
        each = (time.perf_counter() - began) / max(len(found), 1) * (sizes[stage + 1] / records) ** 1.5
        keep = max(1, min(keep, int(share / max(each, 1e-9))))
        alive = [found[i].plan for i in order[:keep]]
        dropped.extend(found[i] for i in order[keep:])
    # on the whole file, best first, so that what time allows is what matters
    trials = lab.trials(alive, sizes[-1], lab.seeds, until=end)
    if len(trials) < len(alive):
        notes.append(f"time ran out: {len(alive) - len(trials)} plans that reached the whole file were not run on it")
    lab.finish()
    return trials, dropped, notes


def _with_seeds(plan: Plan, first: int) -> Plan:
    """Seeds for the steps that have none."""
    steps = [
        replace(step, seed=first + i) if step.random and step.seed is None else step
        for i, step in enumerate(plan.steps)
    ]
    return replace(plan, steps=tuple(steps), name=str(plan))


def _check_names(settings: Settings) -> None:
    from tacit.attack import registry as attackers
    from tacit.loss import registry as losses
    from tacit.risk import registry as risks

    for names, known in ((settings.attackers, attackers), (settings.risks, risks), (settings.losses, losses)):
        for name in names:
            if name not in known:
                known[name]  # raises with the names that there are


def _cores() -> int:
    return max(1, min(os.cpu_count() or 1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 64))


make_callable(__name__)
