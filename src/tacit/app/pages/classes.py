"""The editor of hierarchies: how finely each key is published."""

from __future__ import annotations

from pathlib import Path
from typing import cast
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from starlette.datastructures import UploadFile

from tacit.app import class_step, rules
from tacit.app.forms import whole_number
from tacit.app.messages import ClassesOrder, ClassesView, MergeOrder
from tacit.app.pages.home import to, unready
from tacit.app.project import Project
from tacit.app.session import Form, State, first_of, form_of, project_of, state_of
from tacit.app.worker import Cancelled
from tacit.base.errors import TacitError
from tacit.data.hierarchies.dates import SPANS
from tacit.data.hierarchies.files import text_of
from tacit.data.hierarchies.known_rules import rule_of

router = APIRouter()

# Seconds for the counts of one hierarchy: a million records, on a busy machine.
WITHIN = 120


@router.get("/p/{pid}/classes")
async def classes(
    request: Request, pid: str, column: str = "", level: int = 1
) -> Response:
    """The keys, and the form of one of them; what it does is asked for by the script."""
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    keys = _keys(project)
    chosen = column if column in keys else next(iter(keys), "")
    steps = project.setup.steps
    held = class_step.rules_of(steps)
    entry = held.get(chosen)
    levels = class_step.levels_of(steps)
    return state_of(request).page(
        "classes.html",
        project=project,
        here="protect",
        back="classes",
        column=chosen,
        level=level,
        kept=entry is not None,
        rule=rules.shown(entry, _rows(entry)),
        sorts=rules.SORTS,
        found=rules.FOUND,
        spans=SPANS,
        publish="" if chosen not in levels else str(levels[chosen]),
        keys=[
            {"name": name, "rule": rules.in_short(held.get(name)), "kept": name in held}
            for name in keys
        ],
    )


def _keys(project: Project) -> list[str]:
    """The columns that a hierarchy is for."""
    return [name for name, role in project.setup.roles.items() if role == "quasi"]


def _rows(entry: dict[str, object] | None) -> str:
    """The rows of a table or of lists that a plan holds; other rules name no values."""
    rule = rule_of(entry) if entry else None
    values = rule.children() if rule else ()
    return text_of((value, *rule.classes_above(value)) for value in values if rule)


@router.post("/p/{pid}/classes/try")
async def attempt(request: Request, pid: str) -> Response:
    """What a rule does, as it is typed or dragged; nothing is kept."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    try:
        view = await _view(state, project, form)
    except Cancelled:
        # A newer one took its place.
        return Response(status_code=204)
    except (RuntimeError, TimeoutError, TacitError) as error:
        return state.piece("classes_try.html", error=str(error), v=None, publish="")
    publish = first_of(form, "publish")
    return state.piece("classes_try.html", error=view["error"], v=view, publish=publish)


async def _view(state: State, project: Project, form: Form) -> ClassesView:
    """The hierarchy of a form, as a worker counts it."""
    column = _column(project, form)
    steps = project.setup.steps
    order: ClassesOrder = {
        "column": column,
        "entry": rules.read(form),
        "level": whole_number(first_of(form, "level")) or 1,
        "merge": _merge(form),
        "rules": class_step.rules_of(steps),
        "levels": class_step.levels_of(steps),
    }
    asked = state.ask("classes", project, WITHIN, latest_only=True, order=order)
    return cast(ClassesView, await asked)


def _column(project: Project, form: Form) -> str:
    column = first_of(form, "column")
    if column not in _keys(project):
        raise HTTPException(404, "There is no such key. Choose one from the list.")
    return column


def _merge(form: Form) -> MergeOrder | None:
    picked = form.get("pick", [])
    if not picked:
        return None
    return {
        "level": whole_number(first_of(form, "level")) or 1,
        "picked": picked,
        "label": first_of(form, "label").strip(),
        "apart": first_of(form, "do") == "split",
    }


@router.post("/p/{pid}/classes")
async def keep(request: Request, pid: str) -> Response:
    """Write a rule into the plan: as it is typed, merged by hand, or loaded; or take it out."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    column = _column(project, form)
    level = whole_number(first_of(form, "level")) or 1
    back = to(f"/p/{pid}/classes?column={quote(column)}&level={level}")
    what = first_of(form, "do", "keep")
    project.notice = ""
    if project.behind(first_of(form, "version"), ""):
        project.notice = (
            "The plan was changed in another tab; this shows the newest. "
            "Make your change again."
        )
        return back
    steps = project.setup.steps
    if what == "drop":
        project.change(
            "hierarchy taken out", steps=class_step.without_rule(steps, column)
        )
        return back
    try:
        if what == "load":
            form = form | await _loaded(request)
        # Bars are merged by their buttons: keeping a rule leaves what is only picked alone.
        if what not in ("merge", "split"):
            form = {name: sent for name, sent in form.items() if name != "pick"}
        view = await _view(state, project, form)
    except (Cancelled, RuntimeError, TimeoutError, TacitError) as error:
        project.notice = str(error)
        return back
    if view["error"] or view["entry"] is None:
        project.notice = view["error"] or "There is no hierarchy to keep."
        return back
    publish = whole_number(first_of(form, "publish"))
    top = len(view["standing"]) - 1
    chosen = None if publish is None else min(publish, top)
    new = class_step.with_rule(steps, column, view["entry"], chosen)
    project.change(f"hierarchy of {column}", steps=new)
    return back


async def _loaded(request: Request) -> Form:
    """A table that was uploaded, as the form would hold it."""
    upload = (await request.form()).get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise RuntimeError("Choose the file of the hierarchy first.")
    try:
        text = (await upload.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        name = Path(upload.filename).name
        raise RuntimeError(
            f"{name} is no text in UTF-8; save the table again as CSV (UTF-8)."
        ) from None
    return {"sort": ["table"], "rows": [text]}


@router.get("/p/{pid}/classes/table")
async def table(request: Request, pid: str, column: str = "") -> Response:
    """The hierarchy of a column in the plan as ARX reads it."""
    state = state_of(request)
    project = project_of(request, pid)
    entry = class_step.rules_of(project.setup.steps).get(column)
    if entry is None:
        raise HTTPException(404, "This column has no hierarchy yet.")
    text = _rows(entry) or (await _as_rows(state, project, column, entry))["rows"]
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(column)}.csv"
    }
    return Response(text, media_type="text/csv", headers=headers)


async def _as_rows(
    state: State, project: Project, column: str, entry: dict[str, object]
) -> ClassesView:
    order: ClassesOrder = {
        "column": column,
        "entry": entry,
        "level": 1,
        "merge": None,
        "rules": {},
        "levels": {},
    }
    asked = state.ask("classes", project, WITHIN, order=order)
    return cast(ClassesView, await asked)
