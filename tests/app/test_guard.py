"""Who may talk to the page, what it sends, what stays behind."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from fastapi import HTTPException, Request
from starlette.types import Message, Receive, Scope, Send

from app.conftest import Server, start, stop, wait_until_up
from tacit.app import security
from tacit.app.settings import Settings, free_port
from tacit.app.workspace import Workspace, shown_name
from tacit.base.errors import ParameterError


def test_without_the_token_nothing_is_shown(server: Server) -> None:
    """Not a page, not a file, not even that a project is missing."""
    for path in ("", "stream", "static/app.js", "p/x/data"):
        answer = httpx.get(server.base + path)
        assert answer.status_code == 403
        assert "token" in answer.text
    assert httpx.get(server.base + "?token=wrong").status_code == 403
    assert httpx.post(server.base + "demo").status_code == 403


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client that has opened the printed address."""
    with httpx.Client(follow_redirects=True, timeout=120) as made:
        assert made.get(server.address).status_code == 200
        yield made


def test_the_token_leaves_the_address_and_the_cookie_is_strict(server: Server) -> None:
    """The history of the browser does not keep the token."""
    answer = httpx.get(server.address)
    assert answer.status_code == 303
    assert "token" not in answer.headers["location"]
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_other_hosts_and_other_origins_are_refused(
    client: httpx.Client, server: Server
) -> None:
    """Neither a foreign name that points here nor a form of another page."""
    assert client.get(server.base, headers={"host": "evil.example"}).status_code == 403
    for origin in ("http://evil.example", "null"):
        assert (
            client.post(server.base + "demo", headers={"origin": origin}).status_code
            == 403
        )


def test_policy_allows_nothing_from_elsewhere(
    client: httpx.Client, server: Server
) -> None:
    """Everything comes from the page itself."""
    policy = client.get(server.base).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy


def test_only_known_files_are_served(client: httpx.Client, server: Server) -> None:
    """A name is looked up, never used as a path."""
    assert client.get(server.base + "static/app.css").status_code == 200
    for path in (
        "static/server.py",
        "static/..%2fserver.py",
        "static/inter-LICENSE.txt",
    ):
        assert client.get(server.base + path).status_code == 404


def read_to_the_end(client: httpx.Client, answer: httpx.Response) -> httpx.Response:
    """While the file is being read a page says so; ask again until it is."""
    for _ in range(600):
        if 'data-reloads="1"' not in answer.text:
            return answer
        time.sleep(0.2)
        answer = client.get(answer.url)
    raise AssertionError("the file was never read")


def test_bad_uploads_get_one_sentence(client: httpx.Client, server: Server) -> None:
    """It names the file as the user knows it, not where it lies here."""
    for name, body in (("a.csv", b""), ("b.xyz", b"1"), ("c.csv", b"x,x\n1,2\n")):
        answer = read_to_the_end(
            client, client.post(server.base + "load", files={"file": (name, body)})
        )
        assert answer.status_code == 422, name
        assert name in answer.text
        assert str(server.folder) not in answer.text
    assert (
        client.post(server.base + "load", files={"file": ("", b"")}).status_code == 400
    )


def test_markup_in_names_and_cells_is_text(
    client: httpx.Client, server: Server
) -> None:
    """Nothing of a file is ever run."""
    name = "<img src=x onerror=alert(1)>.csv"
    body = b"<script>alert(1)</script>,b\n" + b"\n".join(
        b"<b>%d</b>,%d" % (i, i * i) for i in range(30)
    )
    answer = read_to_the_end(
        client, client.post(server.base + "load", files={"file": (name, body)})
    )
    assert answer.status_code == 200
    address = str(answer.url).rpartition("/")[0]
    for page in ("data", "roles", "protect", "compare", "release"):
        text = client.get(f"{address}/{page}").text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "<b>1</b>" not in text


def test_a_late_preview_does_not_put_the_old_plan_back(
    client: httpx.Client, server: Server
) -> None:
    """The page that added a step is gone when its last preview reaches the server."""
    address = str(
        read_to_the_end(client, client.post(server.base + "demo")).url
    ).rpartition("/")[0]
    page = client.get(f"{address}/protect").text
    values = {
        name: re.search(f'name="{name}"[^>]*value="([^"]*)"', page)[1]
        for name in ("version", "tab")
    }
    form = values | {"s0.method": "microaggregation", "s0.p.k": "5"}
    client.post(f"{address}/preview", data=form)  # typed: this tab is the editor
    client.post(f"{address}/protect", data=form | {"do": "add", "add": "noise"})
    late = client.post(f"{address}/preview", data=form | {"s0.p.k": "7"})
    assert "changed in another tab" in late.text
    assert 'name="s1.method"' in client.get(f"{address}/protect").text


@pytest.mark.slow
def test_size_limit_and_clean_exit(tmp_path: Path) -> None:
    """A file that is too large is refused; at the end nothing is left."""
    server = start(tmp_path, "--limit", "1")
    try:
        wait_until_up(server)
        folders = list(tmp_path.glob("tacit-app-*"))
        assert len(folders) == 1
        assert stat.S_IMODE(folders[0].stat().st_mode) == 0o700
        with httpx.Client(follow_redirects=True, timeout=120) as client:
            client.get(server.address)
            big = client.post(
                server.base + "load",
                files={"file": ("big.csv", b"a\n" + b"1\n" * 2_000_000)},
            )
            assert big.status_code == 413
            small = client.post(
                server.base + "load",
                files={"file": ("small.csv", b"a,b\n" + b"1,2\n3,4\n" * 50)},
            )
            assert small.status_code == 200
        assert any(folders[0].iterdir())
    finally:
        stop(server)
    assert list(tmp_path.glob("tacit-app-*")) == []


