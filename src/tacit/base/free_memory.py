"""How much memory this machine has to give."""

from __future__ import annotations

import os
from pathlib import Path


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
