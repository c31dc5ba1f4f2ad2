"""Spark: the same bytes as in process; a real standalone cluster; a worker killed in the middle."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import large
from tacit.engine import Spark, seed_of
from tacit.large import cluster

pytestmark = [pytest.mark.needs("java"), pytest.mark.filterwarnings("ignore::FutureWarning")]

LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # a test lives too short for the compiler of the JVM to pay
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
KEEP = {"parameters": {"k": 3}, "columns": ["a", "b"], "leaf": 1500}


def files(folder, n):
    """An original in two files with another column, and a masked file."""
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(n, 2))
    (folder / "in").mkdir()
    for part, rows in enumerate(np.array_split(np.arange(n), [n // 3])):
        whole = pa.table({"a": x[rows, 0], "b": x[rows, 1], "note": [f"r{i}" for i in rows]})
        pq.write_table(whole, folder / "in" / f"part-{part}.parquet")
    y = x + 0.002 * rng.normal(size=x.shape)
    pq.write_table(pa.table({"a": y[:, 0], "b": y[:, 1]}), folder / "masked.parquet")
    return folder / "in", folder / "masked.parquet"


def stop():
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


@pytest.fixture
def local(monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    yield Spark("local[2]", LOCAL)
    stop()


def test_local_master_gives_the_same_bytes(local, tmp_path):
    _, source = files(tmp_path, 4000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    there = large.protect(source, tmp_path / "there.parquet", engine=local, **KEEP)
    assert there.digest == here.digest
    assert there.loss == here.loss
    assert pq.read_table(tmp_path / "there.parquet").equals(pq.read_table(tmp_path / "here.parquet"))


@pytest.mark.slow
def test_map_spreads_items_and_skips_finished_ones(local):
    def draw(block):  # a local function travels by value
        return np.random.default_rng(seed_of(7, block)).integers(0, 10**9, size=3).tolist()

    assert dict(local.map(draw, range(3), done={1})) == {0: draw(0), 2: draw(2)}


def java(*arguments, log):
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(large.__file__).parents[2]),
    }
    return subprocess.Popen(
        [str(home / "bin" / "spark-class"), *arguments],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def standalone(tmp_path, monkeypatch):
    """A master and two workers of one core each, in processes of their own."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    logs = [open(tmp_path / f"spark-{i}.log", "wb") for i in range(3)]  # noqa: SIM115
    deploy = "org.apache.spark.deploy"
    own = ["--host", "127.0.0.1", "--webui-port", "0"]
    processes = [java(f"{deploy}.master.Master", "--port", str(port), *own, log=logs[0])]
    for i in (1, 2):
        work = ["--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / f"work-{i}")]
        processes.append(java(f"{deploy}.worker.Worker", url, *own, *work, log=logs[i]))
    _wait_for(lambda: (tmp_path / "spark-0.log").read_text().count("Registering worker") >= 2, "two workers")
    yield Spark(url, LOCAL | {"spark.executor.memory": "800m", "spark.cores.max": "2"}), processes
    stop()
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for log in logs:
        log.close()


def _wait_for(condition, what, seconds=300):
    for _ in range(seconds * 5):
        if condition():
            return
        time.sleep(0.2)
    raise AssertionError(f"no {what} after {seconds} s")


@pytest.mark.slow
def test_standalone_cluster_gives_the_same_bytes_for_every_treatment(standalone, tmp_path, monkeypatch):
    engine, _ = standalone
    source, masked = files(tmp_path, 6000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    monkeypatch.setattr(cluster, "GROUP", 2500)
    assert large.protect(source, tmp_path / "there", engine=engine, **KEEP).digest == here.digest
    assert pq.read_table(tmp_path / "there").column("note").to_pylist() == [f"r{i}" for i in range(6000)]
    for attacker in ("nearest", "assignment"):
        request = {"attacker": attacker, "leaf": 400, "columns": ["a", "b"]}
        one = large.link(source, masked, blocks="orthtree", **request)
        two = large.link(source, masked, engine=engine, out=tmp_path / attacker, **request)
        assert two.digest == one.digest
        assert two.correct == pytest.approx(one.correct)
        assert two.apart == one.apart


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing(standalone, tmp_path, monkeypatch):
    engine, processes = standalone
    source, _ = files(tmp_path, 300_000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    started, result = threading.Event(), []
    keep = cluster.with_block
    monkeypatch.setattr(cluster, "with_block", lambda *a: (started.set(), keep(*a))[1])
    run = threading.Thread(
        target=lambda: result.append(large.protect(source, tmp_path / "there", engine=engine, **KEEP))
    )
    run.start()
    assert started.wait(300)
    time.sleep(2)
    assert run.is_alive()
    os.killpg(processes[1].pid, signal.SIGKILL)
    for child in _executors(tmp_path / "work-1"):
        os.kill(child, signal.SIGKILL)
    run.join(600)
    assert result[0].digest == here.digest


def _executors(folder):
    """Executors of a worker: processes whose working directory is below the worker's folder."""
    out = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(os.readlink(entry / "cwd")).startswith(str(folder)):
                out.append(int(entry.name))
        except OSError:
            continue
    return out
