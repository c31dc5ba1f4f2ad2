"""Where a file is worked on: in memory if it fits, else on the disk, here or on a cluster.

``with place_of(...) as place:`` chooses, says so in one sentence (``place.sentence``), and
``place.read`` then gives Microdata or, larger than memory, ``OnDisk``. Plans and manifests work on
both, with the same bytes.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tacit.base.errors import InputError, ParameterError
from tacit.base.free_memory import free_memory
from tacit.base.private_place import PrivatePlace
from tacit.data import io, lazy
from tacit.data.frames import Frame
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts, files_of, not_there
from tacit.data.lazy import reading
from tacit.data.microdata import Microdata, Schema
from tacit.data.out_of_core.pieces import Mapper, Work, keeping, mapped_by
from tacit.plan.plan import Plan
from tacit.scale.block_step import Cut, Room
from tacit.scale.engine.base import Cancel, Engine, ItemsDone
from tacit.scale.engine.engine_choice import engine_of
from tacit.scale.in_blocks import LEAF, InBlocks, runs_in_blocks
from tacit.scale.kept_pieces import Kept
from tacit.scale.memory import PROGRAM, bytes_of
from tacit.scale.seen_folder import looked_for
from tacit.scale.table_names import frame_of, is_table

# bytes of a number or code in memory
WIDTH = 8
# times that a file in memory is held at most: the file, its numbers, what is masked, the release
# and its new order. 1,000,000 x 6 took 513 MB (noise) and 571 MB (rank swapping); this says 586
COPIES = 7
# the program with its libraries, and compiled kernels: rank swapping of 100,000 took 353 MB
BASE = 350 * 10**6
# what passes over a file on the disk hold besides, however long it is: 5,000,000 x 6 took 435 MB
# (noise) and 726 MB (rank swapping, with its windows)
PASSES = 350 * 10**6
# what one more thread holds: its piece while it is read, sorted and written. 5,000,000 x 6 took
# 190 MB more with two threads (noise), and 240 MB (rank swapping)
EACH_THREAD = 300 * 10**6
# of the memory, what more threads may take: of two files less, as attacks on them hold much, and an
# attack that does not run for want of memory costs more than time
FOR_THREADS, FOR_THREADS_OF_TWO = 1 / 8, 1 / 32
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
    # what is read where the source is no path
    frame: Frame | None = None
    kept: Kept | None = None
    progress: ItemsDone | None = None
    cancel: Cancel | None = None
    # files that were read: each further one has a folder of its own
    read_before: list[object] = field(default_factory=list, compare=False)

    def read(
        self,
        path: str | Path | Frame,
        schema: Schema | None = None,
        *,
        encoding: str | None = None,
        **roles: Iterable[str] | str | None,
    ) -> Microdata:
        """As ``io.read``; on the disk if the file is larger than memory."""
        number = len(self.read_before)
        self.read_before.append(path)
        if self.frame is not None and not number:
            return Microdata.of(self.frame, schema, **roles)
        if self.folder is None:
            return io.read(path, schema, encoding=encoding, **roles)
        folder = self.folder
        if number:
            folder = self.folder / f"file-{number}"
            folder.mkdir(exist_ok=True)
        return OnDisk.open(path, folder, schema, encoding=encoding, **roles)

    def in_blocks(self, plan: Plan, data: Microdata) -> InBlocks | None:
        """The steps that are done in blocks, as the memory that is allowed is too little for more.

        Raises before the work if it is too little for a step that cannot be done so. None: every
        step is done on the whole file.
        """
        if data.in_memory:
            return None
        data = plan.with_roles(data)
        each, why = 0.0, "a piece of each pass is held"
        chosen: dict[int, Cut] = {}
        steps = zip(plan.steps, plan.protectors(), strict=True)
        for number, (step, method) in enumerate(steps, start=1):
            held, reason = method.holds(data)
            if _all(held, data.n) > self.limit and runs_in_blocks(method, data):
                chosen[number] = Cut(LEAF)
            elif held > each:
                each, why = held, f"{step.method} holds {reason}"
        needed = _all(each, data.n)
        if needed > self.limit:
            raise ParameterError(
                f"--memory {self.limit / 1e9:.3g}GB is too little for {data.n:,} records: {why}; "
                f"give about {needed / 1e9 + 0.05:.1f}GB"
            )
        return InBlocks(chosen, self.room) if chosen else None

    @property
    def room(self) -> Room:
        """What steps in blocks may use."""
        # what is kept is kept, also of a file that is in memory
        folder = self.folder if self.kept is None else self.kept.folder
        return Room(
            self.limit,
            folder,
            self.engine,
            keeps=self.kept is not None,
            progress=self.progress,
            cancel=self.cancel,
        )


def _all(each: float, n: int) -> int:
    """Bytes of a run from the disk that holds so many for each record."""
    return int(BASE + PASSES + each * n)


def threads_for(limit: int, files: int) -> int:
    """How many threads do pieces: one for each core, as far as a share of the memory goes."""
    share = FOR_THREADS if files == 1 else FOR_THREADS_OF_TWO
    return min(1 + int(share * limit / EACH_THREAD), engine_of(None).number)


def left_beside_threads(limit: int, files: int) -> int:
    """What a method, an attack or a measure of a file on the disk may hold of so much memory."""
    return limit - (threads_for(limit, files) - 1) * EACH_THREAD


def limit_of(memory: str | None) -> int:
    """Bytes that one run may take: those asked for, or most of what is free."""
    return bytes_of(memory) if memory is not None else int(SHARE * free_memory())


@contextmanager
def place_of(
    source: str | Path | Frame,
    beside: str | Path,
    memory: str | None = None,
    engine: str | None = None,
    *,
    kept: Kept | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
    files: int = 1,
    held: int = 0,
) -> Iterator[Place]:
    """Choose where a file is worked on; what is written meanwhile is removed at the end.

    Parameters
    ----------
    source : path, table name or frame
        The file, the folder of Parquet files, ``table:NAME`` (``scale.table_names``), or a
        frame.
    beside : path
        The release: pieces are written to a hidden folder beside it. On a cluster every worker
        must see that folder.
    memory : str, optional
        How much memory may be used, such as 4GB; 80 % of what is free, unless given.
    engine : str, optional
        ``local`` (this machine), or a Spark master.
    kept : Kept, optional
        Where finished pieces are kept (``scale.kept_pieces``), for a run that may go on.
    progress : function, optional
        Called with (finished, all) pieces of a pass.
    cancel : Cancel, optional
        Set from another thread, it ends the run after the pieces that are being done.
    files : int
        How many files of this size are worked on: an assessment has two.
    held : int
        Bytes that the work itself would hold in memory, program and files included, where that is
        known to be more than copies of the files: attacks hold the links that come into question.
    """
    limit = limit_of(memory)
    master = None if engine in (None, "local") else engine_of(engine)
    by = "on this machine" if master is None else f"by {engine}"
    where = engine_of(threads_for(limit, files)) if master is None else master
    spilling = _spilling(beside, where, kept, progress, cancel)
    left = limit if master is not None else left_beside_threads(limit, files)
    watched = partial(Place, kept=kept, progress=progress, cancel=cancel)
    if is_table(source):
        frame = frame_of(source, master)
        with spilling as (where, folder):
            yield from _of_frame(watched, frame, folder, left, by, where, master)
    elif not isinstance(source, str | Path):
        yield from _of_frame(watched, source, None, limit, by, master, master)
    else:
        path = Path(source)
        if not path.exists():
            raise not_there(path)
        needed = max(_needed(path, files), held)
        sizes = f"about {_amount(needed)} of {_amount(limit)}"
        if not _in_parts(path):
            if master is not None:
                raise InputError(
                    f"{source}: a cluster reads Parquet or CSV; convert it first"
                )
            sentence = (
                f"In memory: {path.name} is neither Parquet nor CSV, which alone can be "
                "read in parts."
            )
            yield watched(False, sentence, limit)
            return
        # a run that goes on goes on where it was
        goes_on = kept is not None and kept.goes_on
        if master is None and needed <= limit and not goes_on:
            yield watched(False, f"In memory: {sizes}.", limit)
            return
        sentence = f"Out of core, {by}: in memory it would take {sizes}."
        if master is not None:
            sentence = f"Out of core, {by}."
        with spilling as (where, folder):
            yield watched(True, sentence, left, where, folder)


@contextmanager
def _spilling(
    beside: str | Path,
    where: Engine,
    kept: Kept | None,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> Iterator[tuple[Engine, Path]]:
    """A hidden folder for pieces, and who does them; the folder is removed at the end."""

    def by_engine(work: Work, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        return where.map(work, items, progress=progress, cancel=cancel)

    if kept is not None:
        looking = _looking(kept.folder, where, by_engine)
        with stopped_by_signals(), keeping(), mapped_by(kept.mapper(looking)):
            yield where, kept.folder
        return
    with (
        stopped_by_signals(),
        PrivatePlace(Path(beside).resolve().parent, PREFIX, NEW) as held,
        mapped_by(_looking(held.path, where, by_engine)),
    ):
        yield where, held.path


def _looking(folder: Path, where: Engine, inner: Mapper) -> Mapper:
    """On a cluster the folder may be somewhere that a worker does not see."""
    return looked_for(folder, inner) if where.reach == "cluster" else inner


def _of_frame(
    placed: Callable[..., Place],
    frame: Frame,
    folder: Path | None,
    limit: int,
    by: str,
    where: Engine | None,
    master: Engine | None,
) -> Iterator[Place]:
    """The place of a frame, which is held unless it is too large or a cluster shall do the work."""
    unread = lazy.of(frame)
    if unread is None:
        sentence = "In memory: so is the frame."
        yield placed(False, sentence, limit, frame=frame)
        return
    needed = reading.needed(unread)
    on_disk = master is not None or needed > limit
    sizes = f"about {_amount(needed)} of {_amount(limit)}"
    sentence = f"Out of core, {by}: {sizes}." if on_disk else f"In memory: {sizes}."
    with reading.limited_to(-1 if on_disk else limit, folder), lazy.workers_of(frame):
        yield placed(on_disk, sentence, limit, where, folder, frame)


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


def _in_parts(source: Path) -> bool:
    """Can the file be read some records at a time?"""
    return source.is_dir() or io.FORMATS.get(source.suffix.lower()) in (
        "parquet",
        "csv",
    )


def fits(source: str | Path, memory: str | None) -> bool:
    """Would a file be worked on in memory?"""
    return _needed(Path(source)) <= limit_of(memory)


def _needed(source: Path, files: int = 1) -> int:
    """Bytes that a file, or several like it, take in memory while they are worked on, about."""
    try:
        return PROGRAM + files * COPIES * _bytes(source)
    except InputError:
        if source.is_dir():
            raise
        # who reads the file says what is wrong with it
        return 0


def _bytes(source: Path) -> int:
    """Bytes of a file once, in memory."""
    if not source.is_dir() and io.FORMATS.get(source.suffix.lower()) != "parquet":
        return source.stat().st_size if source.exists() else 0
    parts = ParquetParts.of(source)
    written = 0
    for file in files_of(source):
        about = pq.read_metadata(file)
        groups = range(about.num_row_groups)
        written += sum(about.row_group(group).total_byte_size for group in groups)
    # text that occurs again is written once, numbers are as wide as they are
    return max(written, WIDTH * len(parts.schema) * parts.num_rows)
