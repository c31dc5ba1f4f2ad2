"""Freed memory is kept while a command computes, and handed back when it has ended."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import re
import numpy as np
from tacit.cli.computing import kept_memory

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024

np.ones(8_000_000)
before = resident()
with kept_memory():
    np.ones(8_000_000)
    print(resident() - before)
print(resident() - before)
first = np.ones(8_000_000)
# what lies behind it must not keep it in the process
second = np.ones(1_000_000)
del first
print(resident() - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc can be told to keep memory"
)
def test_memory_is_kept_inside_and_handed_back_afterwards() -> None:
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    inside, after, again = map(int, out.stdout.split())
    assert inside > 50
    assert after < 20
    assert again < 20
