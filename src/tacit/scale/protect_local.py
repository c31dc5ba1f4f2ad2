"""The stages of a file on this machine: Parquet in, Parquet out, within a memory limit.

A part is a bin: consecutive blocks that fit in memory together. Bins are files in the folder of
the run, and the blocks of a bin go through ``Engine.map``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.data.io.disk_table import of_equal_length
from tacit.scale.block_fit import Fitted
from tacit.scale.digest import Hasher
from tacit.scale.engine.base import Cancel, Engine, in_order
from tacit.scale.memory import Budget
from tacit.scale.price import price_of_blocks
from tacit.scale.request import Request
from tacit.scale.run_result import Clock
from tacit.scale.source import ParquetSource
from tacit.scale.spill import bins_of, blocks_of_bin, merged, spill
from tacit.scale.treatment import Treatment, run_item

# records per row group. Of a finished bin: the merge reads several bins side by side and holds a
# row group of each. Of the release: its bytes must not depend on how much memory was free.
ROW_GROUP = 50_000


class LocalStages:
    """The stages of a Parquet file whose records pass through this process."""

    part_name = "result"

    def __init__(
        self,
        source: str,
        out: str,
        engine: Engine,
        limit: int,
        folder: str | Path | None,
    ) -> None:
        self.engine = engine
        self.out = Path(out)
        self.limit = limit
        self.source = ParquetSource(Path(source))
        beside = self.out.with_name(self.out.name + ".work")
        self.folder = Path(folder) if folder else beside
        # blocks are not known yet, but a limit that holds no chunk is refused here
        self.source.chunk = self._budget(0).chunk

    def _budget(self, largest_block: int) -> Budget:
        columns = len(self.source.schema)
        return Budget.of(self.limit, columns, self.engine.number, largest_block)

    def head(self) -> pa.Table:
        """The first chunk (a file may have none)."""
        nothing = (0, self.source.schema.empty_table())
        return next(self.source.chunks(), nothing)[1]

    def identity(self) -> dict[str, object]:
        """The files; how much memory decides the bins, and a run that goes on has its own."""
        return {"input": self.source.fingerprint()}

    def prepare(
        self,
        treatment: Treatment,
        fitted: Fitted,
    ) -> None:
        """Divide the memory; a limit that cannot hold the largest blocks is refused here."""
        self.treatment = treatment
        self.fitted = fitted
        self.budget = self._budget(int(fitted.splitter.sizes.max()))

    def spill(self) -> int:
        """Write ``bin-N.parquet`` for every bin."""
        bins = bins_of(self.fitted.splitter.sizes, self.budget.bin)
        columns = self.treatment.columns
        spill(self.source, columns, self.fitted, bins, self.folder, self.budget)
        return int(bins.max()) + 1

    def treat(
        self,
        part: int,
        parts: int,
        cancel: Cancel | None,
    ) -> object:
        """Treat the blocks of a bin; returns (block, squared error) of each."""
        items = blocks_of_bin(self._bin(part))
        numbers = [block for block, _ in items]
        work = partial(run_item, self.treatment)
        treated = in_order(self.engine.map(work, items, cancel=cancel))
        table = pa.concat_tables([masked for masked, _ in treated]).sort_by("row")
        errors = [error for _, error in treated]
        # the bin in its three forms would not fit the limit
        del items, treated
        # the result has its name only when it is whole
        unfinished = self.folder / f"result-{part}.part"
        pq.write_table(table, unfinished, compression="lz4", row_group_size=ROW_GROUP)
        os.replace(unfinished, self._result(part))
        return list(zip(numbers, errors, strict=True))

    def discard(self, part: int) -> None:
        """Delete the bin."""
        self._bin(part).unlink()

    def errors(self, kept: Sequence[object]) -> list[float]:
        """Squared errors; bins are runs of consecutive blocks, so they come in order of block."""
        by_bin = cast(Sequence[list[list[float]]], kept)
        return [error for pairs in by_bin for _, error in sorted(pairs)]

    def write(
        self,
        drop: Sequence[str],
        parts: int,
        clock: Clock,
    ) -> str:
        """Write the release; it appears under its name only when it is whole."""
        columns = self.treatment.columns
        results = [self._result(part) for part in range(parts)]
        released = [field for field in self.source.schema if field.name not in drop]
        schema = pa.schema(released)
        hasher = Hasher(columns)
        unfinished = self.out.with_name(self.out.name + ".part")
        tables = merged(results, self.source, columns, self.budget.chunk)
        with pq.ParquetWriter(unfinished, schema) as writer:
            for table in of_equal_length(tables, ROW_GROUP):
                hasher.add(table)
                writer.write_table(table.select(schema.names))
        os.replace(unfinished, self.out)
        clock.lap("merge")
        return hasher.hexdigest()

    def price(
        self,
        request: Request,
        size: int,
    ) -> dict[str, float] | None:
        """The loss of a sample in blocks and without."""
        return price_of_blocks(self.source, request, size)

    def clean(self) -> None:
        """Nothing lies outside the folder of the checkpoint."""

    def _bin(self, part: int) -> Path:
        return self.folder / f"bin-{part}.parquet"

    def _result(self, part: int) -> Path:
        return self.folder / f"result-{part}.parquet"
