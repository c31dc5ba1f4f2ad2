"""The release: its verdict and everything to take away."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from urllib.parse import quote

import tomli_w
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import FileResponse

from tacit.app import exports
from tacit.app.pages.home import to, unready
from tacit.app.project import Attempt, Project
from tacit.app.session import State, form_of, project_of, state_of
from tacit.app.worker import Cancelled, Job

router = APIRouter()

# Formats of the masked file that are offered beside its own.
FORMATS = ("csv", "parquet", "feather", "arff")
KINDS = {
    "csv": "text/csv",
    "html": "text/html",
    "toml": "application/toml",
    "json": "application/json",
}
# Seconds for writing a large file in another format.
EXPORT_WITHIN = 300


@router.get("/p/{pid}/release")
async def release(request: Request, pid: str) -> Response:
    """The attempt that was chosen, with its downloads."""
    project = project_of(request, pid)
    wait = unready(request, project)
    if wait is not None:
        return wait
    chosen = project.release
    own = _format_of(chosen) if chosen else "csv"
    command, python = _same(project, chosen) if chosen else ("", "")
    return state_of(request).page(
        "release.html",
        project=project,
        here="release",
        formats=list(dict.fromkeys([own, *FORMATS])),
        own_format=own,
        command=command,
        python=python,
        leaving=chosen.summary["leaving"] if chosen else [],
    )


def _same(project: Project, chosen: Attempt) -> tuple[str, str]:
    """What does the same on the command line and in Python, with what was accepted since."""
    summary = chosen.summary
    files = (project.name, summary["release"])
    python = exports.python(summary["plan"], *files, project.setup.as_is)
    return exports.command(summary["plan"], *files), python


@router.post("/p/{pid}/accept")
async def accept(request: Request, pid: str) -> Response:
    """Let columns go that nothing protects; those that are not ticked stay refused."""
    project = project_of(request, pid)
    ticked = (await form_of(request)).get("as_is", [])
    chosen = project.release
    named = {one["column"] for one in chosen.summary["leaving"]} if chosen else set()
    # What was accepted for another plan stays accepted: it is about the column.
    kept = [name for name in project.setup.as_is if name not in named]
    new = [name for name in ticked if name in named]
    project.change("columns to leave", as_is=(*kept, *new))
    return to(f"/p/{pid}/release")


def _format_of(attempt: Attempt) -> str:
    """The format in which the masked file was written."""
    return Path(attempt.files["masked"]).suffix.lstrip(".")


@router.get("/p/{pid}/download/{what}")
async def download(
    request: Request, pid: str, what: str, format: str = "", raw: str = ""
) -> Response:
    """One file of the release: masked, report, external, plan or manifest."""
    state = state_of(request)
    project = project_of(request, pid)
    chosen = project.release
    if chosen is None:
        raise HTTPException(404, "No release is chosen yet.")
    stem = Path(project.name).stem
    names = exports.file_names(project.name, chosen.summary["release"])
    if what in ("plan", "private", "manifest"):
        return _accepting(Path(chosen.files[what]), names[what], project.setup.as_is)
    if what in names:
        return _send(Path(chosen.files[what]), names[what])
    if what != "masked":
        raise HTTPException(404, "There is no such download.")
    held = project.not_accepted
    if held:
        columns = ", ".join(f"'{one['column']}' ({one['why']})" for one in held)
        raise HTTPException(
            409, f"Columns would leave by accident: {columns}. Accept them first."
        )
    own = _format_of(chosen)
    wanted = format if format in (own, *FORMATS) else own
    is_raw = raw == "on"
    path = Path(chosen.files["masked"])
    if wanted != own or is_raw:
        path = await _export(state, path, wanted, is_safe=not is_raw)
        # Listed with the attempt, so that it is deleted with it.
        chosen.files[f"export {wanted} {raw}"] = str(path)
    return _send(path, f"{stem}-release.{wanted}")


async def _export(state: State, masked: Path, wanted: str, *, is_safe: bool) -> Path:
    """Write the masked file in another way; a worker does it."""
    target = state.workspace.new(f".{wanted}")
    arguments: dict[str, object] = {
        "masked": str(masked),
        "target": str(target),
        "safe_formulas": is_safe,
    }
    job = state.quick.submit(Job("export", arguments))
    try:
        await asyncio.to_thread(job.wait, EXPORT_WITHIN)
    except (Cancelled, RuntimeError, TimeoutError) as error:
        raise HTTPException(422, str(error)) from None
    return target


def _accepting(path: Path, name: str, as_is: tuple[str, ...]) -> Response:
    """The plan or manifest with the columns that were accepted after it was written."""
    text = path.read_text(encoding="utf-8")
    if as_is and text and path.suffix == ".toml":
        plan = tomllib.loads(text)
        text = tomli_w.dumps({**plan, "release_as_is": list(as_is)})
    elif as_is and path.suffix == ".json":
        record = json.loads(text)
        record["plan"]["release_as_is"] = list(as_is)
        for one in record["leaving"]:
            one["accepted"] = one["column"] in as_is
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    kind = KINDS[path.suffix.lstrip(".")]
    return Response(text, media_type=kind, headers=_as_file(name))


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}


def _send(path: Path, name: str) -> Response:
    """Always as a file to save, never shown in the page's own origin."""
    kind = KINDS.get(path.suffix.lstrip("."), "application/octet-stream")
    return FileResponse(path, media_type=kind, headers=_as_file(name))
