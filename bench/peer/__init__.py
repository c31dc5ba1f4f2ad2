"""What runs inside a peer's own environment (``bench.venvs``): a task as JSON in, measured answers
as JSON out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from bench.row import measure_here


def task() -> dict[str, Any]:
    """What is asked of the peer."""
    return dict(json.loads(sys.argv[1]))


def answer(**measures: Callable[[], Any]) -> None:
    """Measure each function and print what came out. Imports and data are in place: they do not
    count.
    """
    print(
        json.dumps({name: _measured(function) for name, function in measures.items()})
    )


def _measured(function: Callable[[], Any]) -> Any:
    """A string is an error: the peer's other answers stand."""
    try:
        return asdict(measure_here(function))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
