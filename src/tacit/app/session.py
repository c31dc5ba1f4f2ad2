"""What the server holds: the projects, the workers that do their work, the private directory."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tacit.app.live import Live
from tacit.app.messages import Catalogue
from tacit.app.project import Project
from tacit.app.settings import Settings
from tacit.app.worker import Cancelled, Job, Worker
from tacit.app.workspace import Workspace

# Seconds until the list of methods must be there: a cold machine takes long for its imports.
CATALOGUE_WITHIN = 120


class State:
    """One for each server.

    Reading and previews go to one worker, full runs to another, streams to a third, so that none
    waits for another.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workspace = Workspace()
        self.projects: dict[str, Project] = {}
        self.live = Live()
        self.quick = Worker("preview")
        self.heavy = Worker("run")
        self.streams = Worker("stream")
        self._catalogue: Job | None = None
        # The page shows verdicts and figures with the templates of the report. Names and cells of
        # users are escaped; a name that a template misspells is an error, not an empty place.
        self.templates = Environment(
            loader=ChoiceLoader(
                [
                    PackageLoader("tacit.app", "templates"),
                    PackageLoader("tacit.report", "templates"),
                ]
            ),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def start(self) -> None:
        """Begin the workers' imports and the list of methods before someone waits for them."""
        self._catalogue = self.quick.submit(Job("catalogue", {}))
        for worker in (self.quick, self.heavy):
            worker.submit(Job("warm", {}))

    def close(self) -> None:
        """End the workers and remove all files."""
        for worker in (self.quick, self.heavy, self.streams):
            worker.close()
        self.workspace.close()

    async def catalogue(self) -> Catalogue:
        """Every registered method and filter: title, what it is, its JSON schema."""
        job = self._catalogue
        if job is None or job.state in ("failed", "cancelled"):
            job = self._catalogue = self.quick.submit(Job("catalogue", {}))
        return cast(Catalogue, await asyncio.to_thread(job.wait, CATALOGUE_WITHIN))

    async def ask(
        self,
        job: str,
        project: Project,
        within: float,
        *,
        latest_only: bool = False,
        **more: object,
    ) -> Any:
        """What a worker says of a project's file; who asked knows its type.

        Raises `Cancelled`, `TimeoutError`, or `RuntimeError` with the sentence of the worker.
        """
        waiting = Job(job, {"file": project.asked, **more})
        self.quick.submit(waiting, latest_only=latest_only)
        return await asyncio.to_thread(waiting.wait, within)

    async def view(
        self, job: str, project: Project, within: float, **more: object
    ) -> Any:
        """The same for a page that cannot be shown without it."""
        try:
            return await self.ask(job, project, within, latest_only=False, **more)
        except (Cancelled, RuntimeError, TimeoutError) as error:
            raise HTTPException(422, str(error)) from None

    async def part(
        self, name: str, job: str, project: Project, within: float, **more: object
    ) -> Response:
        """The same as a part of a page; only the newest that was asked for is answered."""
        try:
            found = await self.ask(job, project, within, latest_only=True, **more)
        except Cancelled:
            # a newer one took its place: there is nothing to show
            return Response(status_code=204)
        except (RuntimeError, TimeoutError) as error:
            return self.piece(name, error=str(error), v=None)
        return self.piece(name, error="", v=found)

    def page(self, name: str, status: int = 200, /, **context: object) -> HTMLResponse:
        """A template, filled; a page that belongs to no project says nothing about one."""
        context = {"project": None, "here": "", "back": "", "column": ""} | context
        text = self.templates.get_template(name).render(**context)
        return HTMLResponse(text, status_code=status)

    def piece(self, name: str, /, **context: object) -> HTMLResponse:
        """A part of a page, which the script puts in its place."""
        return HTMLResponse(self.templates.get_template(name).render(**context))


def state_of(request: Request) -> State:
    """The state of the server that got this request."""
    state: State = request.app.state.tacit
    return state


def project_of(request: Request, pid: str) -> Project:
    """The project of an address; one sentence if it was closed."""
    project = state_of(request).projects.get(pid)
    if project is None:
        raise HTTPException(
            404, "This file is not open any more. Load it again from the start page."
        )
    return project


Form = dict[str, list[str]]


async def form_of(request: Request) -> Form:
    """The sent form as name -> values; files are handled where they are expected."""
    sent = await request.form()
    form: Form = {}
    for key, value in sent.multi_items():
        if isinstance(value, str):
            form.setdefault(key, []).append(value)
    return form


def first_of(form: Form, name: str, otherwise: str = "") -> str:
    """The first value that was sent under a name."""
    return form.get(name, [otherwise])[0]
