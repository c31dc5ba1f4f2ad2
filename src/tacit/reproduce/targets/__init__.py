"""Every table and figure that can be recomputed. A new target is an entry in one of these files."""

from __future__ import annotations

from functools import cache

from tacit.reproduce.model import Experiment, Target
from tacit.reproduce.targets import (
    assignment_tables,
    example_tables,
    mahalanobis_tables,
    orthtree_tables,
    stream_tables,
    weight_tables,
)

# In the order of the papers, which is the order of `tacit reproduce list`.
_FILES = (
    example_tables,
    assignment_tables,
    weight_tables,
    orthtree_tables,
    mahalanobis_tables,
    stream_tables,
)


@cache
def targets() -> dict[str, Target]:
    """Targets by name, in the order of the papers."""
    return {target.name: target for file in _FILES for target in file.TARGETS}


@cache
def experiments() -> dict[str, Experiment]:
    """The experiments behind the targets, by name.

    Two experiments of one name would share their stored runs, so that is an error.
    """
    by_name: dict[str, Experiment] = {}
    for target in targets().values():
        for experiment in (target.experiment, target.fault):
            if experiment is None:
                continue
            if by_name.setdefault(experiment.name, experiment) is not experiment:
                raise ValueError(f"two experiments are called {experiment.name}")
    return by_name
