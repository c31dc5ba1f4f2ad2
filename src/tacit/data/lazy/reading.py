"""An unread frame as Microdata, in memory or on the disk, and back.

A frame is read once as long as it lives: two readings of a query may differ in their order of
rows, and a release that is compared with originals in another order would look safer than it is.
What does not fit in memory is written as Parquet to a folder of ``TACIT_SCRATCH`` (by default the
system's folder for temporary files), which only this user can read. Copies of an original go when
nobody holds it any more, a release stays until the process ends, and what a killed process left
is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from tacit.base.errors import InputError
from tacit.base.free_memory import free_memory
from tacit.base.private_place import PrivatePlace
from tacit.data.frames import Frame, NativeFrame, readable, to_table
from tacit.data.io import parquet
from tacit.data.io.disk_table import DiskTable, SpillFolder
from tacit.data.io.on_disk import OnDisk, native_of
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.lazy.base import LazyFrame
from tacit.data.microdata import Microdata, Schema

SCRATCH = "TACIT_SCRATCH"
PREFIX, NEW = "tacit-frame-", "tacit-new-frame-"
# of the memory that is free, what one run may take; and times that a file is held at most: the
# file, its numbers, what is masked, the release
SHARE, COPIES = 0.8, 7

# id of a frame -> (the frame, if it still lives; what was read)
_read: dict[int, tuple[weakref.ref[Frame], NativeFrame]] = {}
_limit: ContextVar[int | None] = ContextVar("memory for frames", default=None)
_scratch: ContextVar[Path | None] = ContextVar("folder for frames", default=None)


@contextmanager
def limited_to(memory: int, folder: Path | None = None) -> Iterator[None]:
    """Frames that are read inside the block are held if they fit into so many bytes.

    ``folder``: where others are written, for as long as the caller keeps it.
    """
    tokens = _limit.set(memory), _scratch.set(folder)
    try:
        yield
    finally:
        _limit.reset(tokens[0])
        _scratch.reset(tokens[1])


def needed(lazy: LazyFrame) -> int:
    """Bytes that a frame takes in memory while it is worked on, about."""
    return COPIES * lazy.widths(_readable(lazy)) * lazy.records()


def _readable(lazy: LazyFrame) -> list[str]:
    return [name for name, why in lazy.columns().items() if not why]


def read(
    lazy: LazyFrame,
    schema: Schema | None,
    roles: Mapping[str, Iterable[str] | str | None],
) -> Microdata:
    """The records of a frame."""
    native = _known(lazy)
    if native is None:
        native = _records(lazy)
        _remember(lazy.frame, native)
    # only now: what is remembered must not keep the frame alive
    native = replace(native, origin=lazy)
    if isinstance(native.frame, DiskTable):
        return OnDisk._read(native.frame, schema, roles, native)
    return Microdata._read(to_table(native), schema, roles, native)


def give_back(native: NativeFrame, restored: Frame, *, on_disk: bool) -> Frame:
    """The user's kind of frame with these records; read again, it has the same order of rows."""
    origin = native.origin
    assert isinstance(origin, LazyFrame)
    if not on_disk:
        made = origin.of_held(restored)
        of_made = NativeFrame.of(restored)
    else:
        place = _private_place()
        file = place.path / "release.parquet"
        parquet.write(restored, file)
        made = origin.of_file(file, restored.schema)
        # the frame reads the file whenever it is asked: it stays until the process ends
        table = DiskTable.of(ParquetParts.of(file), SpillFolder(place.path))
        of_made = native_of(table)
    _remember(made, of_made)
    return made


def _records(lazy: LazyFrame) -> NativeFrame:
    columns = lazy.columns()
    left_out = {name: why for name, why in columns.items() if why}
    names = readable(columns, left_out, f"{lazy.kind}: ")
    limit = _limit.get()
    limit = int(SHARE * free_memory()) if limit is None else limit
    if needed(lazy) <= limit:
        return NativeFrame.of(lazy.held(names))
    given = _scratch.get()
    if given is None:
        place = _private_place()
        folder = SpillFolder(place.path)
        weakref.finalize(folder, place.close)
    else:
        folder = SpillFolder(given)
    written, whole = folder.path / "original", folder.path / "original.whole"
    # a run that goes on works on the records that it began with
    if not whole.exists():
        shutil.rmtree(written, ignore_errors=True)
        lazy.write(names, written)
        whole.touch()
    return native_of(DiskTable.of(ParquetParts.of(written), folder))


def _private_place() -> PrivatePlace:
    parent = Path(os.environ.get(SCRATCH) or tempfile.gettempdir()).resolve()
    if not parent.is_dir():
        raise InputError(f"{SCRATCH}={parent}: there is no such folder")
    return PrivatePlace(parent, PREFIX, NEW)


def _known(lazy: LazyFrame) -> NativeFrame | None:
    found = _read.get(id(lazy.frame))
    return found[1] if found is not None and found[0]() is lazy.frame else None


def _remember(frame: Frame, native: NativeFrame) -> None:
    key = id(frame)
    _read[key] = (weakref.ref(frame, lambda _: _read.pop(key, None)), native)
