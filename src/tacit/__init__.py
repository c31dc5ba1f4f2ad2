"""tacit: protect microdata, attack the release as the best intruder would, measure the outcome.

What is measured is what was risked and what was lost.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tacit.base.rooms import furnish

__version__ = "0.1.0"

# Names are loaded on first use: `import tacit` stays light (no pandas, scikit-learn or numba).
_ROOMS = {
    "protect": "protect",
    "attack": "attack",
    "risk": "risk",
    "loss": "loss",
    "stream": "stream",
    "scale": "scale",
    "report": "report",
    "datasets": "data.datasets",
    "hierarchies": "data.hierarchies",
    "io": "data.io",
    "errors": "base.errors",
}
_NAMES = {
    "Microdata": "data.microdata",
    "Schema": "data.schema",
    "Role": "data.schema",
    "Kind": "data.schema",
    "Column": "data.schema",
    "Plan": "plan.plan",
    "Step": "plan.plan",
    "release": "plan.release",
    "Assessment": "assess.assessment",
    "assess": "assess.assessment",
    "compare": "compare.comparison",
    "read": "data.io",
    "write": "data.io",
    "TacitError": "base.errors",
}
# names of version 0.1 and where they are now
_MOVED = {
    "large": "tacit.scale",
    "engine": "tacit.scale.engine",
    "partition": "tacit.scale.partition",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"tacit.{_ROOMS[name]}")
    if name in _NAMES:
        return getattr(import_module(f"tacit.{_NAMES[name]}"), name)
    if name in _MOVED:
        raise AttributeError(f"tacit.{name} is now {_MOVED[name]}")
    raise AttributeError(f"module 'tacit' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*_ROOMS, *_NAMES, "__version__"])


furnish(__name__, [*_ROOMS, *_NAMES])
