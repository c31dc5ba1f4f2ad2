"""Files that are too large for memory, for one machine, or for quadratic work.

``protect`` masks a Parquet file block by block within a memory limit, in process or on a Spark cluster, with
checkpoints; ``link`` attacks two files block by block and reports the price of blocking.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {"protect": "run", "link": "linking", "Run": "result", "BlockLinkage": "result", "digest": "result"}


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"tacit.large.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'tacit.large' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(_NAMES)
