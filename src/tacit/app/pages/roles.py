"""Roles and kinds of the columns, as guessed and as corrected."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tacit.app.pages.home import to, unready
from tacit.app.state import form_of, project, state
from tacit.schema import Kind, Role

router = APIRouter()

WORDS = {
    Role.identifier: "names a person directly; dropped from the release",
    Role.quasi: "an intruder may know it from elsewhere; protected, and used in every attack",
    Role.confidential: "released as it is; what an intruder would learn",
    Role.weight: "sampling weight",
    Role.household: "number of the household that the person belongs to",
    Role.other: "released as it is, and not known to intruders",
}


@router.get("/p/{pid}/roles")
async def roles(request: Request, pid: str) -> Response:
    p = project(request, pid)
    return unready(request, p) or state(request).page(
        "roles.html",
        project=p,
        here="roles",
        roles=[str(r) for r in Role],
        kinds=[str(k) for k in Kind],
        role_words=[(str(r), text) for r, text in WORDS.items()],
    )


@router.post("/p/{pid}/roles")
async def save(request: Request, pid: str) -> Response:
    p = project(request, pid)
    form = await form_of(request)
    given_roles, given_kinds = dict(p.setup.roles), dict(p.setup.kinds)
    for i, column in enumerate(p.about["columns"]):
        role = form.get(f"role.{i}", [""])[0]
        kind = form.get(f"kind.{i}", [""])[0]
        if role in Role.__members__:
            given_roles[column["name"]] = role
        if kind in Kind.__members__:
            given_kinds[column["name"]] = kind
    p.notice = ""
    if p.behind(form.get("version", [""])[0], ""):
        p.notice = "The roles were changed in another tab; this shows the newest. Make your change again."
    else:
        p.change("roles", roles=given_roles, kinds=given_kinds)
    return to(f"/p/{pid}/roles")
