"""Files that are too large for memory, for one machine, or for quadratic work.

``protect`` masks a Parquet file block by block within a memory limit, in process or on a Spark
cluster, with checkpoints; ``link`` attacks two files block by block and reports the price of
blocking.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tacit.base.rooms import furnish

# public name -> the file that has it, loaded on first use
_NAMES = {
    "release": "release",
    "protect": "protect",
    "link": "link",
    "BlockRelease": "run_result",
    "BlockLinkage": "run_result",
    "digest": "digest",
}


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"tacit.scale.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'tacit.scale' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(_NAMES)


furnish(__name__, _NAMES)
