"""The map of what was run; choosing the release; trying many plans at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request, Response

from tacit.app import forms
from tacit.app.fitting import new_step, offered
from tacit.app.messages import Catalogue, Finished, StepValues
from tacit.app.pages.home import attempts_seen, to, unready
from tacit.app.pages.protect import label_of, start
from tacit.app.project import Attempt, Project, Setup
from tacit.app.session import first_of, form_of, project_of, state_of
from tacit.app.worker import Job
from tacit.compare.frontier import Frontier
from tacit.compare.trial import LOSS, STRONGEST, Trial
from tacit.report.charts import Point, risk_utility_map
from tacit.report.charts.svg import SHAPES, Drawing
from tacit.report.words import inside, number, percent

router = APIRouter()

# Values that are suggested for a parameter, as multiples of its present one; and for a zero, of
# which every multiple is zero.
MULTIPLES, FROM_ZERO = (0.5, 1, 2, 4), (1, 2, 4)
# Plans in one go: more points would hide each other on the map.
MOST = 60
# Colours of the stylesheet (series-1 to series-6).
COLOURS = 6


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
        point = Point(
            f"{attempt.label}: {_judged(attempt, project.setup)[1]}",
            trial.risk,
            trial.loss,
            family(attempt),
            attempt.id == chosen,
            id(trial) in best,
            str(attempt.id),
            trial.risk_interval,
        )
        points.append(point)
    before = project.before if project.before and project.before.ok else None
    if before is not None:
        points.append(_as_it_is(before))
    drawing = risk_utility_map(
        points,
        bound=bound,
        width=980,
        height=420,
        risk_name="people found",
        loss_name=inside(LOSS),
        legend=False,
    )
    families = list(dict.fromkeys(point.family for point in points))
    newest_first = reversed(project.attempts)
    return {
        "good": good,
        "map": str(drawing),
        "families": [
            {"name": name, "mark": _mark(place)} for place, name in enumerate(families)
        ],
        "advice": _advice(frontier, recommended, good) if good else "",
        "none_safe": bool(good) and recommended is None,
        "notes": sorted({attempt.summary["note"] for attempt in good} - {""}),
        "before": _row(before, project.setup, None) if before else None,
        "runs": [_row(one, project.setup, recommended) for one in newest_first],
    }


def _as_it_is(before: Attempt) -> Point:
    """The file before protection on the map; it is no release, so it cannot be chosen."""
    trial = before.summary["trial"]
    # nothing is lost where nothing was changed, whatever a measure says of rounding
    return Point(
        before.label, trial.risk, 0.0, "as it is", interval=trial.risk_interval
    )


def _advice(
    frontier: Frontier, recommended: Trial | None, good: Sequence[Attempt]
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
    return f"{found} {near.summary['verdict']['next']}"


def _mark(place: int) -> str:
    """The mark of a family for the key: shape and colour as the map gives them."""
    drawing = Drawing(14, 12, "", kind="mark")
    shape = SHAPES[place % len(SHAPES)]
    drawing.mark(7, 6, shape, f"point edge series-{place % COLOURS + 1}", 4)
    # The name stands beside it: a reader that speaks need not hear of the picture.
    return str(drawing).replace('role="img" aria-label=""', 'aria-hidden="true"')


def _row(
    attempt: Attempt, setup: Setup, recommended: Trial | None
) -> dict[str, object]:
    """A line of the table; what failed has a reason in place of figures."""
    row: dict[str, object] = {
        "id": attempt.id,
        "label": attempt.label,
        "error": attempt.error,
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
    state, word, following = _judged(attempt, setup)
    return row | {
        "next": following,
        "why": summary["verdict"]["sentence"],
        "risk": percent(trial.risk),
        "by": inside(trial.attacker),
        "chance": percent(summary["chance"]),
        "loss": number(trial.loss),
        "score": number(trial.score),
        "recommended": trial is recommended,
        "state": state,
        "word": word,
    }


def _judged(attempt: Attempt, setup: Setup) -> tuple[str, str, str]:
    """Colour, word and next step of the one verdict.

    What was judged by other thresholds is not called safe by these.
    """
    if not attempt.judged_by(setup):
        return "warn", "other thresholds", "Run it again: it was judged by others."
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


@router.post("/p/{pid}/sweep")
async def sweep(request: Request, pid: str) -> Response:
    """Run the plan once for each value of one parameter."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    catalogue = await state.catalogue()
    project.notice = ""
    values: list[float] = []
    # Semicolons and commas with a space separate values; a comma inside one is a decimal comma.
    text = first_of(form, "values").replace(";", " ").replace(", ", " ")
    for word in text.split():
        try:
            values.append(float(word.replace(",", ".")))
        except ValueError:
            project.notice = (
                f"“{word}” is not a number. Write the values like this: 2 5 10."
            )
            return to(f"/p/{pid}/compare")
    index, _, name = first_of(form, "knob").partition(".")
    place = forms.whole_number(index)
    plan = project.setup.steps
    if place is not None and place < len(plan):
        attempts = []
        for value in values[:MOST]:
            steps = _with_value(plan, place, name, value)
            attempts.append(project.new_attempt(label_of(steps, catalogue), steps))
        start(state, project, attempts)
    return to(f"/p/{pid}/compare")


