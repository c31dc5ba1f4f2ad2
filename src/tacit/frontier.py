"""What a comparison found: a table, the plans that no other beats, the map, and the one to take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.measure import jsonable
from tacit.plan import Plan

if TYPE_CHECKING:
    from tacit.trials import Outcome

STRONGEST = "strongest attack"
"""The risk of a plan unless another measure is named: the highest rate of any attacker."""
LOSS = "IL"
"""Its loss, unless another measure is named."""


@dataclass(frozen=True)
class Trial:
    """One plan over its seeds: mean risk and loss with 95 % intervals over seeds, and every measure's mean."""

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

    @classmethod
    def of(cls, plan: Plan, records: int, found: Sequence[Outcome], risk: str = STRONGEST, loss: str = LOSS) -> Trial:
        """Means over the runs of one plan; runs that failed are left out and told."""
        nan = float("nan")
        good = [outcome for outcome in found if not outcome.failed]
        if not good:
            return cls(plan, records, len(found), nan, (nan, nan), nan, (nan, nan), nan, "", {}, 0.0, found[0].failed)
        rate = {name: float(np.mean([o.attacks.get(name, nan) for o in good])) for name in good[0].attacks}
        measures = {name: float(np.mean([o.measures.get(name, nan) for o in good])) for name in good[0].measures}
        attacker = ""
        risks = [outcome.measures.get(risk, nan) for outcome in good]
        if risk == STRONGEST:
            risks = [max(outcome.attacks.values(), default=nan) for outcome in good]
            attacker = max(rate, key=lambda name: (rate[name], name), default="")
        losses = [outcome.measures.get(loss, nan) for outcome in good]
        return cls(
            plan,
            records,
            len(good),
            float(np.mean(risks)),
            spread(risks, (0.0, 1.0)),
            float(np.mean(losses)),
            spread(losses),
            float(np.mean([outcome.score for outcome in good])),
            attacker,
            measures | {f"rate: {name}": value for name, value in rate.items()},
            float(sum(outcome.seconds for outcome in found)),
            "" if len(good) == len(found) else f"{len(found) - len(good)} of {len(found)} runs failed",
        )

    @property
    def name(self) -> str:
        """How the plan is called in tables."""
        return str(self.plan)

    @property
    def family(self) -> str:
        """What the points of one curve have in common: the plan's name without parameters."""
        return (
            self.name.partition("(")[0]
            if len(self.plan.steps) == 1 or self.plan.name
            else " + ".join(step.method for step in self.plan.steps)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return dict(
            jsonable(
                {
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
                | ({"failed": self.failed} if self.failed else {})
            )
        )


def spread(values: Sequence[float], within: tuple[float, float] = (-np.inf, np.inf)) -> tuple[float, float]:
    """95 % interval of the mean over seeds (Student's t), cut to the measure's range; one seed: the value itself."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2:
        return mean, mean
    from scipy.stats import t as student  # half a second that a single run need not wait for

    half = float(student.ppf(0.975, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x)))
    return max(mean - half, within[0]), min(mean + half, within[1])


def ranks(points: Sequence[tuple[float, float]]) -> list[int]:
    """Layers of the comparison: 0 for points that no other beats, 1 for those that only layer 0 beats, and so on.

    A point beats another when it is no worse in both and better in one. Points with a NaN come last.
    """
    left = [i for i, p in enumerate(points) if not any(np.isnan(p))]
    out = [len(points)] * len(points)
    layer = 0
    while left:
        best = [i for i in left if not any(_beats(points[j], points[i]) for j in left)]
        for i in best:
            out[i] = layer
        left = [i for i in left if i not in set(best)]
        layer += 1
    return out


def _beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a != b


@dataclass(frozen=True)
class Frontier:
    """All trials; ``best`` are those that no other beats in both risk and loss."""

    trials: tuple[Trial, ...]
    risk_name: str
    loss_name: str
    bound: float
    records: int
    dropped: tuple[Trial, ...] = ()
    """Plans that a search with a budget gave up on a sample of the records."""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def finished(self) -> list[Trial]:
        """Trials that ran on the whole file."""
        return [trial for trial in self.trials if not trial.failed]

    @property
    def best(self) -> list[Trial]:
        """The Pareto frontier, from low to high loss."""
        ran = self.finished
        layer = ranks([(trial.risk, trial.loss) for trial in ran])
        return sorted((t for t, r in zip(ran, layer, strict=True) if r == 0), key=lambda t: (t.loss, t.risk, t.name))

    @property
    def recommended(self) -> Trial | None:
        """The least loss among plans whose risk, at the upper end of its interval, is within the bound; if there is
        none, the least score; if there is no score, the least risk.
        """
        ran = self.finished
        if not ran:
            return None
        safe = self._safe()
        if safe:
            return min(safe, key=lambda t: (t.loss, t.risk, t.name))
        scored = [trial for trial in ran if trial.score == trial.score]
        if scored:
            return min(scored, key=lambda t: (t.score, t.risk, t.name))
        return min(ran, key=lambda t: (t.risk, t.loss, t.name))

    @property
    def why(self) -> str:
        """Why that plan, in one sentence."""
        chosen = self.recommended
        if chosen is None:
            return "no plan could be run: " + "; ".join(sorted({t.failed for t in self.trials if t.failed}))
        safe = self._safe()
        if safe:
            keep = "keeps" if len(safe) == 1 else "keep"
            return (
                f"of {len(self.finished)} plans, {len(safe)} {keep} {self.risk_name} at {self.bound:.3g} or less; "
                f"{chosen.name} loses least among them ({self.loss_name} {chosen.loss:.4g}, risk {chosen.risk:.4g}"
                + (f" by {chosen.attacker})" if chosen.attacker else ")")
            )
        what = "best score" if chosen.score == chosen.score else "least risk"
        return (
            f"NO plan keeps {self.risk_name} at {self.bound:.3g} or less: none of them is safe by this bound; "
            f"{chosen.name} has the {what} (risk {chosen.risk:.4g}, {self.loss_name} {chosen.loss:.4g})"
        )

    def _safe(self) -> list[Trial]:
        return [t for t in self.finished if max(t.risk, t.risk_interval[1]) <= self.bound]

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row a plan, on the frontier first, then by score."""
        best = {trial.name for trial in self.best}
        chosen = self.recommended
        rows = [
            trial.to_dict()
            | {"frontier": trial.name in best, "recommended": chosen is not None and trial.name == chosen.name}
            for trial in self.trials
        ]
        return sorted(rows, key=lambda r: (not r["frontier"], r["loss"] if r["frontier"] else (r["score"] or 1e9)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain types."""
        chosen = self.recommended
        return {
            "records": self.records,
            "risk": self.risk_name,
            "loss": self.loss_name,
            "bound": self.bound,
            "plans": self.table,
            "frontier": [trial.name for trial in self.best],
            "recommended": None if chosen is None else chosen.name,
            "recommended_plan": None if chosen is None else chosen.plan.to_dict(),
            "why": self.why,
            "dropped": [trial.to_dict() for trial in self.dropped],
            "notes": list(self.notes),
            "seconds": self.seconds,
            "settings": dict(jsonable(self.settings)),
        }

    def save(self, path: str | Path) -> None:
        """Write ``to_dict`` as JSON."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def to_svg(self, path: str | Path | None = None) -> str:
        """The risk-utility map as SVG text, written to ``path`` if given."""
        from tacit.rumap import draw

        text = draw(self.to_dict())
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_html(self, path: str | Path, *, force: bool = True) -> None:
        """Write the comparison as one HTML file that opens offline."""
        from tacit import report

        report.write_comparison(self, path, force=force)

    def plot(self) -> Any:
        """The risk-utility map as a figure: shows itself in a notebook, ``save`` writes it."""
        from tacit.report.comparison import figure

        return figure(self)

    def _repr_html_(self) -> str:
        from tacit.report.jupyter import frontier

        return frontier(self)

    def __repr__(self) -> str:
        return f"Frontier({len(self.trials)} plans, {len(self.best)} on the frontier; {self.why})"
