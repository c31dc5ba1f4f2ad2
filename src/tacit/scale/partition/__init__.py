"""Blocks for superlinear work: a partition cuts a file into blocks that are treated one by one.

``tc.partition.OrthTree(leaf=10_000).fit(values)`` gives a splitter; ``splitter.assign(values)`` the block of each
record. Blocks depend on values alone, never on the order of rows, the number of threads or the engine.
"""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    orthtree="orthtree:OrthTree",
    interval="univariate:EqualInterval",
    count="univariate:EqualCount",
    kdtree="kdtree:KdTree",
)

_ALSO = {
    "Blocks": "blocks:Blocks",
    "Splitter": "blocks:Splitter",
    "split": "blocks:split",
    "draw": "picture:draw",
    "microaggregate": "aggregate:microaggregate",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
