"""The plan and its live preview; running it on everything."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable, Sequence
from typing import TypedDict

from fastapi import APIRouter, Request, Response

from tacit.app import class_step, forms
from tacit.app.fitting import by_goal, columns_for, masked_by, new_step, offered
from tacit.app.messages import (
    BEFORE,
    Catalogue,
    Finished,
    PlanOrder,
    RunOrder,
    StepValues,
)
from tacit.app.pages.home import to, unready
from tacit.app.project import Attempt, Project, Setup
from tacit.app.rules import in_short
from tacit.app.session import Form, State, first_of, form_of, project_of, state_of
from tacit.app.worker import Job
from tacit.assess.presets import PRESETS, preset_of
from tacit.assess.verdict import thresholds_of_measures
from tacit.base import seeds
from tacit.base.facts import facts_of, title_of
from tacit.risk import registry as risks

router = APIRouter()

# Columns that a name of a plan says, and the word before them.
NAMED, OF = 3, "of "
# Letters of a parameter's value in the name of a plan.
LETTERS = 26
# Seconds for a preview; on a busy machine the first one waits for kernels to be compiled.
PREVIEW_WITHIN = 120


class Limits(TypedDict):
    """The accepted risk, and how much is attacked and measured."""

    bound: float
    limits: dict[str, float]
    depth: str


def label_of(steps: Sequence[StepValues], catalogue: Catalogue) -> str:
    """A plan in a few words: `Noise percent=10, then Rounding`."""
    methods = catalogue["protect"]
    words = []
    for step in steps:
        name = step["method"]
        title = methods[name]["title"] if name in methods else name
        given = [_said(key, one) for key, one in step["parameters"].items()]
        # columns stand last, as in 'Microaggregation k=5 of age, income'
        given.sort(key=lambda text: text.startswith(OF))
        given = [text for text in given if text]
        words.append(" ".join([title, *given]))
    return ", then ".join(words) or "released as it is"


def _said(name: str, value: object) -> str:
    """A parameter as a name of a plan says it."""
    if name == "columns":
        return f"{OF}{_short(value)}"
    if isinstance(value, dict):
        # rules have pages of their own: no name has room for them
        is_rules = all(isinstance(one, dict) for one in value.values())
        return "" if is_rules else f"{name} of {_short(value)}"
    return f"{name}={_short(value)}"


def _short(value: object) -> str:
    if isinstance(value, float):
        text = f"{value:g}"
    elif isinstance(value, dict):
        # the columns that something is given for; what is given stands in the step
        return _some(list(value))
    elif isinstance(value, list | tuple):
        return _some(value)
    else:
        text = str(value)
    return text if len(text) < LETTERS else text[: LETTERS - 1] + "…"


def _some(names: Sequence[object]) -> str:
    """The first of a list, and how many more there are."""
    shown = ", ".join(str(one) for one in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown


def read_steps(
    form: Form, catalogue: Catalogue, setup: Setup
) -> tuple[StepValues, ...]:
    """The plan as the form holds it.

    A step whose method was changed starts from that method's defaults.
    """
    old = setup.steps
    steps: list[StepValues] = []
    while f"s{len(steps)}.method" in form:
        place = len(steps)
        method = form[f"s{place}.method"][0]
        entry = catalogue["protect"].get(method)
        if entry is None:
            break
        # The inputs that were sent still belong to the method that was chosen before.
        if place < len(old) and old[place]["method"] != method:
            steps.append(new_step(method, entry, setup))
            continue
        known = old[place]["parameters"] if place < len(old) else None
        inputs = forms.fields(entry["schema"], known, entry["doc"])
        step = new_step(method)
        step["parameters"] = forms.read(inputs, form, f"s{place}.p.")
        if entry["random"]:
            seed = first_of(form, f"s{place}.seed").strip()
            step["seed"] = forms.whole_number(seed)
        steps.append(step)
    return tuple(steps)


def read_limits(form: Form, old: Setup) -> Limits:
    """The limits as the form holds them; what is not valid stays as it was.

    A set of thresholds that was chosen counts more than the fields, which still hold the old one.
    """
    depth = first_of(form, "depth", old.depth)
    depth = depth if depth in ("quick", "all") else old.depth
    preset = first_of(form, "preset")
    if preset in PRESETS and preset != preset_of(old.bound, old.limits):
        wanted = PRESETS[preset]
        changes = dict(wanted.changes)
        return {"bound": wanted.attack, "limits": changes, "depth": depth}
    try:
        # The page shows percent.
        bound = min(max(float(form["bound"][0]) / 100, 0.0), 1.0)
    except (KeyError, ValueError):
        bound = old.bound
    # Nothing is above what is no number: every release would pass.
    if math.isnan(bound):
        bound = old.bound
    return {"bound": bound, "limits": _read_thresholds(form, old), "depth": depth}


def _read_thresholds(form: Form, old: Setup) -> dict[str, float]:
    """Thresholds of measures that are not their defaults; what is no share stays as it was."""
    limits: dict[str, float] = {}
    for name, usual in thresholds_of_measures().items():
        before = old.limits.get(name, usual)
        try:
            limit = float(first_of(form, f"limit.{name}", f"{before}"))
        except ValueError:
            limit = before
        limit = limit if 0 <= limit <= 1 else before
        if limit != usual:
            limits[name] = limit
    return limits


def threshold_rows(setup: Setup) -> list[dict[str, object]]:
    """Each threshold with its reason, as the form shows it; attacks have a field of their own."""
    return [
        {
            "name": name,
            "title": title_of(risks[name], name),
            "limit": f"{setup.limits.get(name, usual):g}",
            "why": _why(name, usual, setup.limits.get(name, usual)),
        }
        for name, usual in thresholds_of_measures().items()
        if name != "strongest"
    ]


def _why(name: str, usual: float, limit: float) -> str:
    """The reason of a threshold; it is that of the usual one, which is named where it differs."""
    why = facts_of(risks[name]).why
    return why if limit == usual else f"usually {usual:g}: {why}"


@router.get("/p/{pid}/protect")
async def protect(request: Request, pid: str) -> Response:
    """The plan as a form, a card for each step."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    methods = (await state.catalogue())["protect"]
    cards = []
    for step in project.setup.steps:
        entry = methods[step["method"]]
        inputs = forms.fields(
            entry["schema"], step["parameters"], entry["doc"], entry["plain"]
        )
        held = class_step.rules_of([step])
        rules = {name: in_short(rule) for name, rule in held.items()}
        columns = columns_for(entry, project.setup)
        card = {"fields": inputs, "entry": entry, "rules": rules, "columns": columns}
        cards.append({**step, **card})
    used = {step["method"] for step in project.setup.steps}
    fitting = offered(methods, project.setup, used)
    return state.page(
        "protect.html",
        project=project,
        here="protect",
        steps=cards,
        families=by_goal(fitting),
        not_offered=len(methods) - len(fitting),
        # Each page has a name of its own, by which we know who made the last change.
        tab=secrets.token_hex(6),
        danger=seeds.DANGER,
        presets=PRESETS,
        preset=preset_of(project.setup.bound, project.setup.limits),
        thresholds=threshold_rows(project.setup),
    )


