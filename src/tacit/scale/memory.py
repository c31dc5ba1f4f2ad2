"""The memory limit of a run, and how it is divided."""

from __future__ import annotations

import re
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

from tacit.base.errors import ParameterError

# decimal units, and binary ones with an i
_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}


def bytes_of(text: str | int) -> int:
    """ "2GB", "1.5GiB", "800M" or a number of bytes.

    >>> bytes_of("2GB"), bytes_of("1.5GiB")
    (2000000000, 1610612736)
    """
    amount = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?i?)b?\s*", str(text).lower())
    try:
        if not amount:
            return int(text)
        return int(float(amount[1]) * _UNITS[amount[2]])
    except (ValueError, KeyError):
        raise ParameterError(
            f"memory={text!r} is not an amount such as 2GB or 500MB"
        ) from None


def resident() -> int:
    """Bytes of this process in memory now."""
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
        if kilobytes:
            return int(kilobytes[1]) * 1024
    # not Linux: the peak is the nearest that the system tells
    return peak()


def peak() -> int:
    """Most bytes that this process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # bytes on macOS, kilobytes elsewhere
    return int(most if sys.platform == "darwin" else most * 1024)


# the program itself, with its libraries and compiled kernels
PROGRAM = 250 * 10**6
# copies of a record while its block is treated, by each worker
COPIES_IN_BLOCK = 8
# shares of what is left: a record of a bin is held about six times over (file buffers, table,
# sorted table, arrays, results), and reading and spilling take some more
SHARES = 8
# a share of fewer records would spend its time opening files
LEAST_RECORDS = 2000
# beyond these sizes more memory saves no time
MOST_CHUNK, MOST_BUFFER, MOST_BIN = 200_000, 2_000_000, 1_000_000


@dataclass(frozen=True)
class Budget:
    """Records that may be read at a time (``chunk``), buffered while spilling, and in one bin."""

    chunk: int
    buffer: int
    bin: int

    @classmethod
    def of(
        cls,
        limit: int,
        columns: int,
        workers: int,
        largest_block: int,
    ) -> Budget:
        """Divide what the limit leaves beside the program and the blocks being treated."""
        # 8 bytes per value; number and block of the record are two more
        record = 8 * (columns + 2)
        free = limit - max(resident(), PROGRAM)
        needed = COPIES_IN_BLOCK * record * largest_block * workers
        share = (free - needed) // SHARES
        if share < LEAST_RECORDS * record:
            # a tenth of a gigabyte more than the sum, for the share itself
            enough = (limit - free + needed) / 1e9 + 0.1
            raise ParameterError(
                f"memory: {limit / 1e9:.2f} GB cannot hold the program and {workers} "
                f"blocks of {largest_block:,} records; give about {enough:.1f} GB, "
                "or make blocks smaller (leaf)"
            )
        records = int(share // record)
        return cls(
            chunk=min(records, MOST_CHUNK),
            buffer=min(records, MOST_BUFFER),
            bin=max(min(records, MOST_BIN), largest_block),
        )
