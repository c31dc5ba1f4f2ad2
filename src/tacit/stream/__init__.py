"""Filters that protect a stream of records, and monitors that watch risk and loss while it flows.

    import tacit as tc
    masked = tc.stream.Microaggregation(k=3, window=100).apply(array)   # a whole array at once
    for release in tc.stream.Noise(amount=0.5)(records):                # or any iterator, one by one
        print(release.record, release.index, release.delay)

A new filter is one file and one line here. Names are imported on first use.
"""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    noise="noise:Noise",
    multiplicative="multiplicative:MultiplicativeNoise",
    microaggregation="microaggregation:Microaggregation",
    rank_swapping="rank_swapping:RankSwapping",
    private="private:PrivateMicroaggregation",
    clusters="clusters:DelayBoundClusters",
    pram="pram:PRAM",
    rounding="rounding:Rounding",
    coding="coding:TopBottomCoding",
)

_ALSO = {
    "Filter": "base:Filter",
    "Release": "release:Release",
    "Batch": "release:Batch",
    "Watch": "watch:Watch",
    "RiskMonitor": "monitor_risk:RiskMonitor",
    "LossMonitor": "monitor_loss:LossMonitor",
    "FlowMonitor": "monitor_flow:FlowMonitor",
    "RiverTransformer": "river_transformer:RiverTransformer",
    "CapyMOAStream": "capymoa_stream:CapyMOAStream",
    "RedisSource": "redis_streams:RedisSource",
    "RedisSink": "redis_streams:RedisSink",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
