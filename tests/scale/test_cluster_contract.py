"""Every registered protector on a master with two workers gives the bytes of memory.

And a worker that is killed (a spot instance that is lost) changes nothing but the time.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from contract.test_any_size import masked, same, written
from scale.conftest import LOCAL, _stop_session
from scale.test_any_size import table
from scale.test_resume import begin, killed_after, words
from tacit import scale as large
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.pieces import mapped_by
from tacit.plan.plan import Plan
from tacit.protect import registry
from tacit.scale import any_size
from tacit.scale.engine import Spark
from tacit.scale.engine.standalone import Standalone, standalone

pytestmark = [pytest.mark.needs("java"), pytest.mark.slow]
SETTINGS = LOCAL | {"spark.executor.memory": "800m", "spark.cores.max": "2"}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """One master with two workers for all methods."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # one that the tests before have left would keep its master
    _stop_session()
    with standalone(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster
        _stop_session()
    del os.environ["SPARK_LOCAL_IP"]


@pytest.mark.parametrize("name", registry)
def test_two_workers_give_the_bytes_of_memory_for_20_000_records(
    name: str, started: Standalone, tmp_path: Path
) -> None:
    file = written(tmp_path / "in.parquet", 20_000, 7000)
    memory = masked(name, {}, io.read(file))
    with mapped_by(Spark(started.url, SETTINGS).map):
        same(masked(name, {}, OnDisk.open(file, tmp_path)), memory)


METHODS = {
    "sort-based": '[[steps]]\nmethod = "rank_swapping"\np = 5\ncolumns = ["income", "age"]',
    "group-based": '[[steps]]\nmethod = "local_suppression"\nk = 3\ncolumns = ["age", "sex"]',
    "both": (
        '[[steps]]\nmethod = "rank_swapping"\np = 5\ncolumns = ["income", "age"]\n'
        '[[steps]]\nmethod = "local_suppression"\nk = 3\ncolumns = ["age", "sex"]'
    ),
}


@pytest.mark.parametrize("kind", METHODS)
def test_a_worker_lost_in_the_middle_changes_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pieces, "PIECE", 4096)
    pq.write_table(table(60_000), "in.parquet", row_group_size=5000)
    plan = Plan.from_toml(METHODS[kind]).seeded(5)
    roles = {
        "quasi": ["income", "age", "sex"],
        "confidential": "debt",
        "identifier": "name",
    }
    how = {"allow_unprotected": True, **roles}
    large.release(plan, "in.parquet", "memory.parquet", **how)  # type: ignore[arg-type]
    _stop_session()
    with standalone(tmp_path / "spark") as cluster:
        engine = Spark(cluster.url, SETTINGS)
        monkeypatch.setattr(any_size, "engine_of", lambda _: engine)
        killed = threading.Event()

        def lose_one() -> None:
            # as soon as a piece is on the disk, the first worker and its executor are gone
            while not list(tmp_path.glob(".tacit-work-*/columns-*.arrow")):
                time.sleep(0.01)
            os.killpg(cluster.workers[0].pid, signal.SIGKILL)
            killed.set()

        threading.Thread(target=lose_one, daemon=True).start()
        large.release(plan, "in.parquet", "spark.parquet", engine="spark", **how)  # type: ignore[arg-type]
        assert killed.is_set()
        _stop_session()
    assert Path("spark.parquet").read_bytes() == Path("memory.parquet").read_bytes()
    assert isinstance(io.read("spark.parquet"), Microdata)


@pytest.mark.parametrize("kind", ["sort-based", "group-based"])
def test_a_killed_driver_goes_on_with_the_same_bytes(
    kind: str, started: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command and its Java, by SIGKILL, after the first finished piece; then --resume."""
    monkeypatch.chdir(tmp_path)
    _stop_session()
    pq.write_table(table(20_000), "in.parquet", row_group_size=5000)
    assert begin(*words(kind), "a.parquet").wait() == 0
    submit = " ".join(f"--conf '{key}={value}'" for key, value in SETTINGS.items())
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{submit} pyspark-shell")
    asked = [*words(kind), "b.parquet", "--resume", "--engine", started.url]
    killed_after(tmp_path / "b.parquet.work", 1, *asked)
    assert not Path("b.parquet").exists()
    assert begin(*asked).wait() == 0
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
