"""The plan and its live preview; running it on everything."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tacit.app import forms
from tacit.app.pages.home import to, unready
from tacit.app.project import Project, Run, Setup
from tacit.app.state import State, form_of, project, state
from tacit.app.worker import Cancelled, Job

router = APIRouter()


def label_of(steps: Any, catalogue: dict[str, Any]) -> str:
    """A plan in a few words: `Noise percent=10, then Rounding`."""
    words = []
    for step in steps:
        title = catalogue["protect"].get(step["method"], {}).get("title", step["method"])
        given = [f"{k}={_short(v)}" for k, v in step.get("parameters", {}).items()]
        words.append(" ".join([title, *given]))
    return ", then ".join(words) or "released as it is"


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) < 26 else text[:25] + "…"


def new_step(method: str, number: int) -> dict[str, Any]:
    """Seeds differ from step to step and are shown, so that the run can be repeated."""
    return {"method": method, "parameters": {}, "seed": number + 1}


def read_steps(form: dict[str, list[str]], catalogue: dict[str, Any], old: Any) -> tuple[dict[str, Any], ...]:
    """The plan as the form holds it. A step whose method was changed starts from that method's defaults."""
    steps: list[dict[str, Any]] = []
    while f"s{len(steps)}.method" in form:
        i = len(steps)
        method = form[f"s{i}.method"][0]
        entry = catalogue["protect"].get(method)
        if entry is None:
            break
        before = old[i] if i < len(old) else None
        if before is not None and before["method"] != method:
            seed = before.get("seed") or i + 1
            steps.append({**new_step(method, i), "seed": seed if entry["random"] else None})
            continue
        made = forms.fields(entry["schema"], about=entry["doc"])
        step: dict[str, Any] = {"method": method, "parameters": forms.read(made, form, f"s{i}.p."), "seed": None}
        written = form.get(f"s{i}.seed", [""])[0].strip()
        if entry["random"]:
            step["seed"] = int(written) if written.isdigit() else i + 1
        steps.append(step)
    return tuple(steps)


def read_limits(form: dict[str, list[str]], old: Setup) -> dict[str, Any]:
    """The accepted risk, and how much is attacked and measured."""
    try:
        bound = min(max(float(form["bound"][0]) / 100, 0.0), 1.0)
    except (KeyError, ValueError):
        bound = old.bound
    depth = form.get("depth", [old.depth])[0]
    return {"bound": bound, "depth": depth if depth in ("quick", "all") else old.depth}


@router.get("/p/{pid}/protect")
async def protect(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    wait = unready(request, p)
    if wait is not None:
        return wait
    catalogue = await s.catalogue()
    shown = []
    for step in p.setup.steps:
        entry = catalogue["protect"][step["method"]]
        made = forms.fields(entry["schema"], step["parameters"], entry["doc"])
        shown.append({**step, "fields": made, "about": entry["about"], "random": entry["random"]})
    return s.page(
        "protect.html",
        project=p,
        here="protect",
        steps=shown,
        methods=[(name, entry["title"]) for name, entry in catalogue["protect"].items()],
        columns=[c["name"] for c in p.about["columns"]],
        tab=secrets.token_hex(6),
    )


@router.post("/p/{pid}/protect")
async def save(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    form = await form_of(request)
    catalogue = await s.catalogue()
    p.notice = ""
    tab = form.get("tab", [""])[0]
    if p.behind(form.get("version", [""])[0], tab):
        p.notice = "The plan was changed in another tab; this shows the newest. Make your change again."
        return to(f"/p/{pid}/protect")
    steps = list(read_steps(form, catalogue, p.setup.steps))
    what, _, number = form.get("do", ["save"])[0].partition(":")
    i = int(number) if number.isdigit() else 0
    if what == "add" and form.get("add", [""])[0] in catalogue["protect"]:
        steps.append(new_step(form["add"][0], len(steps)))
    elif what == "remove" and i < len(steps):
        steps.pop(i)
    elif what == "up" and 0 < i < len(steps):
        steps[i - 1], steps[i] = steps[i], steps[i - 1]
    p.change(f"plan {what}", steps=tuple(steps), **read_limits(form, p.setup))
    # the page that sent this is gone: a preview of it that is still on its way must not put the old plan back
    p.editor = ""
    if what == "run":
        start(s, p, [p.new_run(label_of(steps, catalogue), tuple(steps))])
        return to(f"/p/{pid}/compare")
    return to(f"/p/{pid}/protect")


@router.post("/p/{pid}/preview")
async def preview(request: Request, pid: str) -> Response:
    """Save the plan as typed so far and show what it would do to a sample."""
    s, p = state(request), project(request, pid)
    form = await form_of(request)
    catalogue = await s.catalogue()
    template = s.templates.get_template("preview.html")
    tab = form.get("tab", [""])[0]
    if p.behind(form.get("version", [""])[0], tab):
        text = "The plan was changed in another tab. Reload the page to see the newest."
        return HTMLResponse(template.render(error=text, p=None))
    steps = read_steps(form, catalogue, p.setup.steps)
    p.change("step values", steps=steps, **read_limits(form, p.setup))
    p.editor = tab
    arguments = {"path": str(p.path), "roles": p.setup.roles, "kinds": p.setup.kinds, "steps": list(steps)}
    job = Job("preview", {**arguments, "bound": p.setup.bound, "sample": s.settings.sample})
    s.quick.submit(job, latest_only=True)
    try:
        result = await asyncio.to_thread(job.wait, 120)
        answer = HTMLResponse(template.render(error="", p=result))
    except Cancelled:
        answer = HTMLResponse("", status_code=204)
    except (RuntimeError, TimeoutError) as error:
        answer = HTMLResponse(template.render(error=str(error), p=None))
    answer.headers["X-Version"] = p.version
    answer.headers["X-undo"] = "yes" if p.can_undo else "no"
    answer.headers["X-redo"] = "yes" if p.can_redo else "no"
    return answer


def start(s: State, p: Project, runs: list[Run]) -> None:
    """Run these plans one after the other; each that ends is a point on the map, also if a later one is cancelled."""
    if p.busy or not runs:
        return
    waiting = {run.id: run for run in runs}
    plans = [{"run": run.id, "label": run.label, "steps": list(run.steps)} for run in runs]
    p.notice = ""

    def tick(value: dict[str, Any]) -> None:
        run = waiting[value["run"]]
        run.summary, run.files, run.error = value["summary"], value["files"], value["error"]
        p.add(run)
        if run.ok:
            p.choose_first(run.id)

    def ended(job: Job) -> None:
        if job.state == "failed":
            p.notice = job.error
        elif job.state == "cancelled":
            p.notice = "Cancelled. What had finished before is kept."

    p.job = Job(
        "run",
        {
            "path": str(p.path), "name": p.name, "roles": p.setup.roles, "kinds": p.setup.kinds, "plans": plans,
            "bound": p.setup.bound, "folder": str(s.workspace.path), "depth": p.setup.depth,
        },
        on_tick=tick,
        on_end=ended,
    )  # fmt: skip
    s.heavy.submit(p.job)


@router.post("/p/{pid}/cancel")
async def cancel(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    if p.job is not None:
        await asyncio.to_thread(s.heavy.cancel, p.job)
    back = request.headers.get("referer", "").rpartition("/")[2]
    return to(f"/p/{pid}/{back if back in ('compare', 'release') else 'protect'}")
