"""The driver of a cluster run: its memory does not grow with the data, and it may die and go on."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import scale as large

pytestmark = [pytest.mark.needs("java"), pytest.mark.slow]

HEAP = 512  # megabytes; Spark wants no less than 450
PROGRAM = """
import json, sys
from tacit import scale as large
from tacit.scale import protect_cluster as cluster
group, source, out, master, *more = sys.argv[1:]
cluster.GROUP = int(group)
how = {"parameters": {"k": 3}, "columns": ["a", "b"], "engine": master}
print(json.dumps(large.protect(source, out, resume="--resume" in more, **how).to_dict()))
"""


class Driver:
    """Blocks on a cluster from a process of its own; its JVM is its child."""

    def __init__(self, cluster, settings, source, out, *more, group=10**9):
        submit = " ".join(f"--conf '{key}={value}'" for key, value in settings.items())
        environment = os.environ | {
            "PYTHONPATH": str(Path(large.__file__).parents[2]),
            "PYSPARK_SUBMIT_ARGS": f"--driver-memory {HEAP}m {submit} pyspark-shell",
        }
        command = [
            sys.executable,
            "-c",
            PROGRAM,
            str(group),
            str(source),
            str(out),
            cluster.url,
            *more,
        ]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True
        )
        self.jvm = 0

    def watch(self, until=lambda: False):
        """Wait for the end, or for ``until``; remember the most memory that the JVM had."""
        while self.process.poll() is None and not until():
            self.jvm = max(
                [self.jvm, *(_peak(child) for child in _children(self.process.pid))]
            )
            time.sleep(0.05)

    def result(self):
        self.watch()
        out = self.process.stdout.read()
        assert self.process.returncode == 0, out
        return json.loads(out)


def _children(pid):
    out = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (
                int(re.search(r"PPid:\s+(\d+)", (entry / "status").read_text())[1])
                == pid
            ):
                out.append(int(entry.name))
        except (OSError, TypeError):
            continue
    return out


def _peak(pid):
    """Most megabytes that a process has held."""
    try:
        return (
            int(
                re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]
            )
            / 1024
        )
    except (OSError, TypeError):
        return 0


def write(path, n):
    """Two uniform columns, chunk by chunk."""
    with pq.ParquetWriter(
        path, pa.schema([("a", pa.float64()), ("b", pa.float64())])
    ) as writer:
        for part in range(n // 200_000):
            x = np.random.default_rng([7, part]).uniform(size=(200_000, 2))
            writer.write_table(pa.table({"a": x[:, 0], "b": x[:, 1]}))
    return path


def test_driver_memory_stays_flat_while_the_data_grows_twentyfold(
    cluster, settings, tmp_path
):
    found = {}
    for n in (200_000, 1_000_000, 4_000_000):
        driver = Driver(
            cluster,
            settings,
            write(tmp_path / f"{n}.parquet", n),
            tmp_path / f"out-{n}",
        )
        run = driver.result()
        assert run["records"] == n
        found[n] = run["peak_memory"] / 2**20, driver.jvm, sum(run["seconds"].values())
        driver_mb, jvm_mb, seconds = found[n]
        print(
            f"{n:,} records: driver {driver_mb:.0f} MB, its JVM {jvm_mb:.0f} MB, "
            f"{seconds:.0f} s"
        )
    python, jvm = ([found[n][i] for n in found] for i in (0, 1))
    # 3.8 million records more are 61 MB as plain numbers
    assert max(python) - python[0] < 30
    # the heap may fill up to its limit before the JVM tidies it; beyond that nothing grows
    assert max(jvm) < HEAP + 350
    assert max(jvm) - jvm[0] < 150


def test_driver_killed_in_the_middle_goes_on_with_the_same_bytes(
    cluster, settings, tmp_path
):
    source = write(tmp_path / "in.parquet", 200_000)
    here = large.protect(
        source, tmp_path / "here.parquet", parameters={"k": 3}, columns=["a", "b"]
    )
    out, work = tmp_path / "there", tmp_path / "there.work"
    first = Driver(cluster, settings, source, out, group=34_000)  # three groups
    first.watch(until=lambda: (work / "group-0.done").exists())
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert not out.exists()
    done = [g for g in range(3) if (work / f"group-{g}.done").exists()]
    assert 1 <= len(done) < 3
    before = _written(work, done)
    again = Driver(
        cluster, settings, source, out, "--resume", group=10**9
    )  # the groups are those of the first run
    kept = []
    again.watch(
        until=lambda: (
            kept.append(_written(work, done)) or not (work / "tree.npz").exists()
        )
    )
    run = again.result()
    assert run["digest"] == here.digest
    assert run["resumed_bins"] == len(done)
    assert before
    assert all(
        seen.items() <= before.items() for seen in kept
    )  # never written again, only removed at the end
    assert not work.exists()


def _written(work, groups):
    """Name and time of every file of finished groups."""
    out = {}
    for group in groups:
        for file in (work / f"group-{group}").glob("*.parquet"):
            try:
                out[file.name] = file.stat().st_mtime_ns
            except OSError:
                continue
    return out
