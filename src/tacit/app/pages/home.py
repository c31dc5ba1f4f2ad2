"""The start page: load a file or the demo data; and what every page of a project shares."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import UploadFile

from tacit.app.events import stream
from tacit.app.forms import whole_number
from tacit.app.project import Project
from tacit.app.session import State, first_of, form_of, project_of, state_of
from tacit.app.worker import Job
from tacit.app.workspace import shown_name
from tacit.report.words import roughly

router = APIRouter()

# An upload is copied in portions of one mebibyte, so that memory stays small.
PORTION = 1 << 20
# Demo records: the smallest file on which risks mean anything, and one that is made in seconds.
DEMO_RECORDS, FEWEST, MOST = 2000, 100, 1_000_000
# Seconds that we wait for a file before we show a page that waits instead.
MOMENT = 1.5
# Pages that undo and redo may lead back to.
PAGES = (
    *("data", "roles", "protect", "classes", "lattice", "compare", "release"),
    "history",
)


class JobNews(TypedDict):
    """A run under way, as the script shows it."""

    busy: bool
    share: float
    text: str
    left: str


class News(TypedDict, total=False):
    """What the script of a project's page is told when it changes."""

    version: str
    over: bool
    live: str
    doing: str
    job: JobNews


def to(address: str) -> RedirectResponse:
    """Go on to another page; after a form, so that a reload does not send it again."""
    return RedirectResponse(address, status_code=303)


@router.get("/")
async def home(request: Request) -> Response:
    """The start page."""
    return _home(state_of(request))


def _home(state: State, error: str = "", status: int = 200) -> Response:
    return state.page(
        "home.html",
        status,
        projects=[project for project in state.projects.values() if project.about],
        limit=_size(state.settings.limit_mb),
        error=error,
    )


def _size(megabytes: int) -> str:
    return f"{megabytes / 1024:g} GB" if megabytes % 1024 == 0 else f"{megabytes:,} MB"


async def receive(state: State, upload: UploadFile) -> Path:
    """Copy an upload into the private directory.

    Only the end of its name is taken over, to know the format.
    """
    path = state.workspace.new(Path(upload.filename or "").suffix)
    # The guard has counted its bytes as they came in.
    with path.open("wb") as out:
        while portion := await upload.read(PORTION):
            await asyncio.to_thread(out.write, portion)
    return path


@router.post("/load")
async def load(request: Request) -> Response:
    """Take an upload, and go on to its data."""
    state = state_of(request)
    upload = (await request.form()).get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        return _home(state, "Choose a file first.", 400)
    path = await receive(state, upload)
    name = shown_name(upload.filename)
    limit = state.settings.limit_mb
    reading = Job("load", {"path": str(path), "name": name, "limit_mb": limit})
    return await _open(state, Project(name, path, reading))


@router.post("/demo")
async def demo(request: Request) -> Response:
    """Make the demo data, and go on to them."""
    state = state_of(request)
    asked = whole_number(first_of(await form_of(request), "records"))
    records = DEMO_RECORDS if asked is None else min(max(asked, FEWEST), MOST)
    path = state.workspace.new(".csv")
    limit = state.settings.limit_mb
    order = {"path": str(path), "records": records, "limit_mb": limit}
    making = Job("demo", order)
    return await _open(state, Project("demo.csv", path, making))


async def _open(state: State, project: Project) -> Response:
    def begin(job: Job) -> None:
        if job.state == "done":
            project.begin(job.result)

    project.loading.on_end = begin
    state.projects[project.id] = project
    state.quick.submit(project.loading)
    # most files are read in a moment: then the next page is the data, else one that waits
    await asyncio.to_thread(project.loading.ends_within, MOMENT)
    return to(f"/p/{project.id}/data")


def unready(request: Request, project: Project) -> Response | None:
    """The answer while the file is being read, or when it could not be; None when all is well."""
    if project.about:
        return None
    state = state_of(request)
    if not project.loading.over:
        return state.page("loading.html", project=project, here="data")
    # Nothing can be done with it: it is closed, and the start page says why.
    state.projects.pop(project.id, None)
    project.close()
    reason = project.loading.error or "The file could not be read."
    return _home(state, reason, 422)


@router.get("/p/{pid}/data")
async def data(request: Request, pid: str) -> Response:
    """The first records of the file."""
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    return state_of(request).page("data.html", project=project, here="data")


@router.post("/p/{pid}/close")
async def close(request: Request, pid: str) -> Response:
    """Close a file and delete what was made of it."""
    state = state_of(request)
    project = project_of(request, pid)
    if project.job is not None and project.busy:
        state.heavy.cancel(project.job)
    state.projects.pop(pid, None)
    project.close()
    return to("/")


@router.post("/p/{pid}/undo")
async def undo(request: Request, pid: str) -> Response:
    """Take back the last decision."""
    project_of(request, pid).undo()
    return await _back(request, pid)


@router.post("/p/{pid}/redo")
async def redo(request: Request, pid: str) -> Response:
    """Make a decision again that was taken back."""
    project_of(request, pid).redo()
    return await _back(request, pid)


async def _back(request: Request, pid: str) -> Response:
    """To the page that the button stood on."""
    project_of(request, pid).notice = ""
    form = await form_of(request)
    here = first_of(form, "here", "data")
    column = first_of(form, "column")
    query = f"?column={quote(column)}" if column else ""
    # Only pages that we know: the address must not be the choice of whoever made the form.
    return to(f"/p/{pid}/{here if here in PAGES else 'data'}{query}")


@router.get("/p/{pid}/events")
async def events(request: Request, pid: str) -> Response:
    """News of a project: its version, its run, its attempts, and what is done for a page."""
    project = project_of(request, pid)
    state = state_of(request)

    def look() -> News:
        news: News = {
            "version": project.version,
            "over": project.loading.over,
            "live": attempts_seen(project),
            "doing": state.quick.doing,
        }
        if project.job is not None:
            news["job"] = _job_news(project.job)
        return news

    return stream(request, look)


def attempts_seen(project: Project) -> str:
    """Differs whenever the map must be drawn anew."""
    has_before = project.before is not None
    return f"{len(project.attempts)}.{project.setup.release}.{has_before}"


def _job_news(job: Job) -> JobNews:
    left = job.left
    left_over = "" if left is None or job.over else f"about {roughly(left)} left"
    return {
        "busy": not job.over,
        "share": round(job.share, 4),
        "text": job.text or "Starting",
        "left": left_over,
    }
