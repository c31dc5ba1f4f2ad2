"""What a cluster costs a record: a Spark master and two workers on this machine, against threads in
process.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from bench.row import Row
from tacit import scale as large
from tacit.scale.engine import Spark
from tacit.scale.engine.standalone import standalone

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.cores.max": "2",
    "spark.sql.shuffle.partitions": "8",
}
SIZES = (200_000, 1_000_000)


class Meter:
    """CPU seconds of this process and of everything below it (executors and their Python workers
    too), sampled.
    """

    def __init__(self) -> None:
        self.most: dict[tuple[int, float], float] = {}
        self.stop = threading.Event()

    def look(self) -> float:
        me = psutil.Process()
        for process in [me, *me.children(recursive=True)]:
            try:
                with process.oneshot():
                    used, key = (
                        process.cpu_times(),
                        (process.pid, process.create_time()),
                    )
                self.most[key] = max(self.most.get(key, 0.0), used.user + used.system)
            except psutil.Error:
                continue
        return sum(self.most.values())

    def run(self) -> None:
        while not self.stop.wait(0.2):
            self.look()


@contextmanager
def metered() -> Iterator[Meter]:
    meter = Meter()
    meter.look()
    thread = threading.Thread(target=meter.run, daemon=True)
    thread.start()
    yield meter
    meter.stop.set()
    thread.join()


def write(path: Path, n: int) -> Path:
    x = np.random.default_rng(n).normal(size=(n, 5))
    pq.write_table(pa.table(list(x.T), names=[f"x{j}" for j in range(5)]), path)
    return path


def rows(full: bool) -> list[Row]:
    """CPU and wall seconds of one run more of a running session; the slope between two sizes is the
    cost a record.
    """
    name = "Spark, two workers of one core, 5 columns, k=3, L=10,000"
    if not full or shutil.which("java") is None:
        return []
    found: dict[str, list[tuple[float, float]]] = {"spark": [], "threads": []}
    with (
        TemporaryDirectory() as folder,
        standalone(Path(folder) / "spark") as cluster,
        metered() as meter,
    ):
        engines = {"spark": Spark(cluster.url, SETTINGS), "threads": None}
        for n in (
            50_000,
            *SIZES,
        ):  # the first warms up: executors start, kernels are loaded
            source = write(Path(folder) / f"{n}.parquet", n)
            for what, engine in engines.items():
                before = meter.look(), time.perf_counter()
                large.protect(
                    source,
                    Path(folder) / f"{what}-{n}",
                    parameters={"k": 3},
                    leaf=10_000,
                    engine=engine,
                )
                found[what].append(
                    (meter.look() - before[0], time.perf_counter() - before[1])
                )
        engines["spark"].session().stop()
    out = []
    for what, (first, small, big) in found.items():
        cpu, wall = ((big[i] - small[i]) / (SIZES[1] - SIZES[0]) * 1e6 for i in (0, 1))
        note = (
            f"{cpu:.1f} CPU microseconds and {wall:.1f} wall a record; a run costs "
            f"{small[0] - cpu * SIZES[0] / 1e6:.1f} CPU seconds besides, the first {first[0]:.0f}"
        )
        out.append(
            Row(
                f"{name if what == 'spark' else 'threads, the same'}, {SIZES[1]:,}",
                big[1],
                note=note,
            )
        )
    return out
