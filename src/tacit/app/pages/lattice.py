"""The explorer of a lattice: which levels keep the models, what they cost, why others fail."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request, Response

from tacit.app import class_step
from tacit.app.pages.home import to, unready
from tacit.app.session import first_of, form_of, project_of, state_of

router = APIRouter()

# Seconds for a search and its nodes: a million records, on a busy machine.
WITHIN = 300


@router.get("/p/{pid}/lattice")
async def lattice(request: Request, pid: str) -> Response:
    """The page; the nodes are asked for by the script."""
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    steps = project.setup.steps
    at = class_step.place_of(steps)
    return state_of(request).page(
        "lattice.html",
        project=project,
        here="protect",
        back="lattice",
        step=None if at is None else steps[at],
        before=at or 0,
        given=class_step.levels_of(steps),
    )


@router.get("/p/{pid}/lattice/nodes")
async def nodes(request: Request, pid: str) -> Response:
    """The nodes, searched by a worker."""
    state = state_of(request)
    project = project_of(request, pid)
    steps = project.setup.steps
    at = class_step.place_of(steps)
    if at is None:
        return Response(status_code=204)
    return await state.part(
        "lattice_nodes.html",
        "lattice",
        project,
        WITHIN,
        settings=steps[at]["parameters"],
        chosen=class_step.levels_of(steps),
    )


@router.post("/p/{pid}/lattice")
async def take(request: Request, pid: str) -> Response:
    """Make the levels of a node those of the plan; without levels they are searched again."""
    project = project_of(request, pid)
    form = await form_of(request)
    project.notice = ""
    try:
        sent = json.loads(first_of(form, "levels") or "{}")
        levels = {str(name): int(level) for name, level in sent.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        project.notice = "These are no levels; choose a node from the table."
        return to(f"/p/{pid}/lattice")
    steps = project.setup.steps
    if class_step.place_of(steps) is not None:
        what = "levels of a node" if levels else "levels searched"
        project.change(what, steps=class_step.with_levels(steps, levels))
    return to(f"/p/{pid}/lattice")
