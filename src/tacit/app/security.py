"""Who may talk to the page: the holder of the token, from the page itself, under the name it is served by."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from tacit.app.settings import Settings

# Nothing from elsewhere is ever fetched, nor may another page frame this one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
Next = Callable[[Request], Awaitable[Response]]


def refuse(text: str, status: int = 403) -> Response:
    return PlainTextResponse(text, status_code=status, headers=HEADERS)


def guard(settings: Settings) -> Callable[[Request, Next], Awaitable[Response]]:
    """The check before every request. The token comes once in the address, then lives in a strict cookie."""

    def same(given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), settings.token.encode())

    async def check(request: Request, call_next: Next) -> Response:
        if not _known_host(request, settings):
            return refuse("This page is not served under that name.")
        token = request.query_params.get("token")
        cookie = settings.cookie
        if settings.token:
            if same(token) and request.method == "GET":
                rest = [(k, v) for k, v in request.query_params.multi_items() if k != "token"]
                to = request.url.path + (f"?{urlencode(rest)}" if rest else "")
                answer: Response = RedirectResponse(to, status_code=303, headers=HEADERS)
                answer.set_cookie(cookie, settings.token, httponly=True, samesite="strict")
                return answer
            if not same(request.cookies.get(cookie)):
                return refuse("Open the address that `tacit app` printed: it holds the token of this session.")
        if request.method not in ("GET", "HEAD") and not _same_origin(request):
            return refuse("This request came from another page.")
        answer = await call_next(request)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    return check


def _known_host(request: Request, settings: Settings) -> bool:
    """Only our own names, so that a foreign name that points here (DNS rebinding) gets nothing."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    return host in settings.names or not settings.names


def _same_origin(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
