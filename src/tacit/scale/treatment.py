"""What is done to a block: a function of its number and its records.

The records are an Arrow table in order of record number. A treatment is small, can be pickled,
draws its random numbers from ``seed_of(key, block)`` and looks at nothing else, so it gives the
same bytes in a thread, in a process and on a worker of a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.data.schema import Schema
from tacit.protect import registry
from tacit.scale.column_codes import number_column
from tacit.scale.engine.base import seed_of
from tacit.scale.partition.aggregate import aggregate_block


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
    keep) or not (fill).
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
        _, masked, error = aggregate_block(values, self.k, scale, fill, keeps)
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
        data = Microdata.of(table.select(names), self.schema)
        masked = protector.fit_transform(data).to_native()
        # every block in the types of the file, whatever the method made of its own
        columns = {
            name: masked.column(name).cast(table.schema.field(name).type)
            for name in names
        }
        return pa.table(columns), float("nan")


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
