"""What a comparison found: a table, the plans that no other beats, the map, the one to take."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from tacit.assess.verdict import Verdict
from tacit.base import display
from tacit.base.measure import jsonable
from tacit.compare.pareto import ranks
from tacit.compare.trial import Trial

Json: TypeAlias = dict[str, Any]
"""Plain types under names."""

WITHOUT_SCORE = 1e9
"""Where a plan without a score stands in the table: below all that have one."""


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
    settings: Json = field(default_factory=dict)

    @property
    def finished(self) -> list[Trial]:
        """Trials whose runs and attacks all ran; what is left of the others proves nothing."""
        return [trial for trial in self.trials if trial.assessed]

    @property
    def best(self) -> list[Trial]:
        """The Pareto frontier, from low to high loss."""
        # a plan of which some runs failed is in the table, but beats nobody
        ran = self.finished
        layers = ranks([(trial.risk, trial.loss) for trial in ran])
        first = [trial for trial, layer in zip(ran, layers, strict=True) if layer == 0]
        return sorted(first, key=lambda trial: (trial.loss, trial.risk, trial.name))

    def verdict(self, trial: Trial) -> Verdict:
        """What follows from a trial by this comparison's bound."""
        return trial.verdict(self.bound, self.risk_name)

    @property
    def recommended(self) -> Trial | None:
        """The plan to take: the least loss among those that are safe by the bound.

        None where no plan is. Safe is what the verdict calls so: the upper end of the risk's
        interval is within the bound, every attack ran, and the release holds nothing raw.
        """
        # the name decides between equals, so that the order of the plans does not
        safe = self._safe()
        return min(
            safe, key=lambda trial: (trial.loss, trial.risk, trial.name), default=None
        )

    @property
    def closest(self) -> Trial | None:
        """The assessed plan of least risk: where to go on from when none is safe."""
        return min(
            self.finished,
            key=lambda trial: (trial.risk, trial.loss, trial.name),
            default=None,
        )

    @property
    def candidate(self) -> Trial | None:
        """The best of the plans that time did not allow to look at in full; never recommended.

        The least loss among those that keep the bound as far as was seen, else the least risk.
        """
        late = [trial for trial in self.trials if trial.late]
        safe = [trial for trial in late if self.seemed(trial).state == "safe"]
        if safe:
            return min(safe, key=lambda trial: (trial.loss, trial.risk, trial.name))
        return min(
            late,
            key=lambda trial: (trial.risk, trial.loss, trial.name),
            default=None,
        )

    def seemed(self, trial: Trial) -> Verdict:
        """What would follow from a trial if it had not run out of time."""
        return self.verdict(replace(trial, late=""))

    @property
    def records_seen(self) -> int:
        """The records that the figures are of: all, unless time ran out before."""
        return max((trial.records for trial in self.trials), default=self.records)

    @property
    def why(self) -> str:
        """Why that plan, or why none, in one sentence."""
        closest = self.closest
        late = self.candidate
        if self.recommended is None and late is not None:
            figures = f"{self.loss_name} {late.loss:.4g}, risk {late.risk:.4g}"
            looks = "comes closest to the bound"
            if self.seemed(late).state == "safe":
                looks = "keeps the bound and loses least"
            then = "give more time, or protect with it and assess the release"
            if self.settings.get("sampled_of"):
                then = "protect the whole file with it, and assess the release"
            return (
                f"{late.late}, so none is recommended; as far as was seen {late.name} {looks} "
                f"({figures}): {then}"
            )
        if closest is None:
            reasons = {self.verdict(trial).reason for trial in self.trials}
            return "no plan could be assessed: " + "; ".join(sorted(reasons))
        chosen = self.recommended
        if chosen is None:
            return (
                f"NO plan keeps {self.risk_name} at {self.bound:.3g} or less, so none is "
                f"recommended; {closest.name} comes closest ({self.verdict(closest).reason}, "
                f"{self.loss_name} {closest.loss:.4g})"
            )
        safe = self._safe()
        keep = "keeps" if len(safe) == 1 else "keep"
        attacker = f" by {chosen.attacker}" if chosen.attacker else ""
        line = (
            f"of {len(self.finished)} plans, {len(safe)} {keep} {self.risk_name} "
            f"at {self.bound:.3g} or less; {chosen.name} loses least among them "
            f"({self.loss_name} {chosen.loss:.4g}, risk {chosen.risk:.4g}{attacker}, "
            f"up to {max(chosen.risk, chosen.risk_interval[1]):.4g})"
        )
        if chosen.searched is None:
            return line
        return f"{line}; drawn afresh, the search saw {chosen.searched:.4g}"

    def _safe(self) -> list[Trial]:
        """Plans that are within the bound even at the upper end of their interval."""
        return [t for t in self.finished if self.verdict(t).state == "safe"]

    def replaced(self, trial: Trial) -> Frontier:
        """The same comparison with newer figures of one plan."""
        trials = tuple(trial if t.name == trial.name else t for t in self.trials)
        return replace(self, trials=trials)

    @property
    def table(self) -> list[Json]:
        """One row per plan, on the frontier first, then by score."""
        # names are unique: see plan.grid.unique
        best = {trial.name for trial in self.best}
        chosen = self.recommended
        rows = []
        for trial in self.trials:
            # as plain types, in which NaN is None
            row = trial.to_dict()
            row["verdict"] = self.verdict(trial).state
            row["frontier"] = trial.name in best
            row["recommended"] = chosen is not None and trial.name == chosen.name
            rows.append(row)
        return sorted(rows, key=_place_in_table)

    def to_dict(self) -> Json:
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
        text = str(display.show("comparison:figure", self).svg)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_html(
        self,
        path: str | Path,
        *,
        force: bool = True,
    ) -> None:
        """Write the comparison as one HTML file that opens offline."""
        display.show(":write_comparison", self, path, force=force)

    def plot(self) -> object:
        """The risk-utility map as a figure: shows itself in a notebook, ``save`` writes it."""
        return display.show("comparison:figure", self)

    def _repr_html_(self) -> str:
        return str(display.show("notebook:frontier", self))

    def __repr__(self) -> str:
        plans, best = len(self.trials), len(self.best)
        return f"Frontier({plans} plans, {best} on the frontier; {self.why})"


def _place_in_table(row: Json) -> tuple[bool, float]:
    """On the frontier by loss, below it by score."""
    value = row["loss"] if row["frontier"] else (row["score"] or WITHOUT_SCORE)
    return not row["frontier"], value
