"""The records of the file in pages, with what the chosen release made of them."""

from __future__ import annotations

import math

from fastapi import APIRouter, Request, Response

from tacit.app.fitting import new_step
from tacit.app.forms import whole_number
from tacit.app.messages import RecordsOrder, StepValues
from tacit.app.pages.home import to, unready
from tacit.app.project import Project
from tacit.app.session import first_of, form_of, project_of, state_of

router = APIRouter()

# Seconds for a page of records: a million of them are searched on a busy machine.
WITHIN = 120
# Letters of a search: more than anybody looks for.
LETTERS = 200
# Sizes of groups that can be asked for.
BELOW = (2, 3, 5, 10)


@router.get("/p/{pid}/records")
async def records(
    request: Request,
    pid: str,
    sort: str = "row",
    way: str = "up",
    search: str = "",
    below: int = 0,
    page: int = 1,
) -> Response:
    """One page of the table; its links ask for the others."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    chosen = project.release
    order = _order(project)
    order |= {
        "sort": sort,
        "falling": way == "down",
        "search": search.strip()[:LETTERS],
        "below": below if below in BELOW else 0,
        "page": page,
    }
    view = await state.view("records", project, WITHIN, order=order)
    return state.page(
        "records.html",
        project=project,
        here="data",
        v=view,
        order=order,
        sizes=BELOW,
        label=chosen.label if chosen else "",
    )


@router.get("/p/{pid}/record")
async def record(request: Request, pid: str, row: int = 1) -> Response:
    """One record: its group, its household, who competes for it."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    order = _order(project)
    view = await state.view("one_record", project, WITHIN, order=order, row=row)
    return state.page("record.html", project=project, here="data", v=view)


@router.post("/p/{pid}/treat")
async def treat(request: Request, pid: str) -> Response:
    """Add a step that treats the records that stand out, and show it in the plan."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    catalogue = await state.catalogue()
    project.notice = ""
    step: StepValues | None = None
    if first_of(form, "do") == "suppress":
        k = whole_number(first_of(form, "k"))
        if k in BELOW:
            step = new_step("local_suppression")
            step["parameters"] = {"k": k}
    else:
        column = first_of(form, "column")
        high = _number(first_of(form, "high"))
        if high is None:
            project.notice = "Say above which value, as a number."
            return to(f"/p/{pid}/records")
        if column in project.setup.kinds:
            step = new_step("top_bottom_coding")
            step["parameters"] = {"high": {column: high}, "columns": [column]}
            # only the top was asked for
            step["parameters"]["tails"] = [0.0, 0.0]
    if step is not None and step["method"] in catalogue["protect"]:
        project.change("treat records", steps=(*project.setup.steps, step))
    return to(f"/p/{pid}/protect")


def _number(text: str) -> float | None:
    """A finite number as it is typed, or None."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _order(project: Project) -> RecordsOrder:
    """All records in the order of the file, beside the chosen release."""
    chosen = project.release
    return {
        "sort": "row",
        "falling": False,
        "search": "",
        "below": 0,
        "page": 1,
        "masked": chosen.files["masked"] if chosen else "",
        "manifest": chosen.files["manifest"] if chosen else "",
    }
