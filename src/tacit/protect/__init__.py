"""Protectors: objects that mask microdata, as scikit-learn transformers.

A new method is one file and one line here.
"""

from __future__ import annotations

from tacit.base.registry import Registry

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
    generalisation="generalisation:Generalisation",
    top_bottom_coding="top_bottom_coding:TopBottomCoding",
    record_swapping="record_swapping:RecordSwapping",
    local_suppression="local_suppression:LocalSuppression",
    pseudonyms="pseudonyms:Pseudonyms",
    date_shift="date_shift:DateShift",
    date_truncation="date_truncation:DateTruncation",
    age_at="age_at:AgeAt",
    dp_microaggregation="dp_microaggregation:DPMicroaggregation",
    dp_generalisation="dp_generalisation:DPGeneralisation",
    laplace="laplace:Laplace",
)

# what is public in this room but is no method
_ALSO = {"Protector": "base:Protector", "NumericProtector": "base:NumericProtector"}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
