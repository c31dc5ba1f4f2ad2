"""Every table and figure that can be recomputed. A new target is an entry in one of these files."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tacit.reproduce.model import Experiment, Target

_FILES = ("examples", "assignment", "weights", "orthtree", "mahalanobis", "stream")


@cache
def targets() -> dict[str, Target]:
    """Targets by name, in the order of the papers."""
    return {t.name: t for file in _FILES for t in import_module(f"{__name__}.{file}").TARGETS}


@cache
def experiments() -> dict[str, Experiment]:
    """The experiments behind the targets, by name; two experiments of one name would share their stored
    runs.
    """
    found: dict[str, Experiment] = {}
    for target in targets().values():
        for experiment in (target.experiment, target.fault):
            if experiment is None:
                continue
            if found.setdefault(experiment.name, experiment) is not experiment:
                raise ValueError(f"two experiments are called {experiment.name}")
    return found
