"""What the chosen release changed: cells, gaps, frequencies, crosses, correlations, both files."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tacit.app.pages.home import unready
from tacit.app.session import project_of, state_of

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
    view = await state.view("changes", project, WITHIN, order=order)
    label = chosen.label if chosen else ""
    return state.page(
        "changes.html", project=project, here="release", v=view, label=label
    )