def test_settings() -> None:
    """Addresses, tokens, and a port that is taken."""
    assert Settings(token="x", port=9).address == "http://127.0.0.1:9/?token=x"
    assert Settings().token != Settings().token
    assert Settings(host="0.0.0.0").names == ()
    port = free_port("127.0.0.1", 0)
    assert port > 0
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ParameterError, match="--port"):
            free_port("127.0.0.1", taken.getsockname()[1])


def test_workspace_names_are_made_up() -> None:
    """A suffix cannot lead out of the directory."""
    space = Workspace()
    path = space.new(".csv/../../etc/passwd")
    assert path.parent == space.path
    assert os.sep not in path.name
    space.close()
    assert not space.path.exists()


def until(true: Callable[[], bool]) -> None:
    """Wait for it, a minute at most: the machine may be busy."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


@pytest.mark.slow
def test_the_token_is_not_on_the_browsers_command_line(tmp_path: Path) -> None:
    """Other users read command lines: what stands there is a file that they cannot read."""
    record = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\necho "$@" > {record}.new; mv {record}.new {record}\n'
    )
    browser.chmod(0o755)
    server = start(tmp_path, browser=str(browser))
    try:
        wait_until_up(server)
        until(record.exists)
        opened = record.read_text().strip()
        assert server.token not in opened
        door = Path(unquote(urlsplit(opened).path))
        assert stat.S_IMODE(door.stat().st_mode) == 0o600
        assert server.token in door.read_text()
    finally:
        stop(server)
    assert not door.exists()


@pytest.mark.slow
def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """Originals do not stay; the place of a server that lives does."""
    killed = start(tmp_path)
    wait_until_up(killed)
    killed.process.kill()
    killed.process.wait()
    left = set(tmp_path.glob("tacit-app-*"))
    assert len(left) == 1
    servers = [start(tmp_path) for _ in range(2)]
    try:
        for server in servers:
            wait_until_up(server)
        now = set(tmp_path.glob("tacit-app-*"))
        assert len(now) == 2
        assert not left & now
    finally:
        for server in servers:
            stop(server)


def asked(settings: Settings, **headers: str) -> Request:
    """A request to the start page, as the web server hands it on."""
    pairs = {"host": f"127.0.0.1:{settings.port}", **headers}
    raw = [
        (name.replace("_", "-").encode(), text.encode()) for name, text in pairs.items()
    ]
    scope = {"type": "http", "method": "POST", "path": "/demo", "headers": raw}
    return Request(scope | {"query_string": b"", "scheme": "http"})


def test_the_token_is_compared_whole_and_in_constant_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the one function that takes as long for a wrong first letter as for a wrong last."""
    settings = Settings(token="a-token-of-some-length")
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, right: bytes) -> bool:
        compared.append((given, right))
        return given == right

    monkeypatch.setattr(security.hmac, "compare_digest", compare)
    guard = security.Guard(lambda *_: None, settings)
    for given in ("", "a", settings.token[:-1], settings.token + "x", settings.token):
        request = asked(settings, cookie=f"{settings.cookie}={given}")
        answer = guard.answer(request)
        assert (answer is None) == (given == settings.token)
        assert compared.pop() == (given.encode(), settings.token.encode())
        assert compared == []


def test_names_are_compared_letter_by_letter() -> None:
    """Hosts and origins that look like ours are not ours."""
    settings = Settings(token="", port=9)
    guard = security.Guard(lambda *_: None, settings)
    for host in ("localhost:9", "127.0.0.1", "[::1]:9", "LOCALHOST:9"):
        assert guard.answer(asked(settings, host=host)) is None
        assert guard.answer(asked(settings, host=host, origin=f"http://{host}")) is None
        for origin in (
            "null",
            f"http://{host}.evil",
            f"http://evil@{host}",
            "http://[",
        ):
            assert guard.answer(asked(settings, host=host, origin=origin)) is not None
    for host in (
        "localhost.",
        "[::1",
        "127.0.0.1:9@evil",
        "evil",
        "",
        "[::2]",
        "127.1",
    ):
        assert guard.answer(asked(settings, host=host)) is not None


def test_a_body_is_counted_as_it_is_read() -> None:
    """Whatever was announced: what comes after the limit is not taken."""
    settings = Settings(token="", limit_mb=1)
    taken: list[int] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            taken.append(len(message["body"]))

    async def endless() -> Message:
        return {"type": "http.request", "body": bytes(400_000), "more_body": True}

    guard = security.Guard(page, settings)
    scope = asked(settings).scope | {"path": "/load"}
    # in a thread of its own: the browser of other tests has a loop in this one
    with ThreadPoolExecutor(1) as thread, pytest.raises(HTTPException) as stopped:
        thread.submit(asyncio.run, guard(scope, endless, endless)).result()
    assert stopped.value.status_code == 413
    assert sum(taken) <= 1_100_000


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("survey.csv", "survey.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\survey.csv", "survey.csv"),
        ("a\r\nX: 1.csv", "a\ufffd\ufffdX: 1.csv"),
        ("gpj.\u202evsc.csv", "gpj.\ufffdvsc.csv"),
        ("a\x00b.csv", "a\ufffdb.csv"),
        ("a" * 5000 + ".csv", "a" * 120 + ".csv"),
        ("..", "file"),
        ("/", "file"),
        ("Zürich 東京.csv", "Zürich 東京.csv"),
    ],
)
def test_a_name_is_a_name(given: str, shown: str) -> None:
    """Never a path, and nothing in it that is not seen."""
    assert shown_name(given) == shown
