"""The map of what was run; choosing the release."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request, Response

from tacit.app import forms
from tacit.app.messages import Catalogue, StepValues
from tacit.app.pages.home import attempts_seen, to, unready
from tacit.app.project import SAFE, Attempt, Project, Setup
from tacit.app.session import first_of, form_of, project_of, state_of
from tacit.compare.frontier import Frontier
from tacit.compare.trial import LOSS, STRONGEST, Trial
from tacit.report.charts import Point, for_both, risk_utility_map
from tacit.report.charts.map import look_of
from tacit.report.charts.svg import Drawing
from tacit.report.words import NONE, inside, number, percent

router = APIRouter()

# Values that are suggested for a parameter, as multiples of its present one; and for a zero, of
# which every multiple is zero.
MULTIPLES, FROM_ZERO = (0.5, 1, 2, 4), (1, 2, 4)
# Letters beside a point of the map.
BESIDE = 42
# parameters as Python writes them: in brackets, or after the colon that ends a sentence
CODE = re.compile(r"\s*\([a-z_]+=[\[{][^()]*\)|:\s*[a-z_]+=[\[{].*$", re.DOTALL)


def family(attempt: Attempt) -> str:
    """Attempts of the same methods share a mark on the map."""
    methods = [step["method"].replace("_", " ") for step in attempt.steps]
    return " + ".join(dict.fromkeys(methods)) or "as it is"


@router.get("/p/{pid}/compare")
async def compare(request: Request, pid: str) -> Response:
    """The map, the table, and what else can be tried."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    return state.page(
        "compare.html",
        project=project,
        here="compare",
        knobs=_knobs(project.setup.steps, await state.catalogue()),
        seen=attempts_seen(project),
        **_drawn(project),
    )


@router.get("/p/{pid}/compare/live")
async def live(request: Request, pid: str) -> Response:
    """The map and the table alone, as runs end."""
    return state_of(request).piece("runs.html", **_drawn(project_of(request, pid)))


def _drawn(project: Project) -> dict[str, object]:
    """What the template of the map needs."""
    good = [attempt for attempt in project.attempts if attempt.ok]
    chosen = project.setup.release
    bound = project.setup.bound
    trials = tuple(attempt.summary["trial"] for attempt in good)
    frontier = Frontier(trials, STRONGEST, LOSS, bound, project.about["records"])
    # What is recommended is safe by the limit as it stands, and was by the one of its run.
    safe = tuple(
        attempt.summary["trial"]
        for attempt in good
        if attempt.safe and attempt.setup.limits == project.setup.limits
    )
    recommended = replace(frontier, trials=safe).recommended
    # Two attempts may have equal figures, so a trial is known by being the same object.
    best = {id(trial) for trial in frontier.best}
    points = []
    for attempt, trial in zip(good, frontier.trials, strict=True):
        # What was not computed has no place on the map; it stands in the table.
        if math.isnan(trial.risk) or not trial.loss < math.inf:
            continue
        state, word, _ = _judged(attempt, project.setup)
        label = f"{attempt.label}: {word}"
        # where the height of a point does not say it, words do
        looks_safe = trial.risk <= bound and state != SAFE
        point = Point(
            label,
            trial.risk,
            trial.loss,
            family(attempt),
            attempt.id == chosen,
            id(trial) in best,
            str(attempt.id),
            trial.risk_interval,
            short=_cut(attempt.label) + (f": {word}" if looks_safe else ""),
        )
        points.append(point)
    before = project.before if project.before and project.before.ok else None
    if before is not None:
        points.append(_as_it_is(before))
    drawing = for_both(
        lambda width: risk_utility_map(
            points,
            bound=bound,
            width=width,
            height=min(420, width),
            risk_name="people found",
            loss_name=inside(LOSS),
            legend=False,
        ),
        980,
    )
    families = list(dict.fromkeys(point.family for point in points))
    newest_first = reversed(project.attempts)
    return {
        "good": good,
        "map": drawing,
        "families": [
            {"name": name, "mark": _mark(place)} for place, name in enumerate(families)
        ],
        "advice": _advice(frontier, recommended, good, project.setup) if good else "",
        "none_safe": bool(good) and recommended is None,
        "notes": sorted({attempt.summary["note"] for attempt in good} - {""}),
        "before": _row(before, project.setup, None) if before else None,
        "runs": [_row(one, project.setup, recommended) for one in newest_first],
    }


def _cut(label: str) -> str:
    """As much of a name as stands beside a point; the table has all of it."""
    return label if len(label) <= BESIDE else label[: BESIDE - 1] + "…"


def _as_it_is(before: Attempt) -> Point:
    """The file before protection on the map; it is no release, so it cannot be chosen."""
    trial = before.summary["trial"]
    # nothing is lost where nothing was changed, whatever a measure says of rounding
    return Point(
        before.label, trial.risk, 0.0, "as it is", interval=trial.risk_interval
    )


