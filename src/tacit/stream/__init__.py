"""Filters that protect a stream of records, and monitors that watch risk and loss while it flows.

    import tacit as tc masked = tc.stream.Microaggregation(k=3, window=100).apply(array)   # a
    whole array at once for release in tc.stream.Noise(percent=50)(records):                # or
    any iterator, one by one
        print(release.record, release.index, release.delay)

A filter has the name and the parameters of the method on a file, `tacit.protect`, plus those that
only a stream needs (``window``, ``warmup``, ...). A new filter is one file and one line here. Names
are imported on first use.
"""

from __future__ import annotations

from typing import Any

from tacit.stream.vocabulary import CLASSES, Filters

registry = Filters(
    __name__,
    noise="filters.noise:Noise",
    multiplicative_noise="filters.multiplicative_noise:MultiplicativeNoise",
    microaggregation="filters.microaggregation:Microaggregation",
    rank_swapping="filters.rank_swapping:RankSwapping",
    dp_microaggregation="filters.dp_microaggregation:DPMicroaggregation",
    clusters="filters.clusters:DelayBoundClusters",
    pram="filters.pram:PRAM",
    rounding="filters.rounding:Rounding",
    top_bottom_coding="filters.top_bottom_coding:TopBottomCoding",
)

# what the room offers beside the filters
_ALSO = {
    "Filter": "base:Filter",
    "Release": "released:Release",
    "Batch": "released:Batch",
    "Watch": "watch:Watch",
    "RiskMonitor": "monitors.risk:RiskMonitor",
    "LossMonitor": "monitors.loss:LossMonitor",
    "FlowMonitor": "monitors.flow:FlowMonitor",
    "RiverTransformer": "sources.river:RiverTransformer",
    "CapyMOAStream": "sources.capymoa:CapyMOAStream",
    "RedisSource": "sources.redis:RedisSource",
    "RedisSink": "sources.redis_sink:RedisSink",
}
_attribute = registry.attribute(_ALSO)


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        raise AttributeError(f"tacit.stream.{name} is now called {CLASSES[name]}")
    return _attribute(name)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
