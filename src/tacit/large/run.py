"""Protect a large file block by block, in process, within a memory limit, with checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit.engine.base import Cancel, Engine, Progress
from tacit.engine.choose import engine_of
from tacit.errors import ParameterError
from tacit.large.checkpoint import Checkpoint
from tacit.large.fit import Fitted, fit
from tacit.large.memory import Budget, bytes_of, peak
from tacit.large.price import price_of_blocks
from tacit.large.result import Hasher, Run
from tacit.large.source import ParquetSource, TableSource
from tacit.large.spill import bins_of, blocks_of_bin, merged, spill
from tacit.large.treat import Treatment, run_block
from tacit.large.work import Work, check, guess, treatment_of


def protect(
    source: Any,
    out: str | Path | None = None,
    *,
    method: str = "microaggregation",
    parameters: dict[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    split_on: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = 10_000,
    memory: str | int = "2GB",
    engine: Any = None,
    seed: int = 0,
    resume: bool = False,
    price: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    folder: str | Path | None = None,
) -> Run:
    """Mask a Parquet file (or a frame) in blocks of a 2^d-tree.

    ``columns``: what is masked (default: the columns that look like continuous quasi-identifiers). ``drop``: columns
    that are not released (default: those that look like identifiers). ``split_on``: what the tree cuts (default: the
    same); categorical columns may be among them. ``leaf``: L, at most so many records a block, or "auto".
    ``memory``: limit of this process. ``engine``: threads (default), processes, or a Spark master URL.
    ``resume``: go on from the folder OUT.work of a run that was stopped.
    ``price``: sample size on which the loss is compared with that of no blocks.

    With microaggregation of numeric columns, columns are scaled by the standard deviations of the whole file; other
    methods see one block at a time.
    """
    work = Work(
        method, dict(parameters or {}), tuple(columns or ()), tuple(split_on or ()), tuple(categorical), leaf, seed
    )
    where = engine_of(engine)
    if not isinstance(source, str | Path):
        return _in_memory(source, work, where, price, drop, progress, cancel)
    if out is None:
        raise ParameterError("name the file to write (out)")
    if Path(out).resolve() == Path(source).resolve():
        raise ParameterError(f"{out}: is the input itself, which is never written; name another file")
    if where.name == "spark":
        from tacit.large.cluster import protect_on_cluster

        return protect_on_cluster(
            str(source), str(out), work, where, drop=drop, resume=resume, progress=progress, cancel=cancel
        )
    return _out_of_core(
        Path(source), Path(out), work, where, bytes_of(memory), resume, price, drop, progress, cancel, folder
    )


def _in_memory(
    data: Any,
    work: Work,
    engine: Engine,
    price: int,
    drop: Sequence[str] | None,
    progress: Progress | None,
    cancel: Cancel | None,
) -> Run:
    from tacit.microdata import Microdata

    clock = Clock()
    frame = Microdata.of(data)
    columns, drop = guess(frame.table, work.columns, drop)
    work, frame = replace(work, columns=columns), frame.drop(drop)
    table = frame.table
    source = TableSource(table)
    work = check(work, source.schema, source.name)
    fitted = fit(source, work.split_on, work.tree, also=work.also, categorical=work.categorical)
    treatment = treatment_of(work, fitted, table)
    clock.lap("tree")
    label = np.concatenate([fitted.assign(chunk) for _, chunk in source.chunks()])
    order = np.argsort(label, kind="stable")
    cuts = np.searchsorted(label[order], np.arange(len(fitted.splitter.sizes) + 1))
    numbered = table.select(list(work.columns)).add_column(0, "row", pa.array(np.arange(len(label))))
    items = [(b, numbered.take(pa.array(order[cuts[b] : cuts[b + 1]]))) for b in range(len(fitted.splitter.sizes))]
    parts: list[Any] = [None] * len(items)
    for place, result in engine.map(partial(_treat, treatment), items, progress=progress, cancel=cancel):
        parts[place] = result
    masked = pa.concat_tables([part for part, _ in parts]).sort_by("row")
    clock.lap("blocks")
    for name in work.columns:
        frame = frame.with_column(name, masked.column(name))
    hasher = Hasher(work.columns)
    hasher.add(masked)
    run = report(work, fitted, [error for _, error in parts], hasher.hexdigest(), engine, clock)
    run.price = price_of_blocks(source, work, price)
    run.release = frame if isinstance(data, Microdata) else frame.to_native()
    return run


def _out_of_core(
    path: Path,
    out: Path,
    work: Work,
    engine: Engine,
    limit: int,
    resume: bool,
    price: int,
    drop: Sequence[str] | None,
    progress: Progress | None,
    cancel: Cancel | None,
    folder: str | Path | None,
) -> Run:
    clock = Clock()
    source = ParquetSource(path)
    columns, drop = guess(next(source.chunks())[1], work.columns, drop)
    work = replace(work, columns=columns)
    work = check(work, source.schema, source.name)
    workers = getattr(engine, "number", 1)
    source.chunk = Budget.of(limit, len(source.schema), workers, 0).chunk
    identity = work.to_dict() | {"input": source.fingerprint(), "memory": limit, "drop": list(drop)}
    held = Checkpoint.open(Path(folder) if folder else out.with_name(out.name + ".work"), identity, resume=resume)
    fitted = held.load_tree()
    if fitted is None:
        fitted = fit(source, work.split_on, work.tree, also=work.also, categorical=work.categorical)
        held.save_tree(fitted)
    clock.lap("tree")
    treatment = treatment_of(work, fitted, next(source.chunks())[1])
    budget = Budget.of(limit, len(source.schema), workers, int(fitted.splitter.sizes.max()))
    bins = bins_of(fitted.splitter.sizes, budget.bin)
    if not held.marked("spill"):
        spill(source, work.columns, fitted, bins, held.folder, budget)
        held.mark("spill", int(bins.max()) + 1)
    clock.lap("spill")
    resumed = _bins(held, treatment, engine, int(bins.max()) + 1, progress, cancel)
    clock.lap("blocks")
    errors = [e for b in range(int(bins.max()) + 1) for _, e in sorted(held.content(f"result-{b}"))]
    results = [held.folder / f"result-{b}.parquet" for b in range(int(bins.max()) + 1)]
    digest = _write(merged(results, source, work.columns, budget.chunk), source.schema, out, work.columns, drop)
    clock.lap("merge")
    run = report(work, fitted, errors, digest, engine, clock)
    run.resumed_bins, run.peak_memory = resumed, peak()
    run.price = price_of_blocks(source, work, price)
    held.remove()
    return run


def _bins(
    held: Checkpoint,
    treatment: Treatment,
    engine: Engine,
    number: int,
    progress: Progress | None,
    cancel: Cancel | None,
) -> int:
    """Treat bin after bin; a finished bin is a checkpoint. Returns how many were finished before."""
    before = 0
    for name in range(number):
        if held.marked(f"result-{name}"):
            before += 1
            continue
        items = blocks_of_bin(held.folder / f"bin-{name}.parquet")
        parts: list[Any] = [None] * len(items)
        for place, result in engine.map(partial(_treat, treatment), items, cancel=cancel):
            parts[place] = result
        table = pa.concat_tables([part for part, _ in parts]).sort_by("row")
        errors = [(block, error) for (block, _), (_, error) in zip(items, parts, strict=True)]
        del items, parts
        part = held.folder / f"result-{name}.part"
        pq.write_table(table, part, compression="lz4", row_group_size=50_000)
        os.replace(part, held.folder / f"result-{name}.parquet")
        held.mark(f"result-{name}", errors)
        (held.folder / f"bin-{name}.parquet").unlink()
        if progress:
            progress(name + 1, number)
    return before


def _treat(treatment: Treatment, item: tuple[int, pa.Table]) -> tuple[pa.Table, float]:
    return run_block(treatment, *item)


def _write(tables: Iterator[pa.Table], schema: pa.Schema, out: Path, names: Sequence[str], drop: Sequence[str]) -> str:
    """Write the release; it appears under its name only when it is whole. Returns the digest of the masked columns."""
    hasher = Hasher(names)
    kept = pa.schema([field for field in schema if field.name not in drop])
    part = out.with_name(out.name + ".part")
    with pq.ParquetWriter(part, kept) as writer:
        for table in tables:
            hasher.add(table)
            writer.write_table(table.select(kept.names))
    os.replace(part, out)
    return hasher.hexdigest()


def report(work: Work, fitted: Fitted, errors: Sequence[float], digest: str, engine: Engine, clock: Clock) -> Run:
    sizes = fitted.splitter.sizes
    values = sum(fitted.present[name] for name in work.columns if fitted.scale.get(name, 0) > 0)
    return Run(
        records=fitted.n,
        blocks=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        leaf=fitted.splitter.leaf,
        loss=100 * float(np.sum(errors)) / values if values else float("nan"),
        digest=digest,
        engine=engine.name,
        seconds=clock.seconds,
        cpu=clock.cpu,
    )


class Clock:
    """Seconds of each stage, and CPU seconds of this process (all threads)."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        self.last = (time.perf_counter(), time.process_time())

    def lap(self, stage: str) -> None:
        now = (time.perf_counter(), time.process_time())
        self.seconds[stage] = round(now[0] - self.last[0], 3)
        self.cpu[stage] = round(now[1] - self.last[1], 3)
        self.last = now
