"""The records of the file in pages, with what the chosen release made of them."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, HTTPException, Request, Response

from tacit.app.messages import RecordsOrder
from tacit.app.pages.home import unready
from tacit.app.session import project_of, state_of
from tacit.app.worker import Cancelled, Job

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
    order: RecordsOrder = {
        "sort": sort,
        "falling": way == "down",
        "search": search.strip()[:LETTERS],
        "below": below if below in BELOW else 0,
        "page": page,
        "masked": chosen.files["masked"] if chosen else "",
        "manifest": chosen.files["manifest"] if chosen else "",
    }
    arguments: dict[str, object] = {
        "path": str(project.path),
        "roles": project.setup.roles,
        "kinds": project.setup.kinds,
        "order": order,
    }
    job = state.quick.submit(Job("records", arguments))
    try:
        view = await asyncio.to_thread(job.wait, WITHIN)
    except (Cancelled, RuntimeError, TimeoutError) as error:
        raise HTTPException(422, str(error)) from None
    return state.page(
        "records.html",
        project=project,
        here="data",
        v=view,
        order=order,
        sizes=BELOW,
        label=chosen.label if chosen else "",
    )
