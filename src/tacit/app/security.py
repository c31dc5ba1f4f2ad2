"""Who may talk to the page: the holder of the token, from the page itself, under its own name."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from tacit.app.settings import Settings

# Nothing from elsewhere is ever fetched, nor may another page frame this one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# Sent with every answer: pages show records about people and are not kept by anyone.
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# Requests that change nothing may come from another page; their answers cannot be read there.
READING = ("GET", "HEAD")
Next = Callable[[Request], Awaitable[Response]]


def refuse(text: str, status: int = 403) -> Response:
    """An answer that shows nothing of the page."""
    return PlainTextResponse(text, status_code=status, headers=HEADERS)


def guard(settings: Settings) -> Callable[[Request, Next], Awaitable[Response]]:
    """The check before every request.

    The token comes once in the address, then lives in a strict cookie.
    """

    def is_token(given: str | None) -> bool:
        # Compared in constant time: the time of the answer must not tell how much was right.
        return given is not None and hmac.compare_digest(
            given.encode(), settings.token.encode()
        )

    async def check(request: Request, call_next: Next) -> Response:
        if not _known_host(request, settings):
            return refuse("This page is not served under that name.")
        if settings.token:
            in_address = is_token(request.query_params.get("token"))
            if in_address and request.method == "GET":
                return _without_token(request, settings)
            if not is_token(request.cookies.get(settings.cookie)):
                return refuse(
                    "Open the address that `tacit app` printed: "
                    "it holds the token of this session."
                )
        if request.method not in READING and not _same_origin(request):
            return refuse("This request came from another page.")
        answer = await call_next(request)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    return check


def _without_token(request: Request, settings: Settings) -> Response:
    """Move the token into a cookie, so that it does not stay in the history of the browser."""
    others = [
        (name, value)
        for name, value in request.query_params.multi_items()
        if name != "token"
    ]
    query = f"?{urlencode(others)}" if others else ""
    address = request.url.path + query
    answer = RedirectResponse(address, status_code=303, headers=HEADERS)
    answer.set_cookie(settings.cookie, settings.token, httponly=True, samesite="strict")
    return answer


def _known_host(request: Request, settings: Settings) -> bool:
    """Only our own names: a foreign name that points here (DNS rebinding) gets nothing."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    return host in settings.names or not settings.names


def _same_origin(request: Request) -> bool:
    """Browsers name the origin of every form; what has none is no browser."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
