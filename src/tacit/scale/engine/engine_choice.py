"""An engine from what a person writes: nothing, a number, a name, or a Spark master URL."""

from __future__ import annotations

from typing import cast

from tacit.base.errors import ParameterError
from tacit.scale.engine.apache_spark import Spark
from tacit.scale.engine.base import Engine
from tacit.scale.engine.local import Processes, Threads

# how master URLs begin: standalone cluster, this machine, Hadoop, Kubernetes
MASTERS = ("spark://", "local", "yarn", "k8s://")


def engine_of(what: object) -> Engine:
    """The engine that was asked for.

    None is threads; 4 is four threads; "processes" is processes; "spark://host:7077", "yarn",
    "local[2]" are Spark; an engine is itself.
    """
    if what is None or what == "threads":
        return Threads()
    if what == "processes":
        return Processes()
    if isinstance(what, int):
        return Threads(what)
    if isinstance(what, str):
        if what.startswith(MASTERS):
            return Spark(what)
        raise ParameterError(
            f"there is no engine '{what}'; use threads, processes, "
            "or a Spark master (spark://..., yarn, local[2])"
        )
    return cast(Engine, what)
