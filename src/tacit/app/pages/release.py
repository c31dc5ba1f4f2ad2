"""The release: its verdict and everything to take away."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import FileResponse

from tacit.app.pages.home import unready
from tacit.app.state import project, state
from tacit.app.worker import Cancelled, Job

router = APIRouter()

FORMATS = ("csv", "parquet", "feather", "arff")
KINDS = {"csv": "text/csv", "html": "text/html", "toml": "application/toml", "json": "application/json"}


@router.get("/p/{pid}/release")
async def release(request: Request, pid: str) -> Response:
    p = project(request, pid)
    wait = unready(request, p)
    if wait is not None:
        return wait
    run = p.release
    own = Path(run.files["masked"]).suffix.lstrip(".") if run else "csv"
    return state(request).page(
        "release.html",
        project=p,
        here="release",
        formats=list(dict.fromkeys([own, *FORMATS])),
        own_format=own,
        command=run.summary["command"] if run else "",
        python=run.summary["python"] if run else "",
    )


@router.get("/p/{pid}/download/{what}")
async def download(request: Request, pid: str, what: str, format: str = "", neutralise: str = "") -> Response:
    s, p = state(request), project(request, pid)
    run = p.release
    if run is None:
        raise HTTPException(404, "No release is chosen yet.")
    stem = Path(p.name).stem
    names = {
        "report": f"{stem}-report.html",
        "external": f"{stem}-report-external.html",
        "plan": f"{stem}-plan.toml",
        "manifest": f"{run.summary['release']}.manifest.json",
    }
    if what in names:
        return _send(Path(run.files[what]), names[what])
    if what != "masked":
        raise HTTPException(404, "There is no such download.")
    own = Path(run.files["masked"]).suffix.lstrip(".")
    wanted = format if format in (own, *FORMATS) else own
    path = Path(run.files["masked"])
    if wanted != own or neutralise == "on":
        target = s.workspace.new(f".{wanted}")
        job = Job("export", {"masked": str(path), "target": str(target), "safe_formulas": neutralise == "on"})
        s.quick.submit(job)
        try:
            await asyncio.to_thread(job.wait, 300)
        except (Cancelled, RuntimeError, TimeoutError) as error:
            raise HTTPException(422, str(error)) from None
        path = target
        run.files[f"export {wanted} {neutralise}"] = str(target)
    return _send(path, f"{stem}-release.{wanted}")


def _send(path: Path, name: str) -> Response:
    """Always as a file to save, never shown in the page's own origin."""
    kind = KINDS.get(path.suffix.lstrip("."), "application/octet-stream")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return FileResponse(path, media_type=kind, headers=headers)
