"""An engine from what a person writes: nothing, a number of threads, a name, or a Spark master URL."""

from __future__ import annotations

from typing import Any

from tacit.engine.base import Engine
from tacit.errors import ParameterError


def engine_of(what: Any) -> Engine:
    """None: threads; 4: four threads; "processes"; "spark://host:7077", "yarn", "local[2]", ...: Spark."""
    from tacit.engine.local import Processes, Threads

    if what is None or what == "threads":
        return Threads()
    if what == "processes":
        return Processes()
    if isinstance(what, int):
        return Threads(what)
    if isinstance(what, str):
        if what.startswith(("spark://", "local", "yarn", "k8s://")):
            from tacit.engine.spark import Spark

            return Spark(what)
        raise ParameterError(
            f"there is no engine '{what}'; use threads, processes, or a Spark master (spark://..., yarn, local[2])"
        )
    return what  # type: ignore[no-any-return]
