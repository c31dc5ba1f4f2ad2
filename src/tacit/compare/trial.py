"""One plan of a comparison: what it risks and loses over its seeds, and what follows from that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit.assess.next_step import Adviser
from tacit.assess.verdict import FAILS, MISSING, Row, Verdict, row_of
from tacit.base.measure import jsonable
from tacit.compare.over_seeds import mean, spread
from tacit.plan.plan import Plan

if TYPE_CHECKING:
    from tacit.compare.trials import Outcome

Json: TypeAlias = dict[str, Any]
"""Plain types under names."""

STRONGEST = "strongest attack"
"""The risk of a plan unless another measure is named: the highest rate of any attacker."""
LOSS = "IL"
"""Its loss, unless another measure is named."""
RATE = "rate: "
"""What stands before an attacker's name among the measures."""
NAN = float("nan")


@dataclass(frozen=True)
class Trial:
    """One plan over its seeds: means with 95 % intervals, and every measure's mean.

    The interval of the risk is over seeds or over records, whichever reaches further.
    """

    plan: Plan
    records: int
    seeds: int
    risk: float
    risk_interval: tuple[float, float]
    loss: float
    loss_interval: tuple[float, float]
    score: float
    attacker: str
    measures: dict[str, float]
    seconds: float
    failed: str = ""
    unknown: str = ""
    """The attacks that did not run, with the reason: the figures are of the others alone."""
    exposed: dict[str, list[float]] = field(default_factory=dict)
    """What is unsafe at any bound, with its value and its limit."""
    late: str = ""
    """What there was no time for; the figures are of a sample, or of releases that were chosen."""
    searched: float | None = None
    """The risk that the search saw, where these figures are of releases drawn afresh since."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        records: int,
        outcomes: Sequence[Outcome],
        risk: str = STRONGEST,
        loss: str = LOSS,
    ) -> Trial:
        """Means over the runs of one plan; runs that failed are left out and told."""
        good = [outcome for outcome in outcomes if not outcome.failed]
        if not good:
            return cls.failure(plan, records, len(outcomes), outcomes[0].failed)
        rates = {
            name: mean([outcome.attacks.get(name, NAN) for outcome in good])
            for name in good[0].attacks
        }
        measures = {
            name: mean([outcome.measures.get(name, NAN) for outcome in good])
            for name in good[0].measures
        }
        attacker = ""
        risks = [outcome.measures.get(risk, NAN) for outcome in good]
        interval = spread(risks, (0.0, 1.0))
        if risk == STRONGEST:
            # the worst attack of each run, which need not be the same one
            risks = [max(outcome.attacks.values(), default=NAN) for outcome in good]
            interval = _interval(risks, good)
            attacker = max(rates, key=lambda name: (rates[name], name), default="")
        losses = [outcome.measures.get(loss, NAN) for outcome in good]
        bad = len(outcomes) - len(good)
        return cls(
            plan=plan,
            records=records,
            seeds=len(good),
            risk=mean(risks),
            risk_interval=interval,
            loss=mean(losses),
            loss_interval=spread(losses),
            score=mean([outcome.score for outcome in good]),
            attacker=attacker,
            measures=measures | {RATE + name: rates[name] for name in rates},
            seconds=float(sum(outcome.seconds for outcome in outcomes)),
            failed=f"{bad} of {len(outcomes)} runs failed" if bad else "",
            unknown="; ".join(_all(outcome.unknown for outcome in good)),
            exposed={k: v for outcome in good for k, v in outcome.exposed.items()},
        )

    @classmethod
    def failure(cls, plan: Plan, records: int, seeds: int, reason: str) -> Trial:
        """A plan of which no run finished."""
        return cls(
            plan=plan,
            records=records,
            seeds=seeds,
            risk=NAN,
            risk_interval=(NAN, NAN),
            loss=NAN,
            loss_interval=(NAN, NAN),
            score=NAN,
            attacker="",
            measures={},
            seconds=0.0,
            failed=reason,
        )

    @property
    def name(self) -> str:
        """How the plan is called in tables."""
        return str(self.plan)

    @property
    def family(self) -> str:
        """What the points of one curve have in common: the plan's name without parameters."""
        if len(self.plan.steps) == 1 or self.plan.name:
            return self.name.partition("(")[0]
        return " + ".join(step.method for step in self.plan.steps)

    @property
    def assessed(self) -> bool:
        """Every run finished on the whole file, and every attack of it ran."""
        missing = self.failed or self.unknown or self.late
        return not missing and not math.isnan(self.risk)

    @property
    def confirmed(self) -> bool:
        """These are figures of releases that no search has chosen, or drawing makes none other."""
        return self.searched is not None or self.plan.repeatable

    def verdict(self, bound: float, name: str = STRONGEST) -> Verdict:
        """The risk beside the bound, with what did not run and what is exposed."""
        why = f"attacker: {self.attacker}" if self.attacker else ""
        rows = [row_of(name, self.risk, bound, why, self.risk_interval)]
        for what, reason in (
            ("runs", self.failed),
            ("attacks", self.unknown),
            ("time", self.late),
        ):
            if reason:
                rows.append(Row(what, NAN, bound, MISSING, reason))
        for what, (value, limit) in self.exposed.items():
            rows.append(Row(what, value, limit, FAILS, "in the release itself"))
        attacked = any(key.startswith(RATE) for key in self.measures)
        adviser = Adviser(self.plan, self.records, attacks=(name,))
        return Verdict(tuple(rows), attacked, adviser)

    def to_dict(self) -> Json:
        """Plain types for JSON."""
        out: Json = {
            "name": self.name,
            "family": self.family,
            "plan": self.plan.to_dict(),
            "records": self.records,
            "seeds": self.seeds,
            "risk": self.risk,
            "risk_interval": self.risk_interval,
            "loss": self.loss,
            "loss_interval": self.loss_interval,
            "score": self.score,
            "attacker": self.attacker,
            "measures": self.measures,
            "seconds": self.seconds,
        }
        # what is as it should be is not said
        for key in ("failed", "unknown", "late", "exposed", "searched"):
            if getattr(self, key) not in ("", {}, None):
                out[key] = getattr(self, key)
        return dict(jsonable(out))


def _interval(risks: Sequence[float], runs: Sequence[Outcome]) -> tuple[float, float]:
    """Over seeds or over records, whichever reaches further.

    Seeds alone say nothing of a plan that draws none, and little of one that was run twice.
    """
    low, high = spread(risks, (0.0, 1.0))
    spans = [list(outcome.intervals.values()) for outcome in runs]
    if not all(spans):
        return low, high
    # the highest of each run: any intruder may be the one
    lows = mean([max(span[0] for span in run) for run in spans])
    highs = mean([max(span[1] for span in run) for run in spans])
    return min(low, lows), max(high, highs)


def _all(lists: Iterable[Sequence[str]]) -> list[str]:
    """What any of the lists holds, once."""
    return list(dict.fromkeys(text for texts in lists for text in texts))
