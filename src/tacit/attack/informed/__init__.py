"""Attackers who know how the file was masked, one file per masking method.

A protector names its attacker (``Protector.attacker``); the attacker's ``knowing`` makes it
from the protector. So a new masking method gets its attacker by one attribute, and
``for_plan`` finds it.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    aware="aware:Aware",
    rerun="rerun:Rerun",
    noise="noise:AwareNoise",
    rank_swapping="rank_swapping:AwareRankSwapping",
    microaggregation="microaggregation:AwareMicroaggregation",
    pram="pram:AwarePRAM",
    rounding="rounding:AwareRounding",
    shuffling="synthetic:AwareShuffling",
    ipso="synthetic:AwareIPSO",
    laplace="laplace:AwareLaplace",
    record_swapping="record_swapping:AwareRecordSwapping",
    local_suppression="local_suppression:AwareSuppression",
    resampling="resampling:AwareResampling",
    massc="massc:AwareMASSC",
    dp_microaggregation="dp_microaggregation:AwareDPMicroaggregation",
    dp_generalisation="dp_generalisation:AwareDPGeneralisation",
    noise_with_gaps="noise_with_gaps:AwareNoiseWithGaps",
    generalisation="generalisation:AwareGeneralisation",
    labels="learned_labels:AwareLabels",
    estimated="estimated:AwareEstimated",
)

_ALSO = {"for_plan": "plan_attackers:for_plan", "Informed": "base:Informed"}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
