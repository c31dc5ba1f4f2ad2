"""What is done to a block: a function of its number and its records.

The records are an Arrow table in order of record number. A treatment is small, can be pickled,
draws its random numbers from ``seed_of(key, block)`` and looks at nothing else, so it gives the
same bytes in a thread, in a process and on a worker of a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, SupportsInt, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.data.schema import Schema
from tacit.protect import registry
from tacit.scale.column_codes import number_column
from tacit.scale.engine.base import seed_of
from tacit.scale.partition.aggregate import aggregate_block

DEFAULT_K = 3
"""Group size of microaggregation where none is given; other methods need no smallest block."""


class Treatment(Protocol):
    """Masks the columns ``columns`` of a block."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What is masked."""
        ...

    def __call__(
        self,
        block: int,
        table: pa.Table,
    ) -> tuple[pa.Table, float]:
        """The masked columns (same rows) and the squared error on scaled columns.

        The error is NaN where it has no meaning.
        """
        ...


@dataclass(frozen=True)
class Mdav:
    """Microaggregation by MDAV of numeric columns.

    They are scaled by the standard deviations of the whole file; a missing value sits at the
    mean of the whole file (``fill``) while groups are formed, and is one afterwards (``gaps``:
    keep) or not (fill). Where a block has values of a column for fewer than k records, these
    become the mean of the whole file: no average of k can be formed there.
    """

    columns: tuple[str, ...]
    k: int
    scale: tuple[float, ...]
    fill: tuple[float, ...]
    gaps: str = "keep"

    def __call__(
        self,
        block: int,
        table: pa.Table,
    ) -> tuple[pa.Table, float]:
        # NaN where missing: the kernel gets the fill, the means are of what is present
        values = np.column_stack([number_column(table, name) for name in self.columns])
        scale, fill = np.array(self.scale), np.array(self.fill)
        keeps = self.columns if self.gaps == "keep" else ()
        thin = np.zeros(len(self.columns), dtype=np.bool_)
        if keeps:
            there = (~np.isnan(values)).sum(axis=0)
            thin = (there > 0) & (there < self.k)
        grouped = np.where(thin, np.nan, values)
        _, masked, error = aggregate_block(grouped, self.k, scale, fill, keeps)
        masked = np.where(thin & ~np.isnan(values), fill, masked)
        error += float(np.nansum(((values - fill) / scale)[:, thin] ** 2))
        columns = {
            name: back(masked[:, j], table.schema.field(name).type)
            for j, name in enumerate(self.columns)
        }
        return pa.table(columns), error


@dataclass(frozen=True)
class Method:
    """Any registered protector on the block alone.

    What it learns, such as a standard deviation, is the block's.
    """

    columns: tuple[str, ...]
    name: str
    parameters: Mapping[str, object]
    schema: Schema
    seed: int
    fill: Mapping[str, float] = field(default_factory=dict)
    """Means of the whole file, for columns with values of too few records of a block."""

    def __call__(
        self,
        block: int,
        table: pa.Table,
    ) -> tuple[pa.Table, float]:
        names = list(self.columns)
        protector = registry[self.name](**self.parameters)
        protector.set_params(columns=names)
        known = protector.get_params()
        # a differentially private method draws from the system, unless this is a test
        takes_seed = known.get("test_seed") or not getattr(protector, "unseeded", False)
        if "random_state" in known and takes_seed:
            protector.set_params(random_state=seed_of(self.seed, block))
        thin = [name for name in names if self._is_thin(table.column(name))]
        given = table.select(names)
        for name in thin:
            empty = pa.nulls(table.num_rows, table.schema.field(name).type)
            given = given.set_column(names.index(name), name, empty)
        data = Microdata.of(given, self.schema)
        masked = protector.fit_transform(data).to_native()
        # every block in the types of the file, whatever the method made of its own
        columns = {
            name: masked.column(name).cast(table.schema.field(name).type)
            for name in names
        }
        for name in set(thin) & set(self.fill):
            values = number_column(table, name)
            means = np.where(np.isnan(values), np.nan, self.fill[name])
            columns[name] = back(means, table.schema.field(name).type)
        return pa.table(columns), float("nan")

    def _is_thin(self, column: pa.ChunkedArray) -> bool:
        """Values of too few records of the block for an average, where gaps stay gaps."""
        if self.name != "microaggregation" or self.parameters.get("gaps") == "fill":
            return False
        return 0 < len(column) - _gaps(column) < smallest_group(self.parameters)


def _gaps(column: pa.ChunkedArray) -> int:
    return int(pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0)


def smallest_group(parameters: Mapping[str, object]) -> int:
    """The k of these parameters: records that every block must have."""
    k = parameters.get("k", DEFAULT_K)
    # several sizes (one for each group of columns): the largest must fit
    largest = max(k) if isinstance(k, list) else k
    return int(cast(SupportsInt, largest))


def back(
    values: Floats,
    kind: pa.DataType,
) -> pa.Array:
    """Numbers in the type of their column, NaN as missing; integers rounded (half to even)."""
    missing = np.isnan(values)
    # a null needs some integer below it
    if pa.types.is_integer(kind):
        present = np.where(missing, 0.0, values)
        whole = np.rint(present).astype(np.int64)
        return pa.array(whole, mask=missing).cast(kind)
    return pa.array(values, mask=missing).cast(kind)


def run_block(
    treatment: Treatment,
    block: int,
    table: pa.Table,
) -> tuple[pa.Table, float]:
    """Sort the records of a block by their number, treat them, and give them their numbers back."""
    table = table.sort_by("row")
    masked, error = treatment(block, table)
    return masked.add_column(0, "row", table.column("row")), error


def run_item(
    treatment: Treatment,
    item: tuple[int, pa.Table],
) -> tuple[pa.Table, float]:
    """``run_block`` of (block, records): the form that ``Engine.map`` takes."""
    block, table = item
    return run_block(treatment, block, table)
