"""Protectors: objects that mask microdata (scikit-learn transformers). A new method is one file and one line here."""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    noise="noise:Noise",
    rank_swapping="rank_swapping:RankSwapping",
    microaggregation="microaggregation:Microaggregation",
    pram="pram:PRAM",
    shuffling="shuffling:Shuffling",
    rounding="rounding:Rounding",
    resampling="resampling:Resampling",
    massc="massc:MASSC",
    ipso="ipso:IPSO",
    sampling="sampling:Sampling",
    recoding="recoding:Recoding",
    top_bottom_coding="topbottom:TopBottomCoding",
    local_suppression="suppression:LocalSuppression",
    pseudonyms="pseudonyms:Pseudonyms",
    dp_microaggregation="dp_microaggregation:DPMicroaggregation",
    laplace="laplace:Laplace",
)

_ALSO = {"Protector": "base:Protector", "NumericProtector": "base:NumericProtector"}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
