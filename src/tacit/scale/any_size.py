"""Where a file is worked on: in memory if it fits, else on the disk, here or on a cluster.

``with place_of(...) as place:`` chooses, says so in one sentence (``place.sentence``), and
``place.read`` then gives Microdata or, larger than memory, ``OnDisk``. Plans and manifests work on
both, with the same bytes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from tacit.base.errors import InputError, ParameterError
from tacit.base.private_place import PrivatePlace
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts, files_of
from tacit.data.microdata import Microdata, Schema
from tacit.plan.plan import Plan
from tacit.protect.on_disk_pieces import mapped_by
from tacit.scale.engine.base import Engine
from tacit.scale.engine.engine_choice import engine_of
from tacit.scale.memory import PROGRAM, bytes_of

# bytes of a number or code in memory
WIDTH = 8
# times that a file in memory is held at most: the file, its numbers, what is masked, the release
# and its new order. 1,000,000 x 6 took 513 MB (noise) and 571 MB (rank swapping); this says 586
COPIES = 7
# the program with its libraries, and compiled kernels: rank swapping of 100,000 took 353 MB
BASE = 350 * 10**6
# bytes per record of a file on the disk: a column is read, sorted and numbered, two are compared.
# 3,000,000 x 6 took 493 MB (noise) and 678 MB (rank swapping); this says 770
ONE_COLUMN = 140
# bytes per record and column where a method holds several: values, scores, order, result
EACH_OF_SEVERAL = 10 * WIDTH
# names of the folder with columns of the file, and of one that is not locked yet
PREFIX, NEW = ".tacit-work-", ".tacit-new-"
# of the memory that is free, what one run may take
SHARE = 0.8


@dataclass(frozen=True)
class Place:
    """Where a file is worked on, and with how much memory."""

    on_disk: bool
    sentence: str
    limit: int
    engine: Engine | None = None
    folder: Path | None = None

    def read(
        self,
        path: str | Path,
        schema: Schema | None = None,
        *,
        encoding: str | None = None,
        **roles: Iterable[str] | str | None,
    ) -> Microdata:
        """As ``io.read``; on the disk if the file is larger than memory."""
        if self.folder is None:
            return io.read(path, schema, encoding=encoding, **roles)
        return OnDisk.open(path, self.folder, schema, **roles)

    def refuse_too_little(self, plan: Plan, data: Microdata) -> None:
        """Raise before the work if a step holds more than the memory that is allowed."""
        if not self.on_disk:
            return
        data = plan.with_roles(data)
        each = ONE_COLUMN
        why = "columns are looked at, sorted and put in order one at a time"
        for step, method in zip(plan.steps, plan.protectors(), strict=True):
            held = len(method.reads(data))
            if method.passes_of(data) == "together" and held * EACH_OF_SEVERAL > each:
                each = held * EACH_OF_SEVERAL
                why = f"{step.method} holds the {held} columns that it looks at"
        needed = BASE + each * data.n
        if needed > self.limit:
            raise ParameterError(
                f"--memory {self.limit / 1e9:.3g}GB is too little for {data.n:,} records: {why}; "
                f"give about {needed / 1e9 + 0.05:.1f}GB"
            )


@contextmanager
def place_of(
    source: str | Path,
    beside: str | Path,
    memory: str | None = None,
    engine: str | None = None,
) -> Iterator[Place]:
    """Choose where a file is worked on; what is written meanwhile is removed at the end.

    Parameters
    ----------
    source : path
        The file, or the folder of Parquet files.
    beside : path
        The release: pieces are written to a hidden folder beside it. On a cluster every worker
        must see that folder.
    memory : str, optional
        How much memory may be used, such as 4GB; 80 % of what is free, unless given.
    engine : str, optional
        ``local`` (this machine), or a Spark master.
    """
    source = Path(source)
    limit = bytes_of(memory) if memory is not None else int(SHARE * free_memory())
    master = None if engine in (None, "local") else engine_of(engine)
    parquet = source.is_dir() or io.FORMATS.get(source.suffix.lower()) == "parquet"
    try:
        needed = PROGRAM + COPIES * _bytes(source, parquet=parquet)
    except InputError:
        if source.is_dir():
            raise
        # who reads the file says what is wrong with it
        needed = 0
    if not parquet:
        if master is not None:
            raise InputError(
                f"{source}: a cluster reads Parquet, a file or a folder of files; convert it first"
            )
        sentence = (
            f"In memory: {source.name} is no Parquet, which alone can be read in parts."
        )
        yield Place(on_disk=False, sentence=sentence, limit=limit)
        return
    sizes = f"about {_amount(needed)} of {_amount(limit)}"
    if master is None and needed <= limit:
        yield Place(on_disk=False, sentence=f"In memory: {sizes}.", limit=limit)
        return
    # two columns at a time must fit where one does; threads share the memory of this process
    where = engine_of(1) if master is None else master
    name = "on this machine" if master is None else f"by {engine}"
    sentence = f"Out of core, {name}: in memory it would take {sizes}."
    if master is not None:
        sentence = f"Out of core, {name}."
    with (
        stopped_by_signals(),
        PrivatePlace(Path(beside).resolve().parent, PREFIX, NEW) as held,
        mapped_by(partial(_mapped, where)),
    ):
        yield Place(True, sentence, limit, where, held.path)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """A closed terminal and SIGTERM end the run by the usual way out, which removes its files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]
    before = [signal.signal(number, _leave) for number in numbers]
    try:
        yield
    finally:
        for number, old in zip(numbers, before, strict=True):
            signal.signal(number, old)


def _leave(number: int, _: object) -> None:
    sys.exit(128 + number)


def _amount(number: int) -> str:
    """Bytes as people say them.

    >>> _amount(4_000_000_000), _amount(251_400_000)
    ('4.0 GB', '251 MB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.0f} MB"


def _mapped(
    engine: Engine, work: object, items: object
) -> Iterator[tuple[int, object]]:
    return engine.map(work, items)  # type: ignore[arg-type]  # what a mapper is given


def free_memory() -> int:
    """Bytes that a new program could take without others being moved to the disk."""
    about = Path("/proc/meminfo")
    if about.exists():
        for line in about.read_text().splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) * 1024
    # not Linux: half of what the machine has
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _bytes(source: Path, *, parquet: bool) -> int:
    """Bytes of a file once, in memory."""
    if not parquet:
        return source.stat().st_size if source.exists() else 0
    parts = ParquetParts.of(source)
    written = 0
    for file in files_of(source):
        about = pq.read_metadata(file)
        groups = range(about.num_row_groups)
        written += sum(about.row_group(group).total_byte_size for group in groups)
    # text that occurs again is written once, numbers are as wide as they are
    return max(written, WIDTH * len(parts.schema) * parts.num_rows)
