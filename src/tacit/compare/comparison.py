"""Many plans, one map: what each risks and loses, which are beaten by none, and which to take.

``compare(data, plans)`` runs every plan over repeated seeds. With a ``budget`` it searches
instead: all plans on a small sample of the records, the better half on more of them, and so on
(successive halving), until the whole file. When the time is over, runs that have not ended are
given up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import replace
from math import inf, isnan
from pathlib import Path

from tacit.attack import registry as known_attackers
from tacit.base.errors import ParameterError
from tacit.base.stopping import STOPPED, Stop
from tacit.base.typing import Progress
from tacit.compare.frontier import Frontier
from tacit.compare.journal import Journal
from tacit.compare.lab import Lab
from tacit.compare.search import search
from tacit.compare.trial import LOSS, STRONGEST, Trial
from tacit.compare.trials import Settings
from tacit.compare.workers import Time
from tacit.data.microdata import Microdata
from tacit.loss import registry as known_losses
from tacit.plan.grid import plans_of
from tacit.risk import registry as known_risks

__all__ = ["Frontier", "compare"]


def compare(
    data: object,
    plans: object,
    *,
    seeds: int = 3,
    seed: int | None = None,
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
    stop: Stop | None = None,
    sampled_of: int | None = None,
) -> Frontier:
    """Compare plans.

    The recommended plan is run again with fresh seeds, and those figures are the ones that are
    reported: chosen for its figures, a plan is partly chosen for its luck.

    Same data, plans and seed, same result, whatever the number of workers (with a budget: as
    far as time allows), but for differentially private steps, whose noise is never repeated.

    Parameters
    ----------
    data : frame
        The original file.
    plans : path or list
        A plans file, or a list of plans, protectors or entries with ranges (see ``grid``).
    seeds : int
        How often a plan that draws numbers is repeated (intervals are over seeds).
    seed : int, optional
        The key below which runs draw; drawn unless given, and kept in the file of finished
        runs.
    bound : float
        The risk that is still acceptable.
    risk : str
        'strongest attack' (the highest rate of any attacker) or a risk measure.
    loss : str
        A loss measure.
    attackers, risks, losses : names
        Who attacks, and what else is measured.
    informed : bool
        The intruder knows the plan.
    budget : float, optional
        Seconds of the clock; search instead of running all, and give up what has not ended by
        then. Where no plan gets through the whole file, the answer is of a sample and says so.
    workers : int, optional
        Processes; as many as there are cores unless given.
    resume : path, optional
        A file of finished runs, which are not run again.
    progress : callable, optional
        Called after each run.
    stop : Stop, optional
        Who may ask to stop: then the answer is of the runs that have ended, and no plan is
        recommended; where none has ended, the interrupt is raised.
    sampled_of : int, optional
        The data are a sample of a file with so many records, which does not fit in memory: the
        answer says so, and no plan is recommended.
    """
    start = time.perf_counter()
    end = inf if budget is None else start + budget
    micro = Microdata.of(data)
    chosen = plans_of(plans)
    if seeds < 1:
        raise ParameterError(f"seeds={seeds} must be 1 or more")
    if budget is not None and budget <= 0:
        raise ParameterError(f"budget={budget} must be above 0 seconds")
    # what plans are compared by is measured, whether it was named or not
    named_risks = [] if risk == STRONGEST else [risk]
    settings = Settings(
        tuple(attackers),
        tuple(dict.fromkeys([*risks, *named_risks])),
        tuple(dict.fromkeys([*losses, loss])),
        informed,
    )
    _check_names(settings)
    # the key of a comparison that is resumed is in its journal
    journal = Journal(resume)
    lab = Lab(
        data=micro,
        settings=settings,
        journal=journal,
        workers=workers or cores(),
        seeds=seeds,
        seed=journal.key() if seed is None else seed,
        risk=risk,
        loss=loss,
        progress=progress,
        stop=Stop() if stop is None else stop,
    )
    dropped: list[Trial] = []
    notes: list[str] = []
    # all plans on the whole file, or those that survive the stages
    if budget is None:
        trials = lab.trials(chosen, micro.n, seeds)
    else:
        trials, dropped, notes = search(lab, chosen, end, bound)
    if sampled_of is not None:
        trials = [_of_sample(trial, sampled_of) for trial in trials]
    found = Frontier(
        trials=tuple(trials),
        risk_name=risk,
        loss_name=loss,
        bound=bound,
        records=micro.n if sampled_of is None else sampled_of,
        dropped=tuple(dropped),
        settings={
            "seeds": seeds,
            # a key that was drawn stays in the journal
            "seed": seed,
            "attackers": settings.attackers,
            "informed": informed,
            "budget": budget,
            "workers": lab.workers,
            "sampled_of": sampled_of,
        },
    )
    found, missed = _confirmed(found, lab, end)
    if lab.stop.asked:
        found = _stopped(found)
    lab.finish()
    return replace(
        found,
        notes=(*notes, *missed, *sorted(lab.notes)),
        seconds=time.perf_counter() - start,
        settings={**found.settings, "computing_seconds": lab.cpu},
    )


def _confirmed(found: Frontier, lab: Lab, end: float) -> tuple[Frontier, list[str]]:
    """The comparison with a recommended plan that kept the bound when drawn afresh.

    The best of many plans is partly the luckiest one. It is run again with seeds that chose
    nothing; where it is above the bound, the next one is tried. Also who missed it.
    """
    missed: list[str] = []
    while (chosen := found.recommended) is not None and not chosen.confirmed:
        again = lab.again(chosen, Time(end, end))
        found = found.replaced(again)
        verdict = found.verdict(again)
        if not again.late and verdict.state != "safe":
            missed.append(
                f"{chosen.name} kept the bound in the search ({chosen.risk:.4g}) and not when "
                f"drawn afresh ({verdict.reason}): it is not recommended"
            )
    return found, missed


def _of_sample(trial: Trial, n: int) -> Trial:
    """A trial on a sample: what is safe there need not be safe in the file."""
    if trial.failed and isnan(trial.risk):
        return trial
    late = f"this is a sample of {trial.records:,} of {n:,} records, which do not fit"
    return replace(trial, late=late)


def _stopped(found: Frontier) -> Frontier:
    """What is known when somebody asked to stop; what was not run may be better."""
    known = [trial for trial in found.trials if not isnan(trial.risk)]
    if not known:
        raise KeyboardInterrupt
    trials = []
    for trial in known:
        runs = f"{trial.seeds} run{'' if trial.seeds == 1 else 's'}"
        late = (
            f"{STOPPED} after {runs} on {trial.records:,} of {found.records:,} records"
        )
        trials.append(replace(trial, late=late))
    return replace(found, trials=tuple(trials))


def _check_names(settings: Settings) -> None:
    """A name that there is not is refused before anything runs."""
    for names, registry in (
        (settings.attackers, known_attackers),
        (settings.risks, known_risks),
        (settings.losses, known_losses),
    ):
        for name in names:
            if name not in registry:
                registry[name]  # raises with the names that there are


def cores() -> int:
    """Processors that this process may use."""
    # in a container or on a cluster they may be fewer than the machine has
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
