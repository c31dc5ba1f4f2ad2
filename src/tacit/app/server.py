"""Putting the page together, and serving it."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from tacit.app.settings import Settings
from tacit.base.errors import MissingExtra

# The web server is an extra; who has not installed it is told how, in one sentence.
try:
    import uvicorn
    from fastapi import FastAPI, HTTPException, Request, Response
    from starlette.exceptions import HTTPException as AnyHTTPException
except ImportError as missing:
    raise MissingExtra(missing.name or "fastapi", "app", "The web page") from None

from tacit.app.pages import (
    changes,
    classes,
    compare,
    history,
    home,
    lattice,
    many_plans,
    protect,
    records,
    release,
    roles,
    stream,
)
from tacit.app.security import HEADERS, Guard
from tacit.app.session import State, state_of
from tacit.app.workspace import PRIVATE

# Every file that the page may ask for, with its type; nothing else is served.
STATIC = {
    "app.css": ("tacit.app", "static", "text/css"),
    "app.js": ("tacit.app", "static", "text/javascript"),
    "classes.js": ("tacit.app", "static", "text/javascript"),
    "icon.svg": ("tacit.app", "static", "image/svg+xml"),
    "tokens.css": ("tacit.report", "assets", "text/css"),
    "charts.css": ("tacit.report", "assets", "text/css"),
    "parts.css": ("tacit.report", "assets", "text/css"),
    "inter.woff2": ("tacit.report", "assets", "font/woff2"),
}
# Seconds before the browser is opened: by then the server answers on most machines.
BROWSER_AFTER = 0.8


def create(settings: Settings | None = None) -> FastAPI:
    """The application with its workers, which start and end with it."""
    state = State(settings or Settings())

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        state.start()
        try:
            yield
        finally:
            state.close()

    # No page of the framework's own: they would fetch scripts from elsewhere.
    app = FastAPI(
        title="tacit", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life
    )
    app.state.tacit = state
    app.add_middleware(Guard, settings=state.settings)
    for page in (
        home,
        records,
        changes,
        roles,
        protect,
        classes,
        lattice,
        compare,
        many_plans,
        release,
        history,
        stream,
    ):
        app.include_router(page.router)
    app.add_api_route("/static/{name}", _static, methods=["GET"])
    app.add_exception_handler(AnyHTTPException, _wrong)
    app.add_exception_handler(Exception, _broken)
    return app


async def _static(name: str) -> Response:
    """A file of the page itself; names are looked up, never used as paths."""
    if name not in STATIC:
        raise HTTPException(404, "There is no such file.")
    package, folder, kind = STATIC[name]
    content = files(package).joinpath(folder, name).read_bytes()
    headers = {"Cache-Control": "max-age=3600"}
    return Response(content, media_type=kind, headers=headers)


async def _wrong(request: Request, error: Exception) -> Response:
    """An error as a page with one sentence."""
    status = getattr(error, "status_code", 500)
    heading = "Not here" if status == 404 else "That did not work"
    text = str(getattr(error, "detail", error))
    state = state_of(request)
    return state.page("message.html", status, heading=heading, text=text)


async def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours as one sentence; this answer passes no guard, which gives the headers."""
    state = state_of(request)
    text = (
        f"Something went wrong here ({type(error).__name__}); your files are untouched."
    )
    answer = state.page("message.html", 500, heading="That did not work", text=text)
    answer.headers.update(HEADERS)
    return answer


def serve(settings: Settings, *, browser: bool = True) -> None:
    """Serve until interrupted; open the browser when asked."""
    os.umask(PRIVATE)
    _end_with_the_terminal()
    app = create(settings)
    state: State = app.state.tacit
    # uploads on their way in are spooled to files too: keep those inside the private directory
    tempfile.tempdir = str(state.workspace.path)
    if browser:
        door = state.workspace.door(settings.address).as_uri()
        timer = threading.Timer(BROWSER_AFTER, webbrowser.open, [door])
        timer.daemon = True
        timer.start()
    try:
        uvicorn.run(
            app,
            host=settings.host,
            port=settings.port,
            log_level="warning",
            # A log of requests would hold the token.
            access_log=False,
            # Open event streams never end by themselves.
            timeout_graceful_shutdown=1,
        )
    finally:
        tempfile.tempdir = None
        state.close()


def _end_with_the_terminal() -> None:
    """A closed terminal ends the server as SIGTERM does, so that it removes its files.

    SIGTERM itself is the web server's while that runs; before, it leaves by the usual way out.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
