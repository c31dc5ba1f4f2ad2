"""What a search does with the time that it has left: further plans on the whole file.

Idea. Halving ends with the plans that did best on samples. Where time is left, the best safe plan
is looked for among those that lose less than the one that is safe so far, as one looks for a name
in a book: from the middle. A plan that is not safe on the whole file takes those of the same
methods along that lose even less; one that is safe takes along all that lose more.

Invariant. A sample decides which plan is run next and never what is recommended, and no run is
begun whose like would not have ended in time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tacit.compare.lab import Lab
from tacit.compare.trial import Trial
from tacit.compare.workers import Time
from tacit.plan.plan import Plan

SAMPLING = 0.25
"""Share of the time that is left in which plans without any run may have their first one."""
LONGER = 1.3
"""How much longer than its likes so far a run is taken to last."""


@dataclass
class Known:
    """What a search knows of its plans, by their names."""

    plans: Sequence[Plan]
    bound: float
    risk: str
    sampled: dict[str, Trial] = field(default_factory=dict)
    """The trial on the largest sample that a plan got through."""
    whole: dict[str, Trial] = field(default_factory=dict)

    @property
    def untried(self) -> list[Plan]:
        """Plans that no run has ended of."""
        tried = self.sampled.keys() | self.whole.keys()
        return [plan for plan in self.plans if str(plan) not in tried]

    def is_safe(self, trial: Trial) -> bool:
        """By the verdict of the comparison."""
        return trial.verdict(self.bound, self.risk).state == "safe"

    def next(self, most: int) -> list[Plan]:
        """At most so many plans whose run on the whole file would tell most."""
        waiting = [
            trial
            for name, trial in self.sampled.items()
            if name not in self.whole and trial.assessed
        ]
        safe = [trial for trial in self.whole.values() if self.is_safe(trial)]
        if not safe:
            # the least risk on its sample is the likeliest to be safe
            waiting.sort(key=lambda trial: (trial.risk, trial.loss, trial.name))
            return [trial.plan for trial in waiting[:most]]
        best = min(self._loss(trial) for trial in safe)
        waiting = [
            trial
            for trial in waiting
            if trial.loss < best and not self._is_hopeless(trial)
        ]
        waiting.sort(key=lambda trial: (trial.loss, trial.name))
        # evenly spread over what is left: the middle one, or at a third and two thirds, ...
        some = min(most, len(waiting))
        places = {(i + 1) * len(waiting) // (some + 1) for i in range(some)}
        return [waiting[place].plan for place in sorted(places)]

    def _loss(self, trial: Trial) -> float:
        """On the sample where there is one: samples are compared with samples."""
        return self.sampled.get(trial.name, trial).loss

    def _is_hopeless(self, trial: Trial) -> bool:
        """The same methods were not safe on the whole file though they lose more."""
        return any(
            methods(other.plan) == methods(trial.plan)
            and self._loss(other) >= trial.loss
            for other in self.whole.values()
            if not self.is_safe(other)
        )


def methods(plan: Plan) -> tuple[str, ...]:
    """What a plan does, whatever its parameters."""
    return tuple(step.method for step in plan.steps)


def go_on(lab: Lab, known: Known, sample: int, end: float) -> None:
    """First runs of plans without any, then further plans on the whole file, while there is time.

    Parameters
    ----------
    lab : Lab
        Runs plans.
    known : Known
        What the search has found; what is found here is added.
    sample : int
        Records of the first run of a plan.
    end : float
        When the command must have ended.
    """
    now = time.perf_counter()
    untried = known.untried
    if untried and known.whole:
        limit = Time(now + SAMPLING * max(0.0, end - now), end)
        found = lab.trials(untried, sample, 1, limit)
        known.sampled.update({trial.name: trial for trial in found})
    while known.whole and not lab.stop.asked:
        each = max(
            trial.seconds / max(trial.seeds, 1) for trial in known.whole.values()
        )
        runs = _runs(lab, known.next(1))
        some = known.next(max(1, lab.workers // max(runs, 1)))
        if not some:
            break
        # a plan that draws numbers is drawn afresh before it is recommended
        lasts = LONGER * each * math.ceil(runs / lab.workers)
        again = 0.0 if all(plan.repeatable for plan in some) else lasts
        now = time.perf_counter()
        if now + lasts + again > end:
            break
        found = lab.trials(some, lab.data.n, lab.seeds, Time(end, end - again))
        if not found:
            break
        known.whole.update({trial.name: trial for trial in found})


def _runs(lab: Lab, plans: Sequence[Plan]) -> int:
    """How many runs the first of these plans takes."""
    return len(lab.runs(plans[0], lab.data.n, lab.seeds)) if plans else 0
