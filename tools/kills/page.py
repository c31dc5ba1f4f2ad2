"""`tacit app`, killed while somebody works with it, from its start to the last download.

A visitor uploads a file, gives roles, runs a plan, sweeps a parameter for the comparison, chooses
a release and downloads it, as a browser does: what did not come whole does not get the name. The
server alone is killed, at a random moment of all this. Afterwards its workers must be gone, the
next server must have removed what it held, and a visit that comes to its end must give the bytes
of one that was never disturbed.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from tools.kills.tally import OLD, Tally

#: kills in a row before a visit may come to its end
ROW = 5
#: seconds that a busy machine may take for any one step
PATIENCE = 180
PLAN = {"s0.method": "noise", "s0.p.percent": "20", "s0.seed": "5", "depth": "quick"}
RECORDS = 2000


def page(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """The page's server, killed alone at random moments of a visit."""
    killed = Tally("the page (`tacit app`)")
    whole = Tally(f"the page, a visit to its end after {ROW} kills")
    held = folder / "held"
    held.mkdir()
    out = folder / "release.csv"
    began = time.monotonic()
    server = Server(held)
    visit(server, out)
    seconds = time.monotonic() - began
    wanted = out.read_bytes()
    server.stop()
    _nothing_left(held, killed, "a page that was stopped")
    while killed.times < kills:
        for _ in range(min(ROW, kills - killed.times)):
            out.write_bytes(OLD)
            killed.times += 1
            _one_kill(held, out, seconds * draw.random(), killed)
            killed.look(out, [wanted])
        whole.times += 1
        out.write_bytes(OLD)
        server = Server(held)
        visit(server, out)
        whole.look(out, [wanted])
        server.stop()
        _nothing_left(held, killed, "the page after it was killed")
    yield killed
    yield whole


def _one_kill(held: Path, out: Path, moment: float, tally: Tally) -> None:
    """A visit whose server is killed after so many seconds; what it held goes with the next."""
    before = set(held.iterdir())
    server = Server(held)
    ended: list[str] = []
    is_killed = threading.Event()

    def go() -> None:
        try:
            visit(server, out)
            ended.append("whole")
        except httpx.TransportError:
            ended.append("cut")
        except AssertionError as error:
            # what a server that lives must not do
            ended.append("cut" if is_killed.is_set() else str(error))

    visitor = threading.Thread(target=go)
    visitor.start()
    time.sleep(moment)
    workers = server.workers()
    tally.killed += visitor.is_alive() and server.process.poll() is None
    up = server.is_up
    is_killed.set()
    server.process.kill()
    server.process.wait()
    visitor.join(PATIENCE)
    if visitor.is_alive() or ended not in (["whole"], ["cut"]):
        tally.fault(f"the visit ended with {ended}")
    # one that answered had cleared up before
    if up and before & set(held.iterdir()):
        tally.fault(f"left by the one before: {sorted(before & set(held.iterdir()))}")
    if not _within(lambda: not any(_alive(pid) for pid in workers)):
        tally.fault("a worker outlived its server")


def _nothing_left(held: Path, tally: Tally, what: str) -> None:
    left = sorted(path.name for path in held.iterdir())
    if left:
        tally.fault(f"{what} left {left}")


@dataclass
class Server:
    """A page of its own, whose temporary files go to the folder."""

    held: Path

    def __post_init__(self) -> None:
        command = [sys.executable, "-m", "tacit", "app", "--port", "0", "--no-browser"]
        self.process = subprocess.Popen(
            command,
            env=os.environ | {"TMPDIR": str(self.held), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.is_up = False

    def address(self) -> str:
        """Where it is, once it says so."""
        assert self.process.stdout is not None
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found, "the server says no address"
        return found.group()

    def workers(self) -> list[int]:
        """The processes that it started."""
        found: list[int] = []
        for tasks in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                found += [int(word) for word in tasks.read_text().split()]
            except OSError:
                continue
        return found

    def stop(self) -> None:
        """As a user does."""
        self.process.terminate()
        self.process.wait(PATIENCE)


def visit(server: Server, out: Path) -> None:
    """From the upload to the release; raises when the server is gone."""
    address = server.address()
    base = address.partition("?")[0]
    with httpx.Client(follow_redirects=True, timeout=PATIENCE) as client:
        assert _within(lambda: _answers(client, address, server)), "it never answered"
        server.is_up = True
        answer = client.post(base + "load", files={"file": ("in.csv", _file())})
        while 'data-reloads="1"' in answer.text:
            time.sleep(0.1)
            answer = client.get(answer.url)
        place = str(answer.url).rpartition("/")[0]
        roles = {f"role.{j}": "quasi" for j in range(3)}
        kinds = {f"kind.{j}": "continuous" for j in range(3)}
        client.post(f"{place}/roles", data=roles | kinds)
        # first the method, then its parameters: the form changes with it
        for do in ("save", "run"):
            client.post(f"{place}/protect", data=PLAN | {"do": do})
        _wait_for_run(client, place, 1)
        client.post(f"{place}/sweep", data={"knob": "0.percent", "values": "5 40"})
        _wait_for_run(client, place, 3)
        client.post(f"{place}/choose", data={"run": "1"})
        assert client.get(f"{place}/release").status_code == 200, "no release"
        masked = client.get(f"{place}/download/masked")
        assert masked.status_code == 200, f"download: {masked.status_code}"
    # as browsers do: the name comes when all is there
    part = out.with_suffix(".part")
    part.write_bytes(masked.content)
    part.replace(out)


def _answers(client: httpx.Client, address: str, server: Server) -> bool:
    try:
        return client.get(address).status_code == 200
    except httpx.TransportError:
        if server.process.poll() is not None:
            raise
        return False


def _wait_for_run(client: httpx.Client, place: str, number: int) -> None:
    mark = f'name="run" value="{number}"'
    done = _within(lambda: mark in client.get(f"{place}/compare").text)
    assert done, f"run {number} never ended"


def _within(true: Callable[[], bool]) -> bool:
    """Does it come true in good time?"""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.1)
    return False


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def _file() -> bytes:
    """The records that are uploaded."""
    rng = np.random.default_rng(1)
    lines = ["age,income,hours"]
    for _ in range(RECORDS):
        income = rng.normal(3000, 500)
        lines.append(f"{rng.integers(18, 90)},{income:.2f},{rng.uniform(0, 60):.1f}")
    return "\n".join(lines).encode() + b"\n"
