"""Blocks for superlinear work: a partition cuts a file into blocks that are treated one by one.

``tacit.scale.partition.OrthTree(leaf=10_000).fit(values)`` gives a splitter;
``splitter.assign(values)`` the block of each record. Blocks depend on values alone, never on
the order of rows, the number of threads or the engine.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    orthtree="orthtree:OrthTree",
    interval="one_column:EqualInterval",
    count="one_column:EqualCount",
    kdtree="median_tree:KdTree",
)

# names of this room that are not partitions
_ALSO = {
    "Blocks": "base:Blocks",
    "Splitter": "base:Splitter",
    "split": "base:split",
    "microaggregate": "aggregate:microaggregate",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
