"""Every decision in order: look back, name a state, go to it; and names of plans."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tacit.app import forms
from tacit.app.history import in_words
from tacit.app.pages.home import to, unready
from tacit.app.session import first_of, form_of, project_of, state_of

router = APIRouter()

# Letters of a name that somebody gives.
LETTERS = 80


@router.get("/p/{pid}/history")
async def history(request: Request, pid: str) -> Response:
    """The states, newest first."""
    state = state_of(request)
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    methods = (await state.catalogue())["protect"]
    setups, at = project.history
    rows = [
        {
            "place": place,
            "what": in_words(setups[place - 1] if place else None, setup, methods),
            "title": setup.title,
            "steps": len(setup.steps),
            "now": place == at,
            "undone": place > at,
        }
        for place, setup in enumerate(setups)
    ]
    return state.page("history.html", project=project, here="history", rows=rows[::-1])


@router.post("/p/{pid}/history")
async def change(request: Request, pid: str) -> Response:
    """Go to a state, or give it a name."""
    project = project_of(request, pid)
    form = await form_of(request)
    place = forms.whole_number(first_of(form, "place"))
    if place is not None:
        if first_of(form, "do") == "go":
            project.go_to(place)
        else:
            project.name_state(place, first_of(form, "title").strip()[:LETTERS])
    return to(f"/p/{pid}/history")


@router.post("/p/{pid}/rename")
async def rename(request: Request, pid: str) -> Response:
    """Give a plan that was run another name."""
    project = project_of(request, pid)
    form = await form_of(request)
    number = forms.whole_number(first_of(form, "run"))
    label = first_of(form, "label").strip()[:LETTERS]
    if number is not None and label:
        project.rename(number, label)
    return to(f"/p/{pid}/compare")
