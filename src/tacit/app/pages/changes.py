"""What the chosen release changed: cells, gaps, frequencies, crosses, correlations, both files."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, HTTPException, Request, Response

from tacit.app.pages.home import unready
from tacit.app.session import project_of, state_of
from tacit.app.worker import Cancelled, Job

router = APIRouter()

# Seconds for the first look at a release of a million records on a busy machine.
WITHIN = 120


@router.get("/p/{pid}/changes")
async def changes(
    request: Request,
    pid: str,
    column: str = "",
    down: str = "",
    across: str = "",
    page: int = 1,
) -> Response:
    """The page; its forms and links ask for other columns and other records."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    chosen = project.release
    order = {
        "masked": chosen.files["masked"] if chosen else "",
        "manifest": chosen.files["manifest"] if chosen else "",
        "column": column,
        "down": down,
        "across": across,
        "page": page,
    }
    arguments: dict[str, object] = {
        "path": str(project.path),
        "roles": project.setup.roles,
        "kinds": project.setup.kinds,
        "order": order,
    }
    job = state.quick.submit(Job("changes", arguments))
    try:
        view = await asyncio.to_thread(job.wait, WITHIN)
    except (Cancelled, RuntimeError, TimeoutError) as error:
        raise HTTPException(422, str(error)) from None
    label = chosen.label if chosen else ""
    return state.page(
        "changes.html", project=project, here="release", v=view, label=label
    )
