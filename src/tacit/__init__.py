"""tacit: protect microdata, attack the release as the best intruder would, measure what was risked and lost."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Names are loaded on first use: `import tacit` stays light (no pandas, scikit-learn or numba).
_ROOMS = (
    "protect",
    "attack",
    "risk",
    "loss",
    "stream",
    "datasets",
    "partition",
    "engine",
    "io",
    "errors",
    "large",
)
_NAMES = {
    "Microdata": "microdata",
    "Schema": "microdata",
    "Role": "microdata",
    "Kind": "microdata",
    "Column": "microdata",
    "Plan": "plan",
    "Step": "plan",
    "Assessment": "assess",
    "assess": "assess",
    "compare": "compare",
    "read": "io",
    "write": "io",
    "TacitError": "errors",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"tacit.{name}")
    if name in _NAMES:
        value = getattr(import_module(f"tacit.{_NAMES[name]}"), name)
        globals()[name] = value  # over the submodule of the same name, which the import has just bound
        return value
    raise AttributeError(f"module 'tacit' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*_ROOMS, *_NAMES, "__version__"])
