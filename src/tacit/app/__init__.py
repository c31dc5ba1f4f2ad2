"""The web page: load, roles, protect with live preview, run, compare, release; and streams.

`tacit app` serves it to this machine only. The page's process holds small state and answers at
once; workers in processes of their own do the work through the public API. No statistics in here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from tacit.app.settings import Settings

__all__ = ["create", "serve"]

# The worker processes import this package too, and must not pay for the web server: therefore
# the two functions below import it when they are called.


def create(settings: Settings | None = None) -> FastAPI:
    """The application, for a server of your own or for tests."""
    from tacit.app import server

    return server.create(settings)


def serve(settings: Settings, *, browser: bool = True) -> None:
    """Serve until interrupted; open the browser when asked."""
    from tacit.app import server

    server.serve(settings, browser=browser)