@router.post("/p/{pid}/protect")
async def save(request: Request, pid: str) -> Response:
    """Keep the plan; then add, remove or move a step, or run it all."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    catalogue = await state.catalogue()
    project.notice = ""
    if project.behind(first_of(form, "version"), first_of(form, "tab")):
        project.notice = (
            "The plan was changed in another tab; this shows the newest. "
            "Make your change again."
        )
        return to(f"/p/{pid}/protect")
    what, _, number = first_of(form, "do", "save").partition(":")
    place = forms.whole_number(number) or 0
    steps = list(read_steps(form, catalogue, project.setup))
    added = first_of(form, "add")
    if what == "add" and added in catalogue["protect"]:
        entry = catalogue["protect"][added]
        earlier = masked_by(steps, catalogue["protect"], project.setup)
        steps.append(new_step(added, entry, project.setup, earlier))
    elif what == "remove" and place < len(steps):
        steps.pop(place)
    elif what == "up" and 0 < place < len(steps):
        steps.insert(place - 1, steps.pop(place))
    limits = read_limits(form, project.setup)
    project.change(f"plan {what}", steps=tuple(steps), **limits)
    # The page that sent this is gone: a preview of it that is still on its way must not put the
    # old plan back.
    project.editor = ""
    if what != "run":
        return to(f"/p/{pid}/protect")
    start(
        state, project, [project.new_attempt(label_of(steps, catalogue), tuple(steps))]
    )
    if any(seeds.by_hand(step["seed"]) for step in steps):
        project.notice = f"Not for release: {seeds.DANGER}."
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/preview")
async def preview(request: Request, pid: str) -> Response:
    """Save the plan as typed so far and show what it would do to a sample."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    catalogue = await state.catalogue()
    tab = first_of(form, "tab")
    if project.behind(first_of(form, "version"), tab):
        text = "The plan was changed in another tab. Reload the page to see the newest."
        return state.piece("preview.html", error=text, v=None)
    steps = read_steps(form, catalogue, project.setup)
    limits = read_limits(form, project.setup)
    project.change("step values", steps=steps, **limits)
    project.editor = tab
    answer = await state.part(
        "preview.html",
        "preview",
        project,
        PREVIEW_WITHIN,
        steps=list(steps),
        bound=project.setup.bound,
        sample=state.settings.sample,
    )
    # The script brings version and buttons up to date without loading the page again.
    answer.headers["X-Version"] = project.version
    answer.headers["X-undo"] = "yes" if project.can_undo else "no"
    answer.headers["X-redo"] = "yes" if project.can_redo else "no"
    return answer


