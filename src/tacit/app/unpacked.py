"""How large a file is once it is unpacked: told before anything is, and held while it is.

A packed file of a few hundred kilobytes can hold gigabytes of the same value. The limit of an
upload is therefore one of what it unpacks to, too. What a file says of itself is looked at first;
a file can lie, so while it is read the process may not take more memory than such a file needs.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import InputError, TacitError

try:
    import resource
except ImportError:  # Windows has none; there only what a file says of itself counts
    resource = None  # type: ignore[assignment]

MEGABYTE = 1_000_000
# A value is held about so many times while a file is read and described: the file's own bytes,
# those that are decoded, the table, its values as numbers, and a copy in work.
COPIES = 6
# Libraries that are loaded and kernels that are compiled while the first file is read.
PROGRAM = 1_000 * MEGABYTE
# Bytes of a value by the physical type of Parquet; of text at least its place in the table.
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
PLACE = 4
# Formats that say in a header how many records they hold, and of what width.
STATISTICAL = (".sav", ".zsav", ".dta", ".por", ".xpt", ".sas7bdat")


@contextmanager
def within(path: str, limit_mb: int) -> Iterator[None]:
    """Refuse a file that unpacks to more than the limit; inside, hold the process to it."""
    size = unpacked_size(Path(path))
    if size > limit_mb * MEGABYTE:
        raise InputError(
            f"{path}: unpacks to {size / MEGABYTE:,.0f} MB, and the page takes files of up to "
            f"{limit_mb:,} MB (see tacit app --limit); on the command line larger ones are read"
        )
    try:
        with _memory(PROGRAM + COPIES * limit_mb * MEGABYTE):
            yield
    except MemoryError:
        raise InputError(
            f"{path}: needs more memory than a file of {limit_mb:,} MB may take "
            "(see tacit app --limit)"
        ) from None


def unpacked_size(path: Path) -> int:
    """Bytes of the values in a file, by what it says of itself; 0 where it says nothing.

    What cannot be read here gets its sentence from the reader of its format.
    """
    ending = path.suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return _parquet(path)
        if ending == ".xlsx":
            with zipfile.ZipFile(path) as archive:
                return sum(part.file_size for part in archive.infolist())
        if ending in STATISTICAL:
            return _statistical(path)
    except (OSError, pa.ArrowException, zipfile.BadZipFile, TacitError):
        return 0
    return 0


def _parquet(path: Path) -> int:
    """Values times their width: equal values take no place in the file, and theirs in memory."""
    about = pq.read_metadata(path)
    total = 0
    for group in range(about.num_row_groups):
        for place in range(about.num_columns):
            column = about.row_group(group).column(place)
            width = WIDTHS.get(column.physical_type, PLACE)
            total += max(column.num_values * width, column.total_uncompressed_size)
    return total


def _statistical(path: Path) -> int:
    """Records times the width of a record."""
    from tacit.data.io.stats import pyreadstat_module

    pyreadstat = pyreadstat_module()
    readers = {
        ".dta": pyreadstat.read_dta,
        ".por": pyreadstat.read_por,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    reader = readers.get(path.suffix.lower(), pyreadstat.read_sav)
    try:
        _, about = reader(str(path), metadataonly=True)
    except (pyreadstat.ReadstatError, UnicodeDecodeError, LookupError, ValueError):
        return 0
    # A file that is written as it is made does not know how many records it will hold.
    records = about.number_rows or 0
    return int(records * sum(about.variable_storage_width.values()))


@contextmanager
def _memory(more: int) -> Iterator[None]:
    """Let the process take at most this much memory more than it has."""
    status = Path("/proc/self/status")
    if resource is None or not status.exists():
        yield
        return
    taken = re.search(r"VmData:\s+(\d+) kB", status.read_text())
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if taken is not None:
        # The system counts in kilobytes.
        most = int(taken[1]) * 1024 + more
        allowed = [
            most,
            *(one for one in (soft, hard) if one != resource.RLIM_INFINITY),
        ]
        resource.setrlimit(resource.RLIMIT_DATA, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
