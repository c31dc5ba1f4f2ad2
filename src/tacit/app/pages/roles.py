"""Roles and kinds of the columns, as guessed and as corrected."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tacit.app.pages.home import to, unready
from tacit.app.session import first_of, form_of, project_of, state_of
from tacit.data.schema import Kind, Role

router = APIRouter()

# Seconds for the look at the file: a million records with many keys, on a busy machine.
LOOK_WITHIN = 120

# What each role means for the release, below the table.
WORDS = {
    Role.identifier: "names a person directly; dropped from the release",
    Role.quasi: "an intruder may know it from elsewhere; protected, and used in every attack",
    Role.confidential: "released as it is; what an intruder would learn",
    Role.weight: "sampling weight",
    Role.person: "number of the person whose record this is; many rows each",
    Role.household: "number of the household that the person belongs to",
    Role.other: "released as it is, and not known to intruders",
}


@router.get("/p/{pid}/roles")
async def roles(request: Request, pid: str) -> Response:
    """The table of columns."""
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    return state_of(request).page(
        "roles.html",
        project=project,
        here="roles",
        roles=[str(role) for role in Role],
        kinds=[str(kind) for kind in Kind],
        role_words=[(str(role), text) for role, text in WORDS.items()],
    )


@router.get("/p/{pid}/look")
async def look(request: Request, pid: str) -> Response:
    """How exposed the file is as it stands; the script asks again when a role has changed."""
    project = project_of(request, pid)
    return await state_of(request).part("look.html", "look", project, LOOK_WITHIN)


@router.get("/p/{pid}/counts")
async def counts(request: Request, pid: str) -> Response:
    """Its main figures, which are there at once."""
    project = project_of(request, pid)
    return await state_of(request).part("counts.html", "counts", project, LOOK_WITHIN)


@router.post("/p/{pid}/roles")
async def save(request: Request, pid: str) -> Response:
    """Keep what was corrected; the script sends one field, the plain form all of them."""
    project = project_of(request, pid)
    form = await form_of(request)
    new_roles = dict(project.setup.roles)
    new_kinds = dict(project.setup.kinds)
    new_missing = dict(project.setup.missing)
    # Fields are numbered: the name of a column may hold anything.
    for place, column in enumerate(project.about["columns"]):
        role = first_of(form, f"role.{place}")
        kind = first_of(form, f"kind.{place}")
        if role in Role.__members__:
            new_roles[column["name"]] = role
        if kind in Kind.__members__:
            new_kinds[column["name"]] = kind
        answer = first_of(form, f"missing.{place}")
        if answer in ("yes", "no"):
            new_missing[column["name"]] = answer
        elif answer == "" and f"missing.{place}" in form:
            new_missing.pop(column["name"], None)
    project.notice = ""
    if project.behind(first_of(form, "version"), ""):
        project.notice = (
            "The roles were changed in another tab; this shows the newest. "
            "Make your change again."
        )
    else:
        project.change("roles", roles=new_roles, kinds=new_kinds, missing=new_missing)
    return to(f"/p/{pid}/roles")
