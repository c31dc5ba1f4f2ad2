"""Attack a running web page and print what was tried, what should happen and what did.

    python -m tools.page_attack                 # starts `tacit app` and attacks that
    python -m tools.page_attack --address URL   # a page that runs already (with its token)

Only addresses of this machine are attacked. Every attempt is one request over a plain socket, so
that nothing is mended on its way; a run sends some two hundred of them and some 30 MB. It exits
with 1 when an answer is not among those that were expected. Attempts are listed in
`page_attempts.py`, by adversary: somebody without the token, another page in the browser, a
hostile file, and whoever types what no form would send.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

# Seconds that an answer may take: a busy machine is slow.
PATIENCE = 120
# The page's own limit for uploads in a run: small, so that passing it is cheap.
LIMIT_MB = 5
# What every answer of the page must carry.
HEADERS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What came back: 0 when the connection was closed without an answer."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Attempt:
    """One request and what it may get."""

    group: str
    name: str
    expected: tuple[int, ...]
    got: int
    wrong: str = ""

    @property
    def held(self) -> bool:
        """Was the answer one of those expected, and was nothing wrong with it?"""
        return self.got in self.expected and not self.wrong


@dataclass
class Target:
    """The page that is attacked, by somebody who holds its token or not."""

    host: str
    port: int
    token: str
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """As the browser of its user names it."""
        return f"http://{self.host}:{self.port}"

    @property
    def cookie(self) -> tuple[str, str]:
        """What lets its user in."""
        return ("Cookie", f"tacit_{self.port}={self.token}")

    def ask(
        self,
        method: str,
        path: str,
        headers: Pairs = (),
        body: bytes = b"",
        *,
        host: str | None = "",
        length: bool = True,
    ) -> Answer:
        """One request, written byte by byte as it is given here."""
        lines = [f"{method} {path} HTTP/1.1"]
        if host is not None:
            lines.append(f"Host: {host or f'{self.host}:{self.port}'}")
        lines += [f"{name}: {value}" for name, value in headers]
        if length and method not in ("GET", "HEAD"):
            lines.append(f"Content-Length: {len(body)}")
        lines.append("Connection: close")
        head = "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
        return self._exchange(head + body)

    def _exchange(self, request: bytes) -> Answer:
        answer = b""
        with socket.create_connection((self.host, self.port), PATIENCE) as line:
            # A server that has heard enough closes; its answer is there all the same.
            try:
                line.sendall(request)
            except OSError:
                pass
            try:
                while portion := line.recv(1 << 16):
                    answer += portion
            except OSError:
                pass
        head, _, rest = answer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = re.match(r"HTTP/1\.1 (\d+)", lines[0])
        pairs = [line.partition(": ") for line in lines[1:]]
        names = {name.lower(): value for name, _, value in pairs}
        return Answer(
            int(status[1]) if status else 0, names, rest.decode("utf-8", "replace")
        )

    def judge(
        self,
        group: str,
        name: str,
        expected: Sequence[int],
        answer: Answer,
        never: Sequence[str] = (),
    ) -> Answer:
        """Note what came back; ``never`` is what no answer may hold."""
        wrong = [f"holds {text!r}" for text in never if text in answer.text]
        wrong += [f"header {text!r}" for text in never if text in str(answer.headers)]
        # What is not even HTTP is answered by the web server, before the page sees it.
        if answer.status not in (0, 400, 431, 501):
            for header, value in HEADERS.items():
                if value not in answer.headers.get(header, "none"):
                    wrong.append(f"without {header}")
        attempt = Attempt(group, name, tuple(expected), answer.status, "; ".join(wrong))
        self.attempts.append(attempt)
        return answer


def table(attempts: Sequence[Attempt]) -> str:
    """A line for each attempt."""
    lines = [f"{'group':<10} {'attempt':<62} {'expected':<12} got"]
    for one in attempts:
        expected = "/".join(str(status) for status in one.expected)
        name = one.name.encode("unicode_escape").decode()
        name = name if len(name) <= 62 else name[:61] + "…"
        mark = "" if one.held else f"   <-- {one.wrong or 'NOT EXPECTED'}"
        lines.append(f"{one.group:<10} {name:<62} {expected:<12} {one.got}{mark}")
    return "\n".join(lines)


def target_of(address: str) -> Target:
    """The page of an address with its token; only of this machine."""
    parts = urlsplit(address)
    if parts.hostname not in LOOPBACK or parts.port is None:
        sys.exit(f"{address}: only a page on this machine is attacked")
    return Target(parts.hostname, parts.port, parts.query.partition("token=")[2])


def run(
    target: Target, folder: Path | None = None, *, fast: bool = False
) -> list[Attempt]:
    """Try everything; ``fast`` leaves out what runs plans. ``folder`` is where its files are."""
    from tools.page_attempts import everything

    everything(target, folder, fast=fast)
    return target.attempts


def main() -> None:
    """Attack, print, and say by the exit code whether everything held."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--address", help="a page that runs already, with its token")
    parser.add_argument("--fast", action="store_true", help="leave out what runs plans")
    options = parser.parse_args()
    if options.address:
        attempts = run(target_of(options.address), fast=options.fast)
    else:
        with tempfile.TemporaryDirectory() as made:
            attempts = _on_a_page_of_its_own(Path(made), options.fast)
    print(table(attempts))
    broken = [one for one in attempts if not one.held]
    print(f"{len(attempts)} attempts, {len(broken)} not as expected")
    sys.exit(1 if broken else 0)


def _on_a_page_of_its_own(folder: Path, fast: bool) -> list[Attempt]:
    """Start a page whose files lie in the folder, attack it, and end it."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tacit", "app", "--no-browser", "--port", "0"]
    command += ["--limit", str(LIMIT_MB)]
    page = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert page.stdout is not None
    found = re.search(r"http://\S+", page.stdout.readline())
    assert found is not None
    target = target_of(found[0])
    try:
        for _ in range(600):
            try:
                target.ask("GET", "/")
                break
            except OSError:
                time.sleep(0.1)
        return run(target, folder, fast=fast)
    finally:
        page.send_signal(signal.SIGINT)
        page.wait(60)


if __name__ == "__main__":
    main()
