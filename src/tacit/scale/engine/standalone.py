"""A Spark cluster on this machine, to try a cluster run and to test it.

A master and workers run in processes of their own::

    with standalone(Path("spark")) as cluster:
        tc.scale.protect("survey.parquet", "release", engine=Spark(cluster.url))
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

from tacit.base.errors import MissingExtra, TacitError

# nothing listens outside this machine
_HOST = "127.0.0.1"
# seconds until the workers have registered; a loaded machine starts three JVMs slowly
_WAIT = 300
_LOOKS_PER_SECOND = 5


@dataclass(frozen=True)
class Standalone:
    """A running cluster.

    ``folder`` holds the logs (master.log, worker-1.log, ...) and what the workers write
    (worker-1, ...).
    """

    url: str
    folder: Path
    master: subprocess.Popen[bytes]
    workers: tuple[subprocess.Popen[bytes], ...]


@contextmanager
def standalone(
    folder: Path,
    workers: int = 2,
    cores: int = 1,
    memory: str = "1g",
) -> Iterator[Standalone]:
    """Start a master and workers; all end with the block.

    Parameters
    ----------
    folder : Path
        Where logs and the workers' files go.
    workers : int
        How many workers are started.
    cores : int
        Cores of each worker.
    memory : str
        Memory of each worker, as Spark writes it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    url = f"spark://{_HOST}:{port}"
    own = ["--host", _HOST, "--webui-port", "0"]
    size = ["--cores", str(cores), "--memory", memory]
    with ExitStack() as stack:
        master = _start(
            stack, folder / "master.log", "master.Master", "--port", str(port), *own
        )
        started = []
        for i in range(1, workers + 1):
            log = folder / f"worker-{i}.log"
            place = ["--work-dir", str(folder / f"worker-{i}")]
            options = [url, *own, *size, *place]
            started.append(_start(stack, log, "worker.Worker", *options))
        # a job that is sent before the workers are there would wait without saying so
        _wait_for(folder / "master.log", "Registering worker", workers)
        yield Standalone(url, folder, master, tuple(started))


def _start(
    stack: ExitStack,
    log: Path,
    kind: str,
    *arguments: str,
) -> subprocess.Popen[bytes]:
    try:
        import pyspark
    except ImportError:
        raise MissingExtra("pyspark", "spark", "a cluster run") from None
    home = Path(pyspark.__file__).parent
    spark_class = str(home / "bin" / "spark-class")
    environment = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": _HOST,
        "PYSPARK_PYTHON": sys.executable,
    }
    process = subprocess.Popen(
        [spark_class, f"org.apache.spark.deploy.{kind}", *arguments],
        env=os.environ | environment,
        stdout=stack.enter_context(log.open("wb")),
        stderr=subprocess.STDOUT,
        # a group of its own: executors end with their worker
        start_new_session=True,
    )
    stack.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    # killed, not asked: the JVMs would take seconds to end, and nothing of theirs is kept
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _free_port() -> int:
    # port 0: the system chooses one that is free
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _wait_for(
    log: Path,
    words: str,
    times: int,
) -> None:
    for _ in range(_LOOKS_PER_SECOND * _WAIT):
        if log.read_text(errors="replace").count(words) >= times:
            return
        time.sleep(1 / _LOOKS_PER_SECOND)
    raise TacitError(f"{log}: {times} Spark workers did not register within {_WAIT} s")
