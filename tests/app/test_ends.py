"""However the page ends, in the middle of its work: no upload stays, and no worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from app.conftest import Server, start, wait_until_up
from app.test_guard import read_to_the_end, until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="only Linux lists the children"
)


def children(server: Server) -> set[int]:
    """The processes that the page has started, and those that they have."""
    found: set[int] = set()
    new = {server.process.pid}
    while new:
        pid = new.pop()
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            more = {int(word) for word in task.read_text().split()} - found
            found |= more
            new |= more
    return found


def is_alive(pid: int) -> bool:
    """Is there such a process? One that only waits to be noticed is dead."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def begin_work(server: Server) -> None:
    """A file, a run that takes many minutes, and a tab that listens."""
    client = httpx.Client(follow_redirects=True, timeout=120)
    client.get(server.address)
    answer = client.post(server.base + "demo", data={"records": "100000"})
    answer = read_to_the_end(client, answer)
    address = str(answer.url).rpartition("/")[0]
    form = {"s0.method": "microaggregation", "s0.p.k": "3", "depth": "all", "do": "run"}
    client.post(f"{address}/protect", data=form)

    def listen() -> None:
        try:
            with client.stream("GET", f"{address}/events") as news:
                for _ in news.iter_lines():
                    pass
        except httpx.TransportError:
            pass

    threading.Thread(target=listen, daemon=True).start()
    until(lambda: 'id="progress" class="card"' in client.get(f"{address}/compare").text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["SIGTERM", "SIGHUP", pytest.param("SIGINT", marks=pytest.mark.slow)]
)
def test_nothing_stays(tmp_path: Path, name: str) -> None:
    """The end of work, a closed terminal, Ctrl-C."""
    server = start(tmp_path)
    try:
        wait_until_up(server)
        begin_work(server)
        workers = children(server)
        assert len(workers) >= 2
        server.process.send_signal(getattr(signal, name))
        server.process.wait(60)
        until(lambda: not any(is_alive(pid) for pid in workers))
        assert list(tmp_path.glob("tacit-*")) == []
    finally:
        server.process.kill()


# a server whose worker waits for a file that nobody writes, until it is killed
KILLED = """
import os, signal, sys, time
from tacit.app.worker import Job, Worker
if __name__ == "__main__":
    worker = Worker("test")
    worker.submit(Job("catalogue", {})).wait(120)
    worker.submit(Job("load", {"path": sys.argv[1], "name": "a", "limit_mb": 10}))
    time.sleep(0.5)
    print(worker._process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_killed_server_takes_its_workers_along(tmp_path: Path) -> None:
    """They hold originals in memory; one that says nothing would not notice otherwise."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    pipe = tmp_path / "a.xlsx"
    os.mkfifo(pipe)
    command = [sys.executable, str(script), str(pipe)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=180)
    assert ended.returncode == -signal.SIGKILL
    worker = int(ended.stdout)
    try:
        until(lambda: not is_alive(worker))
    finally:
        if is_alive(worker):
            os.kill(worker, signal.SIGKILL)


# the page with a web server that gets the signal before it has taken it over
EARLY = """
import os, signal
from tacit.app import server, settings
server.uvicorn.run = lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM)
server.serve(settings.Settings(), browser=False)
"""


@pytest.mark.slow
def test_a_signal_before_it_serves_leaves_nothing(tmp_path: Path) -> None:
    """Its private folder is there before it answers, and goes with it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", EARLY], env=environment, timeout=120)
    assert ended.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.glob("tacit-*")) == []
