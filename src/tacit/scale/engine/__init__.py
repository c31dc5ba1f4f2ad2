"""Where work on blocks runs: threads or processes of this machine, or a Spark cluster.

One interface: ``engine.map(work, items)`` yields (place, result) as items finish. Work is a
function of its item alone, with its randomness from ``seed_of(key, block)``, so every engine
gives the same bytes.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    threads="local:Threads",
    processes="local:Processes",
    spark="apache_spark:Spark",
)
# names of this room that are not engines
_ALSO = {
    "Engine": "base:Engine",
    "Cancelled": "base:Cancelled",
    "Cancel": "base:Cancel",
    "seed_of": "base:seed_of",
    "engine_of": "engine_choice:engine_of",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
