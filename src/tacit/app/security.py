"""Who may talk to the page: the holder of the token, from the page itself, under its own name."""

from __future__ import annotations

import hmac
import re
from html import escape
from urllib.parse import urlencode

from fastapi import HTTPException, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.app.forms import whole_number
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
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# Requests that change nothing may come from another page; their answers cannot be read there.
READING = ("GET", "HEAD")
# Addresses that take files; all other forms hold what somebody typed.
UPLOADS = ("/load", "/stream")
MEGABYTE = 1_000_000
# A form is a little longer than the file in it: boundaries and names of fields.
AROUND_THE_FILE = 100_000
# Bytes of a form without a file: the largest that people type are hierarchies of codes.
TYPED = 10 * MEGABYTE
# A host as browsers send it: a name, or an IPv6 address in brackets, and a port.
HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


def refuse(text: str, status: int = 403) -> Response:
    """An answer that shows nothing of the page."""
    return PlainTextResponse(text, status_code=status, headers=HEADERS)


class Guard:
    """The check before every request, the limit of what it may send, the headers of the answer.

    The token comes once in the address, then lives in a strict cookie.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request ourselves, or let it through."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        # The page has no web sockets, and a browser does not keep other pages from them.
        elif scope["type"] == "http":
            request = Request(scope)
            answer = self.answer(request)
            if answer is None:
                counted = self._counted(request, receive)
                await self.app(scope, counted, _with_headers(send))
            else:
                await answer(scope, receive, send)

    def answer(self, request: Request) -> Response | None:
        """What a request gets that does not reach the page; None when it does."""
        settings = self.settings
        if not _known_host(request, settings):
            return refuse("This page is not served under that name.")
        if settings.token:
            in_address = self._is_token(request.query_params.get("token"))
            if in_address and request.method == "GET":
                return _without_token(request, settings)
            if not self._is_token(request.cookies.get(settings.cookie)):
                return refuse(
                    "Open the address that `tacit app` printed: "
                    "it holds the token of this session."
                )
        if request.method not in READING and not _same_origin(request):
            return refuse("This request came from another page.")
        announced = whole_number(request.headers.get("content-length", "0"))
        if announced is None or announced > self._most(request):
            # Before a byte of the body is read.
            return refuse(self._too_large(), 413)
        return None

    def _is_token(self, given: str | None) -> bool:
        # Compared in constant time: the time of the answer must not tell how much was right.
        return given is not None and hmac.compare_digest(
            given.encode(), self.settings.token.encode()
        )

    def _most(self, request: Request) -> int:
        """Bytes that a request may send."""
        if request.url.path in UPLOADS:
            return self.settings.limit_mb * MEGABYTE + AROUND_THE_FILE
        return TYPED

    def _too_large(self) -> str:
        limit = self.settings.limit_mb
        return f"The file is larger than {limit} MB (see tacit app --limit)."

    def _counted(self, request: Request, receive: Receive) -> Receive:
        """Count what is read: a length need not be announced, and anyone can announce anything."""
        left = self._most(request)

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, self._too_large())
            return message

        return counted


def _with_headers(send: Send) -> Send:
    """Every answer of the page carries the headers that protect it."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _without_token(request: Request, settings: Settings) -> Response:
    """Move the token into a cookie, so that it does not stay in the history of the browser.

    A browser that came from elsewhere (from the file that `tacit app` opens) keeps strict cookies
    back also after a redirect. It gets a page of our own, which leads on: that step is ours.
    """
    others = [
        (name, value)
        for name, value in request.query_params.multi_items()
        if name != "token"
    ]
    query = f"?{urlencode(others)}" if others else ""
    # One slash: two of them would begin with the name of another machine.
    address = "/" + request.url.path.lstrip("/") + query
    answer: Response
    if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        answer = RedirectResponse(address, status_code=303, headers=HEADERS)
    else:
        target = escape(address, quote=True)
        answer = HTMLResponse(
            '<!doctype html><html lang="en"><title>tacit</title>'
            f'<meta http-equiv="refresh" content="0; url={target}">'
            f'<a href="{target}">tacit</a>',
            # The address of this page holds the token: the next one is not told it.
            headers=HEADERS | {"Referrer-Policy": "no-referrer"},
        )
    answer.set_cookie(settings.cookie, settings.token, httponly=True, samesite="strict")
    return answer


def _known_host(request: Request, settings: Settings) -> bool:
    """Only our own names: a foreign name that points here (DNS rebinding) gets nothing."""
    given = HOST.fullmatch(request.headers.get("host", ""))
    if given is None:
        return False
    name = given[1].strip("[]").lower()
    return name in settings.names or not settings.names


def _same_origin(request: Request) -> bool:
    """Browsers name the origin of every form; what has none is no browser."""
    host = request.headers.get("host", "")
    # Encrypted where somebody put the page behind a server that encrypts.
    ours = (f"http://{host}", f"https://{host}")
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    return request.headers.get("origin", ours[0]) in ours
