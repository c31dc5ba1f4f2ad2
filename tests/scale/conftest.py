"""Sessions of Spark: in this process (local), and a real master with two workers (standalone)."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.scale.engine import Spark
from tacit.scale.engine.standalone import standalone

LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # a test lives too short for the compiler of the JVM to pay
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture
def local(monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    yield Spark("local[2]", LOCAL)
    _stop_session()


@pytest.fixture
def settings():
    """Settings of a session of ``cluster``."""
    return LOCAL | {"spark.executor.memory": "800m", "spark.cores.max": "2"}


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A master and two workers of one core each, in processes of their own."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    with standalone(tmp_path / "spark") as started:
        yield started
        _stop_session()


def _stop_session():
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
    # a session of another thread, or of a test that failed, would give the next one its master
    context = SparkContext._active_spark_context
    if context is not None:
        context.stop()


@pytest.fixture
def files(tmp_path):
    """Writes an original in two files with another column, and a masked file."""

    def write(n):
        rng = np.random.default_rng(3)
        x = rng.uniform(size=(n, 2))
        (tmp_path / "in").mkdir()
        for part, rows in enumerate(np.array_split(np.arange(n), [n // 3])):
            whole = pa.table(
                {"a": x[rows, 0], "b": x[rows, 1], "note": [f"r{i}" for i in rows]}
            )
            pq.write_table(whole, tmp_path / "in" / f"part-{part}.parquet")
        y = x + 0.002 * rng.normal(size=x.shape)
        pq.write_table(
            pa.table({"a": y[:, 0], "b": y[:, 1]}), tmp_path / "masked.parquet"
        )
        return tmp_path / "in", tmp_path / "masked.parquet"

    return write
