"""A Spark cluster on this machine: a master and workers in processes of their own, to try a cluster run and to test it.

with standalone(Path("spark")) as cluster:
    tc.large.protect("survey.parquet", "release", engine=Spark(cluster.url))
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import MissingExtra, TacitError

_HOST = "127.0.0.1"
_WAIT = 300


@dataclass(frozen=True)
class Standalone:
    """``folder`` holds the logs (master.log, worker-1.log, ...) and what the workers write (worker-1, ...)."""

    url: str
    folder: Path
    master: subprocess.Popen[bytes]
    workers: tuple[subprocess.Popen[bytes], ...]


@contextmanager
def standalone(folder: Path, workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[Standalone]:
    """Start a master and ``workers`` of so many cores and so much memory each; all end with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    url = f"spark://{_HOST}:{port}"
    own = ["--host", _HOST, "--webui-port", "0"]
    size = ["--cores", str(cores), "--memory", memory]
    with ExitStack() as stack:
        master = _start(stack, folder / "master.log", "master.Master", "--port", str(port), *own)
        started = []
        for i in range(1, workers + 1):
            place = ["--work-dir", str(folder / f"worker-{i}")]
            started.append(_start(stack, folder / f"worker-{i}.log", "worker.Worker", url, *own, *size, *place))
        _wait_for(folder / "master.log", "Registering worker", workers)
        yield Standalone(url, folder, master, tuple(started))


def _start(stack: ExitStack, log: Path, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
    try:
        import pyspark
    except ImportError:
        raise MissingExtra("pyspark", "spark", "a cluster run") from None
    home = Path(pyspark.__file__).parent
    process = subprocess.Popen(
        [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments],
        env=os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": _HOST, "PYSPARK_PYTHON": sys.executable},
        stdout=stack.enter_context(log.open("wb")),
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a group of its own: executors end with their worker
    )
    stack.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((_HOST, 0))
        return int(one.getsockname()[1])


def _wait_for(log: Path, words: str, times: int) -> None:
    for _ in range(5 * _WAIT):
        if log.read_text(errors="replace").count(words) >= times:
            return
        time.sleep(0.2)
    raise TacitError(f"{log}: {times} Spark workers did not register within {_WAIT} s")