def _with_value(
    steps: Sequence[StepValues], place: int, name: str, value: float
) -> tuple[StepValues, ...]:
    """The plan with one parameter changed; the old plan stays as it is."""
    changed = [step.copy() for step in steps]
    # Whole numbers are written as such: parameters that count take no others.
    number = int(value) if value.is_integer() else value
    parameters = changed[place]["parameters"]
    changed[place]["parameters"] = {**parameters, name: number}
    return tuple(changed)


@router.post("/p/{pid}/defaults")
async def defaults(request: Request, pid: str) -> Response:
    """Run every method with its defaults."""
    state = state_of(request)
    project = project_of(request, pid)
    catalogue = await state.catalogue()
    attempts = []
    # methods that can mask no key of the file would only say so
    methods = offered(catalogue["protect"], project.setup, set())
    for method, entry in methods.items():
        steps = (new_step(method, entry, project.setup),)
        attempts.append(project.new_attempt(label_of(steps, catalogue), steps))
    start(state, project, attempts)
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/make_safe")
async def make_safe(request: Request, pid: str) -> Response:
    """Strengthen the plan until it is safe; each try is a point on the map."""
    state = state_of(request)
    project = project_of(request, pid)
    catalogue = await state.catalogue()
    if project.busy:
        return to(f"/p/{pid}/compare")
    project.notice = ""
    tries: dict[int, Attempt] = {}

    def tick(done: Finished) -> None:
        steps = tuple(done.get("steps", ()))
        if done.get("final"):
            project.choose(tries[done["run"]])
            return
        attempt = project.new_attempt(label_of(steps, catalogue), steps)
        attempt.summary = done["summary"]
        attempt.files = done["files"]
        attempt.error = done["error"]
        tries[done["run"]] = attempt
        project.add(attempt)

    def ended(job: Job) -> None:
        if job.state == "failed":
            project.notice = job.error
        elif job.state == "cancelled":
            project.notice = "Cancelled. What had finished before is kept."

    setup = project.setup
    project.job = Job(
        "make_safe",
        {
            "path": str(project.path),
            "name": project.name,
            "roles": setup.roles,
            "kinds": setup.kinds,
            "steps": list(setup.steps),
            "bound": setup.bound,
            "limits": setup.limits,
            "folder": str(state.workspace.path),
            "depth": setup.depth,
        },
        on_tick=tick,
        on_end=ended,
    )
    state.heavy.submit(project.job)
    return to(f"/p/{pid}/compare")
