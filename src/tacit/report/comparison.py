"""The report of a comparison: the map of all plans, the frontier, the recommended plan."""

from __future__ import annotations

from tacit import __version__
from tacit.base.stopping import STOPPED
from tacit.compare.frontier import Frontier
from tacit.compare.trial import Trial
from tacit.report.charts import Point, risk_utility_map
from tacit.report.charts.svg import Drawing
from tacit.report.content import Content, Headline, Row
from tacit.report.figure import Figure
from tacit.report.glossary import entries
from tacit.report.internal import steps, today
from tacit.report.parts import figure as head_figure
from tacit.report.words import count, inside, limit, number, percent, seconds, title


def points(frontier: Frontier, *, names: bool = True) -> list[Point]:
    """Every plan that was assessed, as a point.

    Without `names` a point says its method only, not its parameters.
    """
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
            interval=trial.risk_interval,
        )
        for trial in frontier.finished
        # NaN and infinity have no place on a map
        if trial.risk == trial.risk and trial.loss < float("inf")
    ]


def figure(frontier: Frontier) -> Figure:
    """The map as an object that shows and saves itself."""
    return Figure(map_of(frontier))


def map_of(frontier: Frontier, *, names: bool = True) -> Drawing:
    """The risk-utility map of a comparison."""
    return risk_utility_map(
        points(frontier, names=names),
        bound=frontier.bound,
        risk_name=inside(frontier.risk_name),
        loss_name=inside(frontier.loss_name),
    )


def verdict(frontier: Frontier, *, names: bool = True) -> Headline:
    """Which plan to take, or that there is none."""
    closest = frontier.closest
    candidate = frontier.candidate
    if frontier.recommended is None and candidate is not None:
        kept = frontier.seemed(candidate).state == "safe"
        looks = "keeps the bound and loses least" if kept else "comes closest"
        text = f"As far as was seen ({candidate.late}), {_called(candidate, names)} {looks}: "
        text += f"{_figures(candidate)}."
        stopped = candidate.late.startswith(STOPPED)
        why = "Stopped" if stopped else "Time ran out"
        if frontier.settings.get("sampled_of"):
            return Headline("bad", "A sample alone makes no plan safe", text)
        return Headline("bad", f"{why} before any plan was found safe", text)
    if closest is None:
        none = "No plan could be assessed; the reasons are listed below."
        return Headline("bad", "No plan could be assessed", none)
    accepted = f"the accepted risk of {limit(frontier.bound)}"
    chosen = frontier.recommended
    if chosen is None:
        near = f"{_called(closest, names)} comes closest: {_figures(closest)}"
        text = f"No plan stays within {accepted}, so none is recommended; {near}."
        return Headline("bad", "No plan is safe", text)
    text = f"{_called(chosen, names)} loses least among the plans within {accepted}: "
    text += f"{_figures(chosen)}."
    # chosen by its figures it was partly chosen by luck: these are of later draws
    if chosen.searched is not None:
        text += (
            f" These are figures of releases drawn afresh; the search saw "
            f"{percent(chosen.searched)}."
        )
    return Headline("good", "Recommended", text)


def _called(trial: Trial, names: bool) -> str:
    """The name of a plan, which holds its parameters, or its methods alone."""
    return trial.name if names else inside(trial.family)


def _figures(trial: Trial) -> str:
    """Risk with its upper end, and loss."""
    most = max(trial.risk, trial.risk_interval[1])
    return (
        f"{percent(trial.risk)} risk (up to {percent(most)}), loss {number(trial.loss)}"
    )


def content(frontier: Frontier, *, external: bool = False) -> Content:
    """The page of a comparison; the external one names methods and no parameters."""
    chosen = frontier.recommended
    page = Content(
        title="Comparison of plans",
        date=today(),
        version=__version__,
        verdict=verdict(frontier, names=not external),
        external=external,
        subtitle=f"{len(frontier.trials)} plans on {count(frontier.records_seen)} records",
    )
    # counts first, then the plan to take
    figures = [
        head_figure(count(len(frontier.finished)), "plans assessed"),
        head_figure(count(len(frontier.best)), "on the frontier"),
    ]
    if chosen is not None:
        risk, loss = percent(chosen.risk), number(chosen.loss)
        figures.append(head_figure(risk, "risk of the recommended plan"))
        figures.append(head_figure(loss, "its loss"))
    page.figures = figures
    page.map = {
        "lead": "Each point is one plan. Lower left is better.",
        "chart": str(map_of(frontier, names=not external)),
        "caption": "The line joins the plans that no other plan beats on both risk and "
        "loss; the ring marks the recommended plan; the shaded band is the accepted "
        "risk. Shapes tell the methods apart.",
        "rows": [] if external else _rows(frontier),
    }
    # parameters help an intruder; the names of methods do not
    if external:
        if chosen is not None:
            page.steps = [{"title": title(step.method)} for step in chosen.plan.steps]
    else:
        _inside(page, frontier)
    if chosen is None:
        page.no_steps = "No plan is recommended."
    page.glossary = entries()
    return page


def _rows(frontier: Frontier) -> list[Row]:
    """One row per plan that ran: the frontier first, then by loss."""
    best = {trial.name for trial in frontier.best}
    chosen = frontier.recommended
    order = sorted(frontier.finished, key=lambda t: (t.name not in best, t.loss))
    return [
        {
            "label": trial.name,
            "risk": percent(trial.risk),
            "loss": number(trial.loss),
            "score": number(trial.score),
            "chosen": chosen is not None and trial.name == chosen.name,
            "frontier": trial.name in best,
        }
        for trial in order
    ]


def _inside(page: Content, frontier: Frontier) -> None:
    """What only the internal page says: reasons, parameters, the plan itself."""
    page.remarks = [str(note) for note in frontier.notes]
    page.remarks += [
        f"{trial.name} was not assessed: {frontier.verdict(trial).reason}"
        for trial in frontier.trials
        if not trial.assessed
    ]
    page.facts = [("Time", seconds(frontier.seconds)), ("Why", frontier.why)]
    chosen = frontier.recommended
    if chosen is not None:
        page.steps = steps(chosen.plan)
        heading = "The recommended plan (plan.toml)"
        page.repeat = [{"title": heading, "text": chosen.plan.to_toml()}]
