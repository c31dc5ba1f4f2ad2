"""What is done to a block: a function of its number and its records (an Arrow table in order of record number).

A treatment is small, can be pickled, draws its random numbers from ``SeedSequence([seed, block])`` and looks at nothing
else, so it gives the same bytes in a thread, in a process and on a worker of a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tacit.engine.base import seed_of
from tacit.large.coding import number_column
from tacit.partition.aggregate import aggregate_block


class Treatment(Protocol):
    """Masks the columns ``columns`` of a block."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def __call__(self, block: int, table: pa.Table) -> tuple[pa.Table, float]:
        """The masked columns (same rows) and the squared error on scaled columns (NaN where it has no meaning)."""
        ...


@dataclass(frozen=True)
class Mdav:
    """Microaggregation by MDAV of numeric columns, scaled by the standard deviations of the whole file."""

    columns: tuple[str, ...]
    k: int
    scale: tuple[float, ...]
    fill: tuple[float, ...]

    def __call__(self, block: int, table: pa.Table) -> tuple[pa.Table, float]:
        values = np.column_stack([number_column(table, name) for name in self.columns])
        _, masked, error = aggregate_block(values, self.k, np.array(self.scale), np.array(self.fill))
        arrays = [back(masked[:, j], table.schema.field(name).type) for j, name in enumerate(self.columns)]
        return pa.table(arrays, names=list(self.columns)), error


@dataclass(frozen=True)
class Method:
    """Any registered protector on the block alone (what it learns, such as a standard deviation, is the block's)."""

    columns: tuple[str, ...]
    name: str
    parameters: dict[str, Any]
    schema: Any
    seed: int = 0

    def __call__(self, block: int, table: pa.Table) -> tuple[pa.Table, float]:
        from tacit.microdata import Microdata
        from tacit.protect import registry

        protector = registry[self.name](**self.parameters)
        protector.set_params(columns=list(self.columns))
        if "random_state" in protector.get_params():
            protector.set_params(random_state=int(seed_of(self.seed, block).generate_state(1, np.uint64)[0] >> 1))
        data = Microdata.of(table.select(list(self.columns)), self.schema)
        masked = protector.fit_transform(data).to_native()
        types = {name: table.schema.field(name).type for name in self.columns}
        return pa.table({name: masked.column(name).cast(types[name]) for name in self.columns}), float("nan")


def back(values: np.ndarray[tuple[int], np.dtype[np.float64]], kind: pa.DataType) -> pa.Array:
    """Numbers in the type of their column, NaN as missing; integers are rounded (half to even)."""
    missing = np.isnan(values)
    if pa.types.is_integer(kind):
        values = np.rint(np.where(missing, 0.0, values)).astype(np.int64)
    return pa.array(values, mask=missing).cast(kind)


def run_block(treatment: Treatment, block: int, table: pa.Table) -> tuple[pa.Table, float]:
    """Sort the records of a block by their number, treat them, and give them their numbers back."""
    table = table.sort_by("row")
    masked, error = treatment(block, table)
    return masked.add_column(0, "row", table.column("row")), error
