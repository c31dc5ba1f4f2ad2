"""The memory limit of a run, and how it is divided."""

from __future__ import annotations

import re
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import ParameterError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def bytes_of(text: str | int) -> int:
    """ "2GB", "1.5GiB", "800M" or a number of bytes.

    >>> bytes_of("2GB"), bytes_of("1.5GiB")
    (2000000000, 1610612736)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?i?)b?\s*", str(text).lower())
    try:
        return int(float(found[1]) * _UNITS[found[2]]) if found else int(text)
    except (ValueError, KeyError):
        raise ParameterError(f"memory={text!r} is not an amount such as 2GB or 500MB") from None


def resident() -> int:
    """Bytes of this process in memory now."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    return peak()


def peak() -> int:
    """Most bytes that this process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)


@dataclass(frozen=True)
class Budget:
    """Records that may be read at a time (``chunk``), buffered while spilling, and loaded as one bin of blocks."""

    chunk: int
    buffer: int
    bin: int

    @classmethod
    def of(cls, limit: int, columns: int, workers: int, largest_block: int) -> Budget:
        """Divide what the limit leaves. A record of a bin is held about six times over (file buffers, table, sorted
        table, arrays, results) and one of a block being treated about eight times more per worker."""
        record = 8 * (columns + 2)
        free = limit - max(resident(), 250 * 10**6)
        needed = 8 * record * largest_block * workers
        share = (free - needed) // 8
        if share < 2000 * record:
            raise ParameterError(
                f"memory: {limit / 1e9:.2f} GB cannot hold the program and {workers} blocks of {largest_block:,} "
                f"records; give about {(limit - free + needed) / 1e9 + 0.1:.1f} GB, or make blocks smaller (leaf)"
            )
        records = int(share // record)
        return cls(min(records, 200_000), min(records, 2_000_000), max(min(records, 1_000_000), largest_block))
