"""Apache Spark: the engine for files that are on a cluster.

``map`` spreads items over the executors (one task per item). Runs over the records of a file
use the session to group records by block with ``applyInArrow``, so that records never pass
through the driver. A task that is lost with its worker is run again by Spark; since work
depends on its item alone, that changes nothing but the time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.base.errors import InputError, MissingExtra, TacitError
from tacit.base.spark_tasks import spread
from tacit.scale.engine.base import (
    Cancel,
    Item,
    ItemsDone,
    Reach,
    Result,
    check_cancel,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # no web page and no progress bar: nobody asked for them
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # a task costs what its blocks cost, which Spark cannot see from their bytes: it must
    # not join small partitions into one
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    # records that go to Python at a time; the default of 10,000 means more calls
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # a task may be lost with its worker several times before the run is given up
    "spark.task.maxFailures": "8",
}
# Hive and Spark keep the names of tables there, from one session to the next
CATALOG = {"spark.sql.catalogImplementation": "hive"}
TASKS_PER_CORE = 4
"""Tasks of a wave or of a shuffle: a few for every core, so that slow ones even out."""


@dataclass(frozen=True)
class Spark:
    """A Spark master and further settings of its session.

    Executors need Python with tacit installed; ``PYSPARK_PYTHON`` names the interpreter
    (by default this one).

    Parameters
    ----------
    master : str
        The master's address: ``spark://host:7077``, ``yarn``, ``local[2]``, ...
    settings : dict
        Settings of the session, which win over those of tacit.
    """

    master: str = "local[2]"
    settings: dict[str, str] = field(default_factory=dict)
    name: ClassVar[str] = "spark"
    reach: ClassVar[Reach] = "cluster"

    @property
    def number(self) -> int:
        """Items in the memory of this process: the driver works on one at a time."""
        return 1

    def session(self) -> SparkSession:
        """The session of this master; one per process, started on first use."""
        try:
            from py4j.protocol import Py4JError
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtra("pyspark", "spark", "a cluster run") from None
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        ours = {
            # executors on this machine find the same tacit and the same compiled kernels
            "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[3]),
            "spark.executorEnv.NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""),
        }
        builder = SparkSession.builder.master(self.master).appName("tacit")
        for key, value in (SETTINGS | ours | self.settings).items():
            if value:
                builder = builder.config(key, value)
        try:
            spark = builder.getOrCreate()
        except Py4JError as error:
            reason = str(getattr(error, "java_exception", error)).splitlines()[0]
            raise TacitError(f"{self.master}: Spark did not start ({reason})") from None
        # one process has one session: another master's would be used without a word
        running = spark.sparkContext.master
        if running != self.master:
            raise TacitError(
                f"{self.master}: this process has a session of {running} already; "
                "stop that one first (spark.stop()), or name its master"
            )
        spark.sparkContext.setLogLevel("ERROR")
        return spark

    def table(self, name: str) -> Any:
        """A table of the catalog, as a DataFrame."""
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtra("pyspark", "spark", "a table of a catalog") from None
        running = SparkSession.getActiveSession()
        own = self if running else Spark(self.master, CATALOG | self.settings)
        try:
            return own.session().table(name)
        except PySparkException as error:
            # what Spark says, without its trace
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(f"table:{name}: {reason}") from None

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        progress: ItemsDone | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Result]]:
        """(place, result) as items finish.

        Results come back through the driver: keep them small (a path, a count), and the
        records in files.
        """
        total = len(items)
        waiting = [place for place in range(total) if place not in done]
        finished = total - len(waiting)
        check_cancel(cancel, finished, total)
        if not waiting:
            return
        spark = self.session()

        wave = TASKS_PER_CORE * int(spark.sparkContext.defaultParallelism)
        # between waves progress is told and a cancel is heard
        for first in range(0, len(waiting), wave):
            check_cancel(cancel, finished, total)
            places = waiting[first : first + wave]
            for place, result in spread(spark, work, items, places):
                finished += 1
                if progress:
                    progress(finished, total)
                yield place, result
