"""Attackers: objects with ``link(original, masked) -> Linkage``.

A new attacker is one file and one line here.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    nearest="nearest:Nearest",
    assignment="assignment:Assignment",
    unchanged_columns="unchanged_columns:UnchangedColumns",
    possible="possible:Possible",
    blocks="blocks:Blocks",
    aware="informed.aware:Aware",
    rerun="informed.rerun:Rerun",
    reverse="informed.reverse:Reverse",
    shadow="informed.shadow:Shadow",
    distance="by_distance:ByDistance",
    weighted="learned.weights:Weighted",
    groups="groups:Groups",
    gap_pattern="gap_pattern:GapPattern",
    probabilistic="probabilistic.fellegi_sunter:FellegiSunter",
    pairing="pairing:Pairing",
    everything="features.everything:Everything",
    link_probabilities="probabilistic.link_probabilities:LinkProbabilities",
)

_ALSO = {
    "Attacker": "base:Attacker",
    "Linkage": "base:Linkage",
    "Matching": "base:Matching",
    "learn_weights": "learned.weights:learn_weights",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
