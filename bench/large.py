"""MDAV without the quadratic wall, and blocks: seconds, growth, memory. The peers' figures are in
their notes.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import Row, cluster
from bench.row import measure_here
from tacit import scale as large
from tacit.kernels.mdav.exact import mdav
from tacit.scale.partition import EqualInterval, KdTree, OrthTree, microaggregate

# : C++ peer (sdcMicro 5.8.1 mdav), Gaussian 100,000 x 10, k = 5, CPU seconds; measured when the
# issue was written
PEER_SECONDS = 58.0


def normal(n: int, d: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def growth(full: bool) -> list[Row]:
    """Exact MDAV of one file, CPU seconds of one thread (what the machine's other users do does not
    count).
    """
    rows = []
    for n in (10_000, 20_000, 50_000, 100_000, *((1_000_000,) if full else ())):
        x = normal(n, 10)
        mdav(x[:500], 5)
        seconds = min(_cpu(x, 5) for _ in range(1 if n > 100_000 else 3))
        peer = PEER_SECONDS if n == 100_000 else None
        note = (
            "CPU seconds of one thread; peer: C++ of sdcMicro, CPU seconds, quadratic"
            if peer
            else "CPU seconds"
        )
        rows.append(
            Row(
                f"MDAV {n:,} x 10, k=5",
                seconds,
                "sdcMicro" if peer else "",
                peer,
                note=note,
                size=n,
                series="mdav",
            )
        )
    return rows


def _cpu(x: np.ndarray, k: int) -> float:
    start = time.process_time()
    mdav(x, k)
    return time.process_time() - start


def constants(full: bool) -> list[Row]:
    """The cost model of L = "auto": microseconds a record and exponent by number of columns."""
    rows = []
    for d in (2, 5, 10, 20):
        sizes = (1_000, 4_000, 16_000, *((32_000,) if full else ()))
        seconds = [min(_cpu(normal(n, d), 5) for _ in range(3)) for n in sizes]
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        note = f"microseconds a record: {1e6 * seconds[0] / sizes[0]:.2f} in blocks of 1,000; exponent {exponent:.2f}"
        rows.append(Row(f"MDAV block of 16,000 x {d}, k=5", seconds[2], note=note))
    return rows


def blocks(full: bool) -> list[Row]:
    """2^d-tree + MDAV against univariate and kd-tree blocks on the report's uniform file."""
    n = 2_500_000 if full else 250_000
    x = np.random.default_rng(2008).uniform(-1e4, 1e4, size=(n, 2))
    rows = []
    for partition in (
        OrthTree(leaf=10_000),
        EqualInterval(leaf=10_000),
        KdTree(leaf=10_000),
    ):
        microaggregate(x[:20_000], 3, partition)
        done = measure_here(lambda p=partition: microaggregate(x, 3, p), repeat=1)
        name = f"{type(partition).__name__} + MDAV, {n:,} x 2, k=3, L=10,000"
        note = f"SSE {done.answer.sse:.3f} (columns of sd 1), {len(done.answer.blocks)} blocks"
        rows.append(Row(name, done.seconds, memory_mb=done.memory_mb, note=note))
    return rows


def out_of_core(full: bool) -> list[Row]:
    """Parquet in, Parquet out, memory limit 2 GB."""
    n, step = (10_000_000, 500_000) if full else (500_000, 250_000)
    with TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        schema = pa.schema([(f"x{j}", pa.float64()) for j in range(5)])
        with pq.ParquetWriter(source, schema) as writer:
            for part in range(n // step):
                writer.write_table(
                    pa.table(list(normal(step, 5, part).T), schema=schema)
                )
        start = time.perf_counter()
        run = large.protect(source, out, parameters={"k": 3}, leaf=10_000, memory="2GB")
        seconds = time.perf_counter() - start
        note = f"peak {run.peak_memory / 1e6:.0f} MB of the whole process; {run.blocks} blocks; loss {run.loss:.4f}"
        return [
            Row(
                f"out of core {n:,} x 5, k=3, 2 GB",
                seconds,
                memory_mb=run.peak_memory / 1e6,
                note=note,
            )
        ]


def linkage(full: bool) -> list[Row]:
    """Block linkage of a census-like file with noise, with the price of blocking on a sample."""
    from tacit.data.datasets.census import make_census

    n = 1_000_000 if full else 20_000
    table = make_census(n, seed=1)
    x = np.column_stack(
        [table.column(name).to_numpy() for name in table.column_names[:8]]
    ).astype(np.float64)
    y = x + 0.1 * x.std(axis=0) * np.random.default_rng(2).normal(size=x.shape)
    rows = []
    for attacker, leaf in (
        ("nearest", 10_000),
        *((("assignment", 2_000),) if not full else ()),
    ):
        found = large.link(x, y, attacker=attacker, leaf=leaf, price=1000)
        price = found.price or {}
        note = (
            f"{found.correct:,.0f} links of {n:,} ({100 * found.rate:.1f} %), {found.blocks} blocks; sample of "
            f"{price.get('sample', 0):.0f}: {price.get('links_with_blocks', 0):.0f} links with blocks, "
            f"{price.get('links_without_blocks', 0):.0f} without"
        )
        rows.append(
            Row(
                f"block {attacker}, census-like {n:,} x 8, noise 10 %, L={leaf:,}",
                found.seconds,
                note=note,
            )
        )
    return rows


def run(full: bool) -> list[Row]:
    return [
        row
        for part in (growth, constants, blocks, out_of_core, linkage, cluster.rows)
        for row in part(full)
    ]
