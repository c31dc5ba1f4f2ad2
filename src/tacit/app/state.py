"""What the server holds: the projects, the workers that do their work, the private directory."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tacit.app.project import Project
from tacit.app.settings import Settings
from tacit.app.worker import Job, Worker
from tacit.app.workspace import Workspace


class State:
    """One for each server. Reading and previews go to one worker, full runs to another, streams to a third."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workspace = Workspace()
        self.projects: dict[str, Project] = {}
        self.quick, self.heavy, self.streams = Worker("preview"), Worker("run"), Worker("stream")
        self._catalogue: Job | None = None
        self.templates = Environment(
            loader=ChoiceLoader([PackageLoader("tacit.app", "templates"), PackageLoader("tacit.report", "templates")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def start(self) -> None:
        """Begin the imports of the workers and the list of methods, so that the first page need not wait."""
        self._catalogue = self.quick.submit(Job("catalogue", {}))
        for worker in (self.quick, self.heavy):
            worker.submit(Job("warm", {}))

    def close(self) -> None:
        for worker in (self.quick, self.heavy, self.streams):
            worker.close()
        self.workspace.close()

    async def catalogue(self) -> dict[str, Any]:
        """Every registered method and filter: title, what it is, its JSON schema."""
        if self._catalogue is None or self._catalogue.state in ("failed", "cancelled"):
            self._catalogue = self.quick.submit(Job("catalogue", {}))
        return dict(await asyncio.to_thread(self._catalogue.wait, 120))

    def page(self, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        context.setdefault("project", None)
        context.setdefault("here", "")
        return HTMLResponse(self.templates.get_template(name).render(**context), status_code=status)


def state(request: Request) -> State:
    held: State = request.app.state.tacit
    return held


def project(request: Request, pid: str) -> Project:
    found = state(request).projects.get(pid)
    if found is None:
        raise HTTPException(404, "This file is not open any more. Load it again from the start page.")
    return found


async def form_of(request: Request) -> dict[str, list[str]]:
    """The sent form as name -> values; files are handled where they are expected."""
    form = await request.form()
    out: dict[str, list[str]] = {}
    for key, value in form.multi_items():
        if isinstance(value, str):
            out.setdefault(key, []).append(value)
    return out
