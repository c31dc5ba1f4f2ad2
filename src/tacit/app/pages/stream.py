"""The stream page: a filter, a source, and live measures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from starlette.datastructures import UploadFile

from tacit.app import forms
from tacit.app.events import stream as server_events
from tacit.app.fitting import by_goal
from tacit.app.live import Live
from tacit.app.messages import Entry
from tacit.app.pages.home import receive, to
from tacit.app.session import Form, State, first_of, form_of, state_of
from tacit.app.worker import Job

router = APIRouter()

# Records per second that can be chosen; 0 stands for no pause at all.
PACES = (
    ("500", "500"),
    ("2000", "2,000"),
    ("10000", "10,000"),
    ("0", "as fast as it goes"),
)
USUAL_PACE = 2000.0
SOURCES = (
    ("rbf", "made up: clusters (RBF)"),
    ("waveform", "made up: waves (Waveform)"),
)
# Records of a stream: fewer say nothing, more would not fit into memory as a whole.
FEWEST, USUAL, MOST = 100, 20_000, 1_000_000
# The filter that is shown first, where it is registered.
FIRST = "microaggregation"
# Seconds between looks for news: charts are drawn anew with each.
EVERY = 0.25


async def _page(state: State, error: str = "", status: int = 200) -> Response:
    live = state.live
    filters = (await state.catalogue())["stream"]
    if live.filter not in filters and filters:
        live.filter = FIRST if FIRST in filters else next(iter(filters))
        live.parameters = {}
    entry = filters.get(live.filter)
    inputs = []
    if entry is not None:
        inputs = forms.fields(
            entry["schema"], live.parameters, entry["doc"], entry["plain"]
        )
    open_files = [
        (f"project:{project.id}", f"{project.name} (loaded)")
        for project in state.projects.values()
        if project.about
    ]
    return state.page(
        "stream.html",
        status,
        here="stream",
        error=error,
        families=by_goal(filters),
        filter=live.filter,
        sources=[*SOURCES, *open_files],
        source=live.source,
        count=live.count,
        paces=PACES,
        pace=live.pace,
        entry=entry,
        fields=inputs,
        running=live.running,
        live=live.shown(),
    )


@router.get("/stream")
async def show(request: Request) -> Response:
    """The choice of filter and source, and what runs now."""
    return await _page(state_of(request))


@router.post("/stream")
async def act(request: Request) -> Response:
    """Keep what was chosen; then start or stop a stream."""
    state = state_of(request)
    live = state.live
    upload = (await request.form()).get("file")
    form = await form_of(request)
    filters = (await state.catalogue())["stream"]
    _choose(live, form, filters)
    do = first_of(form, "do", "look")
    # A new stream takes the place of the one that runs.
    if live.job is not None and do in ("start", "stop"):
        await asyncio.to_thread(state.streams.cancel, live.job)
    if do == "start" and live.filter in filters:
        path = await _source(state, upload)
        live.begin()
        pace = forms.whole_number(live.pace)
        arguments: dict[str, object] = {
            "filter": live.filter,
            "parameters": live.parameters,
            "source": live.source,
            "path": path,
            "count": live.count,
            "pace": USUAL_PACE if pace is None else float(pace),
            "limit_mb": state.settings.limit_mb,
        }
        live.job = Job("stream", arguments, on_tick=live.hear)
        state.streams.submit(live.job)
    return to("/stream")


def _choose(live: Live, form: Form, filters: Mapping[str, Entry]) -> None:
    """Take over what the form says; a filter that was changed starts from its defaults."""
    name = first_of(form, "filter", live.filter)
    if name in filters:
        entry = filters[name]
        inputs = forms.fields(entry["schema"], about=entry["doc"])
        is_same = name == live.filter
        live.parameters = forms.read(inputs, form, "p.") if is_same else {}
        live.filter = name
    live.source = first_of(form, "source", live.source)
    live.pace = first_of(form, "pace", live.pace)
    count = forms.whole_number(first_of(form, "count"))
    live.count = USUAL if count is None else min(max(count, FEWEST), MOST)


async def _source(state: State, upload: object) -> str:
    """The path of the file to stream; '' for a generated stream."""
    live = state.live
    if isinstance(upload, UploadFile) and upload.filename:
        if live.upload is not None:
            live.upload.unlink(missing_ok=True)
        live.upload = await receive(state, upload)
        return str(live.upload)
    kind, _, pid = live.source.partition(":")
    if kind != "project":
        return ""
    # The file may have been closed since the page was drawn.
    project = state.projects.get(pid)
    return str(project.path) if project else ""


@router.get("/stream/live")
async def piece(request: Request) -> Response:
    """The charts alone, as the stream moves."""
    state = state_of(request)
    return state.piece("live.html", live=state.live.shown())


@router.get("/stream/events")
async def events(request: Request) -> Response:
    """News of the stream."""
    live = state_of(request).live

    def look() -> dict[str, object]:
        return {"version": "", "over": False, "live": live.news}

    return server_events(request, look, every=EVERY)