def _advice(
    frontier: Frontier,
    recommended: Trial | None,
    good: Sequence[Attempt],
    setup: Setup,
) -> str:
    """Which plan to take, or that there is none yet, and what to do next."""
    labels = {id(one.summary["trial"]): one for one in good}
    if recommended is not None:
        taken = labels[id(recommended)]
        figures = f"{percent(recommended.risk)} found, loss {number(recommended.loss)}"
        return f"{taken.label} is safe and loses least ({figures})."
    closest = frontier.closest
    if closest is None:
        return "No plan could be assessed; the reasons stand in the table."
    near = labels[id(closest)]
    found = f"{near.label} comes closest with {percent(closest.risk)} found."
    return f"{found} {_judged(near, setup)[2]}"


def _mark(place: int) -> str:
    """The mark of a family for the key: shape and colour as the map gives them."""
    drawing = Drawing(14, 12, "", kind="mark")
    shape, colour = look_of(place)
    drawing.mark(7, 6, shape, f"point edge {colour}", 4)
    # The name stands beside it: a reader that speaks need not hear of the picture.
    return str(drawing).replace('role="img" aria-label=""', 'aria-hidden="true"')


def _row(
    attempt: Attempt, setup: Setup, recommended: Trial | None
) -> dict[str, object]:
    """A line of the table; what failed has a reason in place of figures."""
    row: dict[str, object] = {
        "id": attempt.id,
        "label": attempt.label,
        "error": without_code(attempt.error),
        "chosen": attempt.id == setup.release,
    }
    if not attempt.ok:
        none = dict.fromkeys(("risk", "chance", "loss", "score"), "–")
        return (
            row
            | none
            | {
                "by": "",
                "state": "",
                "word": "",
                "next": "",
                "why": "",
                "recommended": False,
            }
        )
    summary = attempt.summary
    trial = summary["trial"]
    risk = percent(trial.risk)
    state, word, following = _judged(attempt, setup)
    return row | {
        "next": following,
        "why": summary["verdict"]["sentence"],
        "risk": risk,
        "by": inside(trial.attacker),
        # where no attack has a rate there is nothing that guessing would be held against
        "chance": percent(None if risk == NONE else summary["chance"]),
        "loss": number(trial.loss),
        "score": number(trial.score),
        "recommended": trial is recommended,
        "state": state,
        "word": word,
    }


def without_code(reason: str) -> str:
    """A reason without the Python that would mend it, which a reader of the page does not write.

    >>> without_code("IPSO works on numbers; leave it out (quasi=[...], confidential=[...])")
    'IPSO works on numbers; leave it out'
    >>> without_code("Laplace needs the bounds of 'age': bounds={'age': (low, high)}")
    "Laplace needs the bounds of 'age'"
    """
    return CODE.sub("", reason)


def _judged(attempt: Attempt, setup: Setup) -> tuple[str, str, str]:
    """Colour, word and next step of the one verdict.

    What was judged by other thresholds is not called safe by these.
    """
    if not attempt.judged_by(setup):
        return (
            "warn",
            "other thresholds",
            "Run it again: it was judged by other thresholds.",
        )
    said = attempt.summary["verdict"]
    return said["state"], said["word"], said["next"]


def _knobs(steps: Sequence[StepValues], catalogue: Catalogue) -> list[dict[str, str]]:
    """The numeric parameters of the plan, each with a range around its present value."""
    knobs = []
    for place, step in enumerate(steps):
        entry = catalogue["protect"][step["method"]]
        for one in forms.fields(entry["schema"], step["parameters"], entry["doc"]):
            middle = one.current
            # A flag is a number for Python, but nothing to try a range of.
            if not isinstance(middle, int | float) or isinstance(middle, bool):
                continue
            values = _range(middle, one.low, one.high)
            knobs.append(
                {
                    "id": f"{place}.{one.name}",
                    "label": f"{one.label} of {entry['title']}, step {place + 1}",
                    "tries": " ".join(f"{value:g}" for value in values),
                }
            )
    return knobs


def _range(middle: float, low: float | None, high: float | None) -> list[float]:
    """Values around a present one that the parameter allows."""
    values = [middle * multiple for multiple in MULTIPLES] if middle else [*FROM_ZERO]
    if isinstance(middle, int):
        values = [round(value) for value in values]
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    return list(dict.fromkeys(value for value in values if least <= value <= most))


@router.post("/p/{pid}/choose")
async def choose(request: Request, pid: str) -> Response:
    """Make an attempt the release."""
    project = project_of(request, pid)
    number = forms.whole_number(first_of(await form_of(request), "run"))
    if project.attempt(number) is not None:
        project.change("choose", release=number)
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/forget")
async def forget(request: Request, pid: str) -> Response:
    """Take an attempt off the map."""
    project = project_of(request, pid)
    number = forms.whole_number(first_of(await form_of(request), "run"))
    if number is not None:
        project.forget(number)
    return to(f"/p/{pid}/compare")
