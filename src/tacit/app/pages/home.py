"""The start page: load a file or the demo data; and what every page of a project shares."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from tacit.app.events import stream
from tacit.app.project import Project
from tacit.app.state import State, form_of, project, state
from tacit.app.worker import Job
from tacit.report.words import seconds

router = APIRouter()


def to(address: str) -> RedirectResponse:
    return RedirectResponse(address, status_code=303)


@router.get("/")
async def home(request: Request) -> Response:
    return _home(state(request))


def _home(s: State, error: str = "", status: int = 200) -> Response:
    open_ones = [p for p in s.projects.values() if p.about]
    return s.page("home.html", status, projects=open_ones, limit=s.settings.limit_mb, error=error)


async def receive(request: Request, s: State, upload: UploadFile) -> Path:
    """Copy an upload into the private directory; only the end of its name is taken over, to know the format."""
    path = s.workspace.new("".join(Path(upload.filename or "").suffixes[-1:]))
    left = s.settings.limit_mb * 1_000_000
    with path.open("wb") as out:
        while piece := await upload.read(1 << 20):
            left -= len(piece)
            if left < 0:
                out.close()
                path.unlink()
                raise HTTPException(413, f"The file is larger than {s.settings.limit_mb} MB (see tacit app --limit).")
            await asyncio.to_thread(out.write, piece)
    return path


def within_limit(request: Request, s: State) -> None:
    """Refuse by the announced length, before a byte of the body is read."""
    length = request.headers.get("content-length", "")
    if not length.isdigit():
        raise HTTPException(411, "The upload did not say how long it is.")
    if int(length) > s.settings.limit_mb * 1_000_000 + 100_000:
        raise HTTPException(413, f"The file is larger than {s.settings.limit_mb} MB (see tacit app --limit).")


@router.post("/load")
async def load(request: Request) -> Response:
    s = state(request)
    within_limit(request, s)
    upload = (await request.form()).get("file")
    if not hasattr(upload, "filename") or not getattr(upload, "filename", ""):
        return _home(s, "Choose a file first.", 400)
    assert not isinstance(upload, str)
    assert upload is not None
    path = await receive(request, s, upload)  # type: ignore[arg-type]
    name = Path((upload.filename or "file").replace("\\", "/")).name
    return await _open(s, Project(name, path, Job("load", {"path": str(path), "name": name})))


@router.post("/demo")
async def demo(request: Request) -> Response:
    s = state(request)
    form = await form_of(request)
    text = form.get("records", ["2000"])[0]
    records = min(max(int(text), 100), 1_000_000) if text.isdigit() else 2000
    path = s.workspace.new(".csv")
    return await _open(s, Project("demo.csv", path, Job("demo", {"path": str(path), "records": records})))


async def _open(s: State, new: Project) -> Response:
    def read(job: Job) -> None:
        if job.state == "done":
            new.begin(job.result)

    new.loading.on_end = read
    s.projects[new.id] = new
    s.quick.submit(new.loading)
    # most files are read in a moment: then the next page is the data, else one that waits
    await asyncio.to_thread(new.loading._ended.wait, 1.5)
    return to(f"/p/{new.id}/data")


def unready(request: Request, p: Project) -> Response | None:
    """The answer while the file is being read, or when it could not be; None when all is well."""
    if p.about:
        return None
    s = state(request)
    if not p.loading.over:
        return s.page("loading.html", project=p, here="data")
    s.projects.pop(p.id, None)
    p.close()
    return _home(s, p.loading.error or "The file could not be read.", 422)


@router.get("/p/{pid}/data")
async def data(request: Request, pid: str) -> Response:
    p = project(request, pid)
    return unready(request, p) or state(request).page("data.html", project=p, here="data")


@router.post("/p/{pid}/close")
async def close(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    if p.job is not None and not p.job.over:
        s.heavy.cancel(p.job)
    s.projects.pop(pid, None)
    p.close()
    return to("/")


@router.post("/p/{pid}/undo")
async def undo(request: Request, pid: str) -> Response:
    p = project(request, pid)
    p.undo()
    return await _back(request, pid)


@router.post("/p/{pid}/redo")
async def redo(request: Request, pid: str) -> Response:
    p = project(request, pid)
    p.redo()
    return await _back(request, pid)


async def _back(request: Request, pid: str) -> Response:
    project(request, pid).notice = ""
    here = (await form_of(request)).get("here", ["data"])[0]
    known = ("data", "roles", "protect", "compare", "release")
    return to(f"/p/{pid}/{here if here in known else 'data'}")


@router.get("/p/{pid}/events")
async def events(request: Request, pid: str) -> Response:
    p = project(request, pid)

    def look() -> dict[str, Any]:
        job = p.job
        news: dict[str, Any] = {
            "version": p.version,
            "over": p.loading.over,
            "live": f"{len(p.runs)}.{p.setup.release}",
        }
        if job is not None:
            left = job.left
            news["job"] = {
                "busy": not job.over,
                "share": round(job.share, 4),
                "text": job.text or "Starting",
                "left": f"about {seconds(left)} left" if left is not None and not job.over else "",
            }
        return news

    return stream(request, look)
