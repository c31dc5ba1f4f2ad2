"""The search for the best plans within a budget of time: successive halving."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.compare.lab import Lab
from tacit.compare.pareto import ranks
from tacit.compare.time_left import Known, go_on
from tacit.compare.trial import Trial
from tacit.compare.trials import Outcome
from tacit.compare.workers import Time, warm
from tacit.plan.plan import Plan

FEW = 60
"""Records on which each method is run once before a search, so that its kernels are compiled."""
WARMING = 0.2
"""Share of the time in which runs on so few records may still be started."""
SMALLEST = 250
"""The fewest records that a search judges a plan by."""
FIRST = 1_000
"""Records of the first stage on a large file: enough to tell plans apart, few enough for all."""
STAGES = 5
"""Most stages of a search."""
LIKE = 0.5
"""Share of the plans that goes on to the next stage."""
TOO_SHORT = "time ran out before the first run had ended; give more"
"""Why a plan was not assessed when the time is not enough for anything."""
GROWTH = 1.5
"""A run on r times as many records is taken to last r to this power times as long.

A guess between methods of linear and of square cost, made before the next stage is tried.
"""


def rungs(n: int) -> list[int]:
    """Records at each stage of a search, at most ``STAGES``.

    n is halved again and again while ``SMALLEST`` are left; of a large file it is divided by
    more, so that the first stage has about ``FIRST``.
    """
    stages = min(STAGES, 1 + int(np.log2(max(n / SMALLEST, 1.0))))
    ratio = max(2.0, (n / FIRST) ** (1 / max(stages - 1, 1)))
    return [round(n / ratio**i) for i in reversed(range(stages))]


def search(
    lab: Lab,
    plans: Sequence[Plan],
    end: float,
    bound: float,
) -> tuple[list[Trial], list[Trial], list[str]]:
    """The trials on the whole file, those dropped before, and what was not done.

    Half of the time is for the whole file, because nothing else can be recommended; the samples
    before share the other half. Every stage has more records and at most half the plans. On the
    whole file those come first that keep the bound on the sample, the least loss before the
    others; what time is left is for further plans (``time_left``). Where no plan gets through the
    whole file in time, the trials are those of the largest sample that one got through, and say
    so (``late``).
    """
    sizes = rungs(lab.data.n)
    known = Known(plans, bound, lab.risk)
    warmed = _warm_up(lab, plans, end)
    # scrambled, so that what a short stage does not reach is spread over all methods
    scrambled = np.random.default_rng(lab.seed).permutation(len(plans))
    alive = [plans[i] for i in scrambled]
    furthest: list[Trial] = []
    now = time.perf_counter()
    halfway = now + max(0.0, end - now) / 2
    for stage, records in enumerate(sizes[:-1]):
        began = time.perf_counter()
        # what a stage leaves over is for the later ones
        share = max(0.0, halfway - began) / (len(sizes) - 1 - stage)
        tried = lab.trials(alive, records, 1, Time(began + share, end))
        if not tried:
            break
        furthest = tried
        known.sampled.update({trial.name: trial for trial in tried})
        growth = (sizes[stage + 1] / records) ** GROWTH
        each = (time.perf_counter() - began) / max(len(tried), 1) * growth
        kept = _halved(tried, int(share / max(each, 1e-9)), bound)
        alive = [trial.plan for trial in kept]
    # on the whole file, best first, so that what time allows is what matters
    alive = _most_promising(alive, furthest, bound)
    now = time.perf_counter()
    found = lab.trials(alive, sizes[-1], lab.seeds, Time(now + (end - now) / 2, end))
    known.whole.update({trial.name: trial for trial in found})
    go_on(lab, known, sizes[0], end)
    trials = list(known.whole.values())
    if not trials:
        # on a busy machine there may be time for the first runs alone: a poor answer, but one
        furthest = furthest or [lab.sum_up(*each) for each in warmed]
        trials = [_late(trial, lab.data.n) for trial in furthest]
        trials = trials or [Trial.failure(plan, 0, 0, TOO_SHORT) for plan in plans]
    seen = {trial.name for trial in trials}
    dropped = [trial for name, trial in known.sampled.items() if name not in seen]
    return trials, dropped, _left_out(known, sizes)


def _left_out(known: Known, sizes: Sequence[int]) -> list[str]:
    """What time did not allow, in a sentence each."""
    notes = []
    if known.untried:
        notes.append(
            f"time ran out on {sizes[0]} records: {len(known.untried)} plans were not tried"
        )
    waiting = known.next(len(known.plans))
    if known.whole and waiting:
        notes.append(
            f"time ran out: {len(waiting)} plans that may lose less were not run on the whole file"
        )
    return notes


def _most_promising(
    alive: list[Plan], seen: Sequence[Trial], bound: float
) -> list[Plan]:
    """Those that keep the bound on a sample by their loss, then the others by their risk.

    A sample is easier to attack than the file: who is safe there is the likeliest to be
    recommended, and of those the one that loses least.
    """
    known = {trial.name: trial for trial in seen}

    def place(plan: Plan) -> tuple[int, float]:
        trial = known.get(str(plan))
        if trial is None or not trial.assessed:
            return 2, 0.0
        if trial.risk_interval[1] <= bound:
            return 0, trial.loss
        return 1, trial.risk

    return sorted(alive, key=place)


def _late(trial: Trial, n: int) -> Trial:
    """A trial that had no time for the whole file."""
    return replace(trial, late=f"time ran out after {trial.records:,} of {n:,} records")


def _warm_up(
    lab: Lab, plans: Sequence[Plan], end: float
) -> list[tuple[Plan, int, list[Outcome]]]:
    """Run one plan of each sequence of methods on a few records; what came of it."""
    methods = {tuple(step.method for step in plan.steps): plan for plan in plans}
    # plans of the same methods share most of what is compiled
    few = min(FEW, lab.data.n)
    first = [(plan, run) for plan in methods.values() for run in lab.runs(plan, few, 1)]
    runs = [run for _, run in first]
    # on a busy machine loading alone may take all the time there is: then no run is started for it
    now = time.perf_counter()
    last = now + WARMING * max(0.0, end - now)
    limit = Time(last, end)
    outcomes = warm(lab.data, runs, lab.settings, lab.workers, limit)
    return [
        (first[i][0], few, [outcome])
        for i, outcome in sorted(outcomes.items())
        if not outcome.failed
    ]


def _halved(tried: list[Trial], most: int, bound: float) -> list[Trial]:
    """The trials whose plans go on, best first.

    The one that is the likeliest to be recommended goes on whatever its score is.
    """
    likeliest = str(_most_promising([each.plan for each in tried], tried, bound)[0])
    # within a layer by score, without a score last
    # a risk of which some attacks are missing beats nobody
    layers = ranks([(_known_risk(trial), trial.loss) for trial in tried])

    def place(i: int) -> tuple[bool, int, bool, float]:
        score = tried[i].score
        last = tried[i].name != likeliest
        return last, layers[i], math.isnan(score), score

    order = sorted(range(len(tried)), key=place)
    # a frontier is what is wanted: all of the first layer goes on, if time allows
    keep = max(int(np.ceil(len(tried) * LIKE)), layers.count(0))
    keep = max(1, min(keep, most))
    return [tried[i] for i in order[:keep]]


def _known_risk(trial: Trial) -> float:
    """The risk where every attack ran; else NaN, which comes last."""
    return trial.risk if trial.assessed else math.nan
