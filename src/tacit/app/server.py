"""Putting the page together, and serving it."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from tacit.app.settings import Settings
from tacit.errors import MissingExtra

try:
    import uvicorn
    from fastapi import FastAPI, HTTPException, Request, Response
    from starlette.exceptions import HTTPException as AnyHTTPException
except ImportError as missing:
    raise MissingExtra(missing.name or "fastapi", "app", "The web page") from None

from tacit.app.pages import compare, home, protect, release, roles, stream
from tacit.app.security import guard
from tacit.app.state import State, state

# Every file that the page may ask for, with its type; nothing else is served.
STATIC = {
    "app.css": ("tacit.app", "static", "text/css"),
    "app.js": ("tacit.app", "static", "text/javascript"),
    "icon.svg": ("tacit.app", "static", "image/svg+xml"),
    "tokens.css": ("tacit.report", "assets", "text/css"),
    "charts.css": ("tacit.report", "assets", "text/css"),
    "inter.woff2": ("tacit.report", "assets", "font/woff2"),
}


def create(settings: Settings | None = None) -> FastAPI:
    held = State(settings or Settings())

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        held.start()
        try:
            yield
        finally:
            held.close()

    app = FastAPI(title="tacit", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.state.tacit = held
    app.middleware("http")(guard(held.settings))
    for room in (home, roles, protect, compare, release, stream):
        app.include_router(room.router)
    app.add_api_route("/static/{name}", _static, methods=["GET"])
    app.add_exception_handler(AnyHTTPException, _wrong)
    return app


async def _static(name: str) -> Response:
    if name not in STATIC:
        raise HTTPException(404, "There is no such file.")
    package, folder, kind = STATIC[name]
    return Response(
        files(package).joinpath(folder, name).read_bytes(), media_type=kind, headers={"Cache-Control": "max-age=3600"}
    )


async def _wrong(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    heading = "Not here" if status == 404 else "That did not work"
    return state(request).page("message.html", status, heading=heading, text=str(getattr(error, "detail", error)))


def serve(settings: Settings, *, browser: bool = True) -> None:
    app = create(settings)
    held: State = app.state.tacit
    # uploads on their way in are spooled to files too: keep those inside the private directory
    tempfile.tempdir = str(held.workspace.path)
    if browser:
        timer = threading.Timer(0.8, webbrowser.open, [settings.address])
        timer.daemon = True
        timer.start()
    try:
        uvicorn.run(
            app, host=settings.host, port=settings.port, log_level="warning", access_log=False,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
    finally:
        tempfile.tempdir = None
        held.close()
