"""A real server in a process of its own, and Debian's chromium to look at it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 400_000
"""Milliseconds: a busy machine is slow, which is not what these tests are about."""


@dataclass
class Server:
    address: str
    process: subprocess.Popen[str]
    folder: Path

    @property
    def base(self) -> str:
        return self.address.partition("?")[0]


def start(folder: Path, *options: str) -> Server:
    """`tacit app` as a user starts it; its temporary files go to `folder`, so that tests can look at them."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    source = str(Path(__file__).parents[2] / "src")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [source, environment.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "tacit", "app", "--port", "0", "--no-browser", *options]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, line
    return Server(found.group(), process, folder)


def stop(server: Server) -> int:
    server.process.send_signal(signal.SIGINT)
    try:
        return server.process.wait(30)
    except subprocess.TimeoutExpired:
        server.process.kill()
        raise


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = start(tmp_path_factory.mktemp("app"))
    wait_until_up(made)
    yield made
    stop(made)


def wait_until_up(server: Server) -> None:
    import time

    import httpx

    for _ in range(600):
        try:
            httpx.get(server.base, timeout=5)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not come up")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def context(browser, server: Server) -> Iterator[object]:
    """A fresh profile that has opened the printed address. Any request to elsewhere, or any script error, fails."""
    made = browser.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
    made.set_default_timeout(PATIENCE)
    problems: list[str] = []
    made.on("request", lambda r: r.url.startswith((server.base, "data:", "blob:")) or problems.append(r.url))
    made.on("weberror", lambda e: problems.append(str(e.error)))
    page = made.new_page()
    page.goto(server.address)
    yield made
    made.close()
    assert problems == []


@pytest.fixture
def page(context) -> object:
    return context.pages[0]


def load_demo(page) -> str:
    """Load the demo data; the address of the project."""
    page.click("#demo")
    page.wait_for_selector("table.raw")
    return page.url.rpartition("/")[0]


def wait_for_runs(page, number: int) -> None:
    page.wait_for_selector(f"#live tbody tr:nth-child({number})")
    page.wait_for_selector("#progress", state="hidden")
