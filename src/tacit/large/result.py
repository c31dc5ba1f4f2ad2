"""What a large run reports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.attack.linkage import wilson
from tacit.measure import jsonable


@dataclass
class Run:
    """A protected file. ``loss`` is 100 SSE / SST on columns of standard deviation 1 (NaN for other methods)."""

    records: int
    blocks: int
    smallest: int
    largest: int
    leaf: int
    loss: float
    digest: str
    engine: str
    seconds: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    peak_memory: int = 0
    resumed_bins: int = 0
    price: dict[str, float] | None = None
    release: Any = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        out = asdict(self)
        del out["release"]
        return dict(jsonable(out))


@dataclass
class BlockLinkage:
    """An attack on blocks: expected correct links under random tie breaking, and what blocking cost on a sample."""

    attacker: str
    knows: str
    records: int
    blocks: int
    correct: float
    digest: str
    engine: str
    seconds: float
    apart: int
    price: dict[str, float] | None = None
    match: NDArray[np.int64] | None = field(default=None, repr=False)
    success: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def rate(self) -> float:
        return self.correct / self.records

    @property
    def chance(self) -> float:
        return 1.0 / self.records

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.correct, self.records)

    def to_dict(self) -> dict[str, Any]:
        out = {k: v for k, v in asdict(self).items() if k not in ("match", "success")}
        return dict(jsonable(out | {"rate": self.rate, "chance": self.chance, "interval": list(self.interval)}))


class Hasher:
    """SHA-256 of columns in record order; the same for any chunking and any file layout."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.parts = {name: hashlib.sha256() for name in self.names}
        self.missing = {name: hashlib.sha256() for name in self.names}
        self.some: set[str] = set()

    def add(self, table: pa.Table) -> None:
        for name in self.names:
            column = table.column(name)
            if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
                self.missing[name].update(np.asarray(column.is_null()).tobytes())
                self.some |= {name} if column.null_count else set()
                self.parts[name].update(np.ascontiguousarray(column.fill_null(0).to_numpy()).tobytes())
            else:
                self.parts[name].update("".join(f"{value}\x1f" for value in column.to_pylist()).encode())

    def hexdigest(self) -> str:
        whole = hashlib.sha256()
        for name in self.names:
            whole.update(name.encode() + self.parts[name].digest())
            if name in self.some:
                whole.update(self.missing[name].digest())
        return whole.hexdigest()


def digest(tables: Iterable[pa.Table], names: Sequence[str]) -> str:
    """The digest of these columns of a file, given as chunks in record order."""
    hasher = Hasher(names)
    for table in tables:
        hasher.add(table)
    return hasher.hexdigest()
