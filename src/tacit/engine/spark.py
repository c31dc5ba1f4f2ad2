"""Apache Spark: the engine for files that are on a cluster.

``map`` spreads items over the executors (one task an item). Runs over records (``tacit.large``) use the session to
group records by block with ``applyInArrow``, so that records never pass through the driver. A task that is lost with
its worker is run again by Spark; since work depends on its item alone, that changes nothing but the time.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.engine.base import Cancel, Progress, check_cancel
from tacit.errors import MissingExtra, TacitError


@dataclass(frozen=True)
class Spark:
    """A Spark master (``spark://host:7077``, ``yarn``, ``local[2]``) and further settings of the session.

    Executors need Python with tacit installed; ``PYSPARK_PYTHON`` names the interpreter (by default this one).
    """

    master: str = "local[2]"
    settings: dict[str, str] = field(default_factory=dict)
    name = "spark"

    def session(self) -> Any:
        """The session of this master; one per process, started on first use."""
        try:
            from py4j.protocol import Py4JError
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtra("pyspark", "spark", "a cluster run") from None
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master(self.master).appName("tacit")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
            "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[2]),
            "spark.executorEnv.NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""),
            "spark.task.maxFailures": "8",
            **self.settings,
        }
        for key, value in settings.items():
            if value:
                builder = builder.config(key, value)
        try:
            spark = builder.getOrCreate()
        except Py4JError as error:
            reason = str(getattr(error, "java_exception", error)).splitlines()[0]
            raise TacitError(f"{self.master}: Spark did not start ({reason})") from None
        spark.sparkContext.setLogLevel("ERROR")
        return spark

    def map(
        self,
        work: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Any]]:
        """Results come back through the driver: keep them small (a path, a count), and the records in files."""
        import pyarrow as pa

        todo = [place for place in range(len(items)) if place not in done]
        finished = len(items) - len(todo)
        check_cancel(cancel, finished, len(items))
        if not todo:
            return
        spark = self.session()

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for place, item in zip(batch["place"].to_pylist(), batch["item"].to_pylist(), strict=True):
                    result = pickle.dumps(work(pickle.loads(item)))
                    yield pa.RecordBatch.from_pydict({"place": [place], "result": [result]})

        wave = 4 * int(spark.sparkContext.defaultParallelism)
        for first in range(0, len(todo), wave):  # between waves progress is told and a cancel is heard
            check_cancel(cancel, finished, len(items))
            places = todo[first : first + wave]
            table = [(place, bytearray(pickle.dumps(items[place]))) for place in places]
            frame = spark.createDataFrame(table, "place long, item binary").repartition(len(places), "place")
            for row in frame.mapInArrow(run, "place long, result binary").collect():
                finished += 1
                if progress:
                    progress(finished, len(items))
                yield int(row["place"]), pickle.loads(bytes(row["result"]))
