"""Spark: the same bytes as in process; a real standalone cluster; a worker killed in the middle."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tacit import scale as large
from tacit.scale import protect_cluster as run_on_cluster
from tacit.scale.engine import Spark, seed_of
from tacit.scale.source_cluster import SparkSource

pytestmark = [
    pytest.mark.needs("java"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

KEEP = {"parameters": {"k": 3}, "columns": ["a", "b"], "leaf": 1500}


@pytest.mark.slow
def test_local_master_gives_the_same_bytes(local, files, tmp_path):
    source, _ = files(4000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    there = large.protect(source, tmp_path / "there.parquet", engine=local, **KEEP)
    assert there.digest == here.digest
    assert there.loss == here.loss
    assert pq.read_table(tmp_path / "there.parquet").equals(
        pq.read_table(tmp_path / "here.parquet")
    )
    assert not (tmp_path / "there.parquet.work").exists()
    # the notes are all different, as identifiers are
    assert pq.read_table(tmp_path / "there.parquet").column_names == ["a", "b"]
    # every record of both files has the number of its place
    numbered = SparkSource(local.session(), str(source)).numbered()
    rows = numbered.select("row", "note").toArrow().sort_by("row")
    assert rows["row"].to_pylist() == list(range(4000))
    assert rows["note"].to_pylist() == [f"r{i}" for i in range(4000)]


@pytest.mark.slow
def test_assignment_over_blocks_is_priced_on_the_cluster(local, files, tmp_path):
    source, masked = files(1500)
    request = {"attacker": "assignment", "leaf": 300, "columns": ["a", "b"]}
    here = large.link(source, masked, **request)
    there = large.link(source, masked, engine=local, out=tmp_path / "l", **request)
    assert there.blocks > 3
    assert there.certified
    assert there.digest == here.digest
    assert (there.cost, there.bound) == (here.cost, here.bound)


@pytest.mark.slow
def test_map_spreads_items_and_skips_finished_ones(local):
    def draw(block):  # a local function travels by value
        return (
            np.random.default_rng(seed_of(7, block)).integers(0, 10**9, size=3).tolist()
        )

    assert dict(local.map(draw, range(3), done={1})) == {0: draw(0), 2: draw(2)}


@pytest.mark.slow
def test_standalone_cluster_gives_the_same_bytes_for_every_treatment(
    cluster, settings, files, tmp_path, monkeypatch
):
    engine = Spark(cluster.url, settings)
    source, masked = files(6000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    monkeypatch.setattr(run_on_cluster, "GROUP", 1250)
    seen = []
    tell = {
        "progress": lambda *a: seen.append(a),
        "drop": [],
    }  # the notes look like identifiers
    there = large.protect(source, tmp_path / "there", engine=engine, **tell, **KEEP)
    assert there.digest == here.digest
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert pq.read_table(tmp_path / "there").column("note").to_pylist() == [
        f"r{i}" for i in range(6000)
    ]
    for attacker in ("nearest", "assignment"):
        request = {"attacker": attacker, "leaf": 400, "columns": ["a", "b"]}
        one = large.link(source, masked, blocks="orthtree", **request)
        two = large.link(
            source, masked, engine=engine, out=tmp_path / attacker, **request
        )
        assert two.digest == one.digest
        assert two.correct == pytest.approx(one.correct)
        assert two.apart == one.apart
        assert two.exact


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing(
    cluster, settings, files, tmp_path, monkeypatch
):
    engine = Spark(cluster.url, settings)
    source, _ = files(300_000)
    here = large.protect(source, tmp_path / "here.parquet", **KEEP)
    started, result = threading.Event(), []
    keep = run_on_cluster.with_block
    monkeypatch.setattr(
        run_on_cluster, "with_block", lambda *a: (started.set(), keep(*a))[1]
    )
    run = threading.Thread(
        target=lambda: result.append(
            large.protect(source, tmp_path / "there", engine=engine, **KEEP)
        )
    )
    run.start()
    assert started.wait(300)
    time.sleep(2)
    assert run.is_alive()
    os.killpg(cluster.workers[0].pid, signal.SIGKILL)
    for child in _executors(cluster.folder / "worker-1"):
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
