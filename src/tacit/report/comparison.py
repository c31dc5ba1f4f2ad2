"""The report of a comparison: the risk-utility map of all plans, the frontier, the recommended plan."""

from __future__ import annotations

from typing import Any

from tacit.report.charts import Point, risk_utility_map
from tacit.report.content import Content, Verdict
from tacit.report.glossary import entries
from tacit.report.internal import steps, today
from tacit.report.words import count, inside, limit, number, percent, seconds, title


def points(frontier: Any, *, names: bool = True) -> list[Point]:
    """Every plan that ran, as a point. Without `names` a point says its method only, not its parameters."""
    best = {trial.name for trial in frontier.best}
    chosen = frontier.recommended
    return [
        Point(
            trial.name if names else title(trial.family),
            trial.risk,
            trial.loss,
            trial.family,
            chosen=chosen is not None and trial.name == chosen.name,
            frontier=trial.name in best,
        )
        for trial in frontier.finished
        if trial.risk == trial.risk and trial.loss < float("inf")
    ]


def figure(frontier: Any) -> Any:
    """The map as an object that shows and saves itself."""
    from tacit.report.figure import Figure

    return Figure(_map(frontier))


def _map(frontier: Any, *, names: bool = True) -> Any:
    return risk_utility_map(
        points(frontier, names=names),
        bound=frontier.bound,
        risk_name=inside(frontier.risk_name),
        loss_name=inside(frontier.loss_name),
    )


def verdict(frontier: Any, *, names: bool = True) -> Verdict:
    chosen = frontier.recommended
    if chosen is None:
        return Verdict("bad", "No plan could be run", "Every plan failed; the reasons are listed below.")
    name = chosen.name if names else inside(chosen.family)
    figures = f"{percent(chosen.risk)} risk, loss {number(chosen.loss)}"
    if max(chosen.risk, chosen.risk_interval[1]) <= frontier.bound:
        text = f"{name} loses least among the plans within the accepted risk of {limit(frontier.bound)}: {figures}."
        return Verdict("good", "Recommended", text)
    text = (
        f"No plan stays within the accepted risk of {limit(frontier.bound)}; {name} comes closest by score: {figures}."
    )
    return Verdict("bad", "No plan is safe", text)


def content(frontier: Any, *, external: bool = False) -> Content:
    from tacit import __version__

    chosen = frontier.recommended
    ran = frontier.finished
    made = Content(
        title="Comparison of plans",
        date=today(),
        version=__version__,
        verdict=verdict(frontier, names=not external),
        external=external,
        subtitle=f"{len(frontier.trials)} plans on {count(frontier.records)} records",
    )
    made.figures = [
        {"value": count(len(ran)), "unit": "", "label": "plans that ran"},
        {"value": count(len(frontier.best)), "unit": "", "label": "on the frontier"},
    ]
    if chosen is not None:
        made.figures += [
            {"value": percent(chosen.risk), "unit": "", "label": "risk of the recommended plan"},
            {"value": number(chosen.loss), "unit": "", "label": "its loss"},
        ]
    if not external:
        made.remarks = [str(note) for note in frontier.notes]
        made.remarks += [f"{t.name} did not run: {t.failed}" for t in frontier.trials if t.failed]
    best = {trial.name for trial in frontier.best}
    rows = [
        {
            "label": t.name,
            "risk": percent(t.risk),
            "loss": number(t.loss),
            "score": number(t.score),
            "chosen": chosen is not None and t.name == chosen.name,
            "frontier": t.name in best,
        }
        for t in sorted(ran, key=lambda t: (t.name not in best, t.loss))
    ]
    made.map = {
        "lead": "Each point is one plan. Lower left is better.",
        "chart": str(_map(frontier, names=not external)),
        "caption": "The line joins the plans that no other plan beats on both risk and loss; the ring marks the "
        "recommended plan; the shaded band is the accepted risk. Shapes tell the methods apart.",
        "rows": [] if external else rows,
    }
    if chosen is not None:
        made.steps = steps(chosen.plan) if not external else [{"title": title(s.method)} for s in chosen.plan.steps]
    if not external:
        made.facts = [("Time", seconds(frontier.seconds)), ("Why", frontier.why)]
        if chosen is not None:
            made.repeat = [{"title": "The recommended plan (plan.toml)", "text": chosen.plan.to_toml()}]
    made.glossary = entries()
    return made
