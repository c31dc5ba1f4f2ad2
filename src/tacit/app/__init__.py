"""The web page: load, roles, protect with live preview, run, compare, release; and streams.

`tacit app` serves it to this machine only. The page's process holds small state and answers at once; workers in
processes of their own do the work through the public API. No statistics in here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from tacit.app.settings import Settings

__all__ = ["create", "serve"]


def create(settings: Settings | None = None) -> FastAPI:
    """The application, for a server of your own or for tests."""
    from tacit.app.server import create as make

    return make(settings)


def serve(settings: Settings, *, browser: bool = True) -> None:
    """Serve until interrupted; open the browser when asked."""
    from tacit.app.server import serve as run

    run(settings, browser=browser)