def start(state: State, project: Project, attempts: Sequence[Attempt]) -> None:
    """Run these plans one after the other.

    Each that ends is a point on the map, also if a later one is cancelled.
    """
    if project.busy or not attempts:
        return
    waiting = {attempt.id: attempt for attempt in attempts}
    plans: list[PlanOrder] = [
        {"run": attempt.id, "label": attempt.label, "steps": list(attempt.steps)}
        for attempt in attempts
    ]
    project.notice = ""
    # What was run is shown beside the file as it is; that comes last, since nobody waits for it.
    if project.needs_before and all(attempt.steps for attempt in attempts):
        before = Attempt(BEFORE, "as it is, before protection", (), project.setup)
        waiting[BEFORE] = before
        plans.append({"run": BEFORE, "label": before.label, "steps": []})

    def tick(done: Finished) -> None:
        attempt = waiting[done["run"]]
        attempt.summary = done["summary"]
        attempt.files = done["files"]
        attempt.error = done["error"]
        if attempt.id == BEFORE:
            project.before = attempt
            return
        project.add(attempt)
        project.choose_first(attempt)

    on_all_records(state, project, "run", tick, plans=plans)


def on_all_records(
    state: State,
    project: Project,
    job: str,
    tick: Callable[[Finished], None],
    **more: object,
) -> None:
    """Have the worker of full runs do this; `tick` hears of each plan that ended."""

    def ended(job: Job) -> None:
        if job.state == "failed":
            project.notice = job.error
        elif job.state == "cancelled":
            project.notice = "Cancelled. What had finished before is kept."

    order: RunOrder = {
        "name": project.name,
        "bound": project.setup.bound,
        "limits": project.setup.limits,
        "folder": str(state.workspace.path),
        "depth": project.setup.depth,
    }
    arguments = {"file": project.asked, "order": order, **more}
    project.job = Job(job, arguments, on_tick=tick, on_end=ended)
    state.heavy.submit(project.job)


@router.post("/p/{pid}/cancel")
async def cancel(request: Request, pid: str) -> Response:
    """Stop the run, and stay on the page."""
    state = state_of(request)
    project = project_of(request, pid)
    if project.job is not None:
        await asyncio.to_thread(state.heavy.cancel, project.job)
    back = request.headers.get("referer", "").rpartition("/")[2]
    return to(f"/p/{pid}/{back if back in ('compare', 'release') else 'protect'}")
