"""Where plans are run over their seeds, and their outcomes summed up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tacit.base.seeds import DRAWN, child
from tacit.base.stopping import Stop
from tacit.base.typing import Progress
from tacit.compare.fresh import fresh
from tacit.compare.journal import Journal
from tacit.compare.trial import Trial
from tacit.compare.trials import Outcome, Settings, TrialRun, fingerprint
from tacit.compare.workers import WITHOUT_END, Time, run_all
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan


@dataclass
class Lab:
    """Runs plans and sums up their outcomes."""

    data: Microdata
    settings: Settings
    journal: Journal
    workers: int
    seeds: int
    seed: int
    risk: str
    loss: str
    progress: Progress | None
    stop: Stop = field(default_factory=Stop)
    """Who may ask to stop; what has ended by then is summed up."""
    done: int = 0
    total: int = 0
    notes: set[str] = field(default_factory=set)
    cpu: float = 0.0

    @cached_property
    def fingerprint(self) -> str:
        """Names the data; worked out once for all stages of a search."""
        return fingerprint(self.data)

    def tell(self, what: str) -> None:
        """One more run is done."""
        if self.progress is not None:
            self.progress(what, self.done, max(self.total, self.done + 1))
        self.done += 1

    def finish(self) -> None:
        """Everything is done."""
        if self.progress is not None:
            self.progress("done", self.total, self.total)

    def runs(
        self,
        plan: Plan,
        records: int,
        seeds: int,
        *,
        afresh: bool = False,
    ) -> list[TrialRun]:
        """One run per seed; a plan that draws no numbers, or has its seeds, runs once.

        ``afresh``: with seeds that the comparison has not used.
        """
        # repeated, it would give the same release
        if plan.repeatable:
            return [TrialRun(plan, records, self.seed)]
        root = DRAWN | self.seed
        key_of = fresh if afresh else child
        keys = [key_of(root, i) for i in range(seeds)]
        # seeds are no part of what a plan is called
        name = str(plan)
        return [
            TrialRun(replace(plan.seeded(key), name=name), records, key) for key in keys
        ]

    def trials(
        self,
        plans: Sequence[Plan],
        records: int,
        seeds: int,
        limit: Time = WITHOUT_END,
        *,
        afresh: bool = False,
    ) -> list[Trial]:
        """Every plan on so many records; those that time ran out for are left out."""
        batches = [self.runs(plan, records, seeds, afresh=afresh) for plan in plans]
        # every plan with its first seed before any with its second, in case time runs out
        places = [(j, i) for i, batch in enumerate(batches) for j in range(len(batch))]
        order = sorted(places, key=lambda place: place[0])
        # a search does not know beforehand how many runs it makes
        self.total += len(order)
        results = run_all(
            self.data,
            [batches[i][j] for j, i in order],
            self.settings,
            self.journal,
            workers=self.workers,
            tell=self.tell,
            limit=limit,
            of_data=self.fingerprint,
            stop=self.stop,
        )
        # back from the order of running to the order of the plans
        by_plan: list[list[Outcome]] = [[] for _ in plans]
        for (_, i), outcome in zip(order, results, strict=True):
            if outcome is not None:
                by_plan[i].append(outcome)
        return [
            self.sum_up(plan, records, outcomes)
            for plan, outcomes in zip(plans, by_plan, strict=True)
            if outcomes
        ]

    def again(self, trial: Trial, limit: Time = WITHOUT_END) -> Trial:
        """The same plan, drawn afresh as often and attacked anew, if there is time."""
        plans = [trial.plan]
        found = self.trials(plans, trial.records, self.seeds, limit, afresh=True)
        if not found:
            return replace(trial, late="time ran out before it was drawn afresh")
        return replace(found[0], searched=trial.risk)

    def sum_up(
        self,
        plan: Plan,
        records: int,
        outcomes: Sequence[Outcome],
    ) -> Trial:
        """The trial of one plan."""
        for outcome in outcomes:
            self.cpu += outcome.cpu
            # what a failed run has to say is its reason
            if not outcome.failed:
                self.notes.update(outcome.notes)
        return Trial.of(plan, records, outcomes, self.risk, self.loss)
