"""What a large run reports."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tacit.attack.linkage import wilson
from tacit.attack.solver.solution import LogEntry
from tacit.base.measure import jsonable
from tacit.base.typing import Floats, Ints
from tacit.data.frames import Frame
from tacit.scale.block_fit import Fitted


@dataclass
class BlockRelease:
    """A file that was protected in blocks.

    Attributes
    ----------
    records, blocks, smallest, largest
        Sizes of the file and of its blocks.
    leaf
        L, the most records that a leaf of the tree may have.
    loss
        100 SSE / SST on columns of standard deviation 1 (NaN for other methods).
    digest
        Of the masked columns in record order; the same on every engine.
    seconds, cpu
        Seconds and CPU seconds of each stage.
    resumed_bins
        Parts of the file that an earlier run had finished.
    price
        What blocking cost on a sample, if that was asked for.
    release
        The masked frame, where a frame was given.
    """

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
    release: Frame = field(default=None, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON, without the records."""
        out = asdict(self)
        del out["release"]
        return dict(jsonable(out))

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> BlockRelease:
        """From what ``to_dict`` gave, of a run that goes on."""
        out = cls(**said)
        # JSON has no number for what has no meaning
        out.loss = float("nan") if said["loss"] is None else said["loss"]
        return out


@dataclass
class BlockLinkage:
    """An attack on blocks.

    ``correct`` is the expected number of correct links under random tie breaking, ``apart`` how
    many originals have their own record in another block, ``exact`` whether these were looked for
    there too, so that blocks cost nothing, ``price`` what blocking cost on a sample.

    ``cost`` and ``bound`` of an assignment enclose the least cost of all linkages; ``certified``
    says that they agree to rounding, and ``tolerance`` how much longer the interval is where they
    do not. ``sampled_of`` is the number of originals of which ``records`` were drawn.
    """

    attacker: str
    knows: str
    records: int
    blocks: int
    correct: float
    digest: str
    engine: str
    seconds: float
    apart: int
    exact: bool = False
    price: dict[str, float] | None = None
    match: Ints | None = field(default=None, repr=False)
    success: Floats | None = field(default=None, repr=False)
    masked_records: int | None = None
    sampled_of: int | None = None
    cost: float | None = None
    bound: float | None = None
    certified: bool | None = None
    tolerance: float = 0.0
    log: list[LogEntry] = field(default_factory=list, repr=False)

    @property
    def gap(self) -> float | None:
        """Proven relative distance of the cost to the least one; None: nothing was minimised."""
        if self.cost is None or self.bound is None:
            return None
        return max(0.0, self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    @property
    def rate(self) -> float:
        """Correct links per record."""
        return self.correct / self.records

    @property
    def chance(self) -> float:
        """The rate that guessing gives."""
        return 1.0 / (self.masked_records or self.records)

    @property
    def interval(self) -> tuple[float, float]:
        """Confidence interval of the rate (Wilson), longer by ``tolerance`` at both ends."""
        low, high = wilson(self.correct, self.records)
        return max(0.0, low - self.tolerance), min(1.0, high + self.tolerance)

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON, without the links of single records."""
        out = asdict(self)
        del out["match"], out["success"]
        out["gap"] = self.gap
        out["rate"] = self.rate
        out["chance"] = self.chance
        out["interval"] = list(self.interval)
        return dict(jsonable(out))


class Clock:
    """Seconds of each stage, and CPU seconds of this process (all threads)."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        self._last = (time.perf_counter(), time.process_time())

    def lap(self, stage: str) -> None:
        """The stage ends here, and the next begins."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.seconds[stage] = round(wall - self._last[0], 3)
        self.cpu[stage] = round(cpu - self._last[1], 3)
        self._last = (wall, cpu)


def release_of(
    fitted: Fitted,
    columns: Sequence[str],
    errors: Sequence[float],
    digest: str,
    engine: str,
    clock: Clock,
) -> BlockRelease:
    """The figures of a finished run; ``errors``: squared error of every block."""
    sizes = fitted.splitter.sizes
    # on columns of standard deviation 1, SST is the number of values that are present
    varied = [name for name in columns if fitted.scale.get(name, 0) > 0]
    values = sum(fitted.present[name] for name in varied)
    loss = 100 * float(np.sum(errors)) / values if values else float("nan")
    return BlockRelease(
        records=fitted.n,
        blocks=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        leaf=fitted.splitter.leaf,
        loss=loss,
        digest=digest,
        engine=engine,
        seconds=clock.seconds,
        cpu=clock.cpu,
    )
