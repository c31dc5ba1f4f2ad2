"""The stream page: a filter, a source, and live measures."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tacit.app import forms
from tacit.app.events import stream as server_events
from tacit.app.live import Live
from tacit.app.pages.home import receive, to, within_limit
from tacit.app.state import State, form_of, state
from tacit.app.worker import Job

router = APIRouter()

PACES = (("500", "500"), ("2000", "2,000"), ("10000", "10,000"), ("0", "as fast as it goes"))
SOURCES = (("rbf", "generated: RandomRBF, 10 columns"), ("waveform", "generated: Waveform, 21 columns"))


def _live(s: State) -> Live:
    held: Live | None = getattr(s, "live", None)
    if held is None:
        held = Live()
        s.live = held  # type: ignore[attr-defined]
    return held


async def _page(s: State, error: str = "", status: int = 200) -> Response:
    live = _live(s)
    filters = (await s.catalogue())["stream"]
    if live.filter not in filters and filters:
        live.filter = "microaggregation" if "microaggregation" in filters else next(iter(filters))
        live.parameters = {}
    entry = filters.get(live.filter, {"schema": {}, "doc": "", "about": "This build has no stream filters."})
    open_files = [(f"project:{p.id}", f"{p.name} (loaded)") for p in s.projects.values() if p.about]
    return s.page(
        "stream.html",
        status,
        here="stream",
        error=error,
        filters=[(name, one["title"]) for name, one in filters.items()],
        filter=live.filter,
        sources=[*SOURCES, *open_files],
        source=live.source,
        count=live.count,
        paces=PACES,
        pace=live.pace,
        about=entry["about"],
        fields=forms.fields(entry["schema"], live.parameters, entry["doc"]),
        running=live.running,
        live=live.shown(),
    )


@router.get("/stream")
async def show(request: Request) -> Response:
    return await _page(state(request))


@router.post("/stream")
async def act(request: Request) -> Response:
    s = state(request)
    within_limit(request, s)
    live = _live(s)
    sent = await request.form()
    form = await form_of(request)
    filters = (await s.catalogue())["stream"]
    name = form.get("filter", [live.filter])[0]
    changed = name != live.filter
    if name in filters:
        live.filter = name
        made = forms.fields(filters[name]["schema"], about=filters[name]["doc"])
        live.parameters = {} if changed else forms.read(made, form, "p.")
    live.source = form.get("source", [live.source])[0]
    live.pace = form.get("pace", [live.pace])[0]
    count = form.get("count", ["20000"])[0]
    live.count = min(max(int(count), 100), 1_000_000) if count.isdigit() else 20_000
    do = form.get("do", ["look"])[0]
    if live.job is not None and do in ("start", "stop"):
        await asyncio.to_thread(s.streams.cancel, live.job)
    if do == "start" and live.filter in filters:
        upload = sent.get("file")
        path = ""
        if upload is not None and not isinstance(upload, str) and upload.filename:
            path = str(await receive(request, s, upload))  # type: ignore[arg-type]
            live.source_name = upload.filename
        elif live.source.startswith("project:"):
            held = s.projects.get(live.source.partition(":")[2])
            path = str(held.path) if held else ""
            live.source_name = held.name if held else ""
        live.begin()
        arguments: dict[str, Any] = {
            "filter": live.filter, "parameters": live.parameters, "source": live.source, "path": path,
            "count": live.count, "pace": float(live.pace) if live.pace.isdigit() else 2000.0,
        }  # fmt: skip
        live.job = Job("stream", arguments, on_tick=live.hear)
        s.streams.submit(live.job)
    return to("/stream")


@router.get("/stream/live")
async def piece(request: Request) -> Response:
    s = state(request)
    return HTMLResponse(s.templates.get_template("live.html").render(live=_live(s).shown()))


@router.get("/stream/events")
async def events(request: Request) -> Response:
    live = _live(state(request))

    def look() -> dict[str, Any]:
        return {"version": "", "over": False, "live": live.news}

    return server_events(request, look, every=0.25)
