"""A real server in a process of its own, and chromium to look at it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

PATIENCE = int(os.environ.get("TACIT_PATIENCE", "400000"))
"""Milliseconds: a busy machine is slow, which is not what these tests are about."""


@dataclass
class Server:
    """A server that runs, and where its temporary files are."""

    address: str
    process: subprocess.Popen[str]
    folder: Path

    @property
    def base(self) -> str:
        """The address without its token."""
        return self.address.partition("?")[0]

    @property
    def token(self) -> str:
        """What lets its holder in."""
        return self.address.partition("token=")[2]


def start(folder: Path, *options: str, browser: str = "") -> Server:
    """`tacit app` as a user starts it, with this program as browser or without one.

    Its temporary files go to `folder`, so that tests can look at them.
    """
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    if browser:
        environment["BROWSER"] = browser
    else:
        options = ("--no-browser", *options)
    source = str(Path(__file__).parents[2] / "src")
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [source, environment.get("PYTHONPATH", "")])
    )
    command = [
        sys.executable,
        "-m",
        "tacit",
        "app",
        "--port",
        "0",
        *options,
    ]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    address = re.search(r"http://\S+", line)
    assert address, line
    return Server(address.group(), process, folder)


def stop(server: Server) -> int:
    """End the server as a user does; its exit code."""
    # as Ctrl-C does, so that the server removes its files
    server.process.send_signal(signal.SIGINT)
    try:
        return server.process.wait(30)
    except subprocess.TimeoutExpired:
        server.process.kill()
        raise


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests: its start takes seconds."""
    made = start(tmp_path_factory.mktemp("app"))
    wait_until_up(made)
    yield made
    stop(made)


def wait_until_up(server: Server) -> None:
    """Ask until it answers."""
    # a minute: a busy machine takes long to import
    for _ in range(600):
        try:
            httpx.get(server.base, timeout=5)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not come up")


@pytest.fixture
def context(browser, server: Server) -> Iterator[object]:
    """A fresh profile that has opened the printed address.

    Any request to elsewhere, or any script error, fails the test.
    """
    made = browser.new_context(
        viewport={"width": 1280, "height": 860}, accept_downloads=True
    )
    made.set_default_timeout(PATIENCE)
    problems: list[str] = []
    made.on(
        "request",
        lambda r: (
            r.url.startswith((server.base, "data:", "blob:")) or problems.append(r.url)
        ),
    )
    made.on("weberror", lambda e: problems.append(str(e.error)))
    page = made.new_page()
    page.goto(server.address)
    yield made
    made.close()
    assert problems == []


@pytest.fixture
def page(context) -> object:
    """The first tab."""
    return context.pages[0]


def load_demo(page) -> str:
    """Load the demo data; the address of the project."""
    page.click("#demo")
    page.wait_for_selector("table.raw")
    return page.url.rpartition("/")[0]


def wait_for_runs(page, number: int) -> None:
    """Wait until so many plans have ended and nothing runs."""
    page.wait_for_selector(f"#live tbody tr:nth-child({number})")
    page.wait_for_selector("#progress", state="hidden")


def choose(page) -> None:
    """Make the newest plan the release: one that is not safe is never chosen by itself."""
    if page.query_selector("tr.chosen") is None:
        page.click("button:has-text('Make it the release') >> nth=0")
        page.wait_for_selector("tr.chosen")


def keep_steps(page, number: int = 0) -> None:
    """Take away the steps of the plan after the first `number`, one by one.

    A click returns before its answer has come. Whoever looks at once sees the page that
    is being left: it waits for the protect page first, and for each step to be gone.
    """
    page.wait_for_url("**/protect")
    page.wait_for_selector("#add")
    steps = page.locator("[aria-label^='Remove step']").count()
    for last in range(steps, number, -1):
        page.click(f"[aria-label='Remove step {number + 1}']")
        page.wait_for_selector(f"[aria-label='Remove step {last}']", state="detached")
