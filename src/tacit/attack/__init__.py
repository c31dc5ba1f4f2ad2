"""Attackers: objects with ``link(original, masked) -> Linkage``. A new attacker is one file and one line here."""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    nearest="nearest:Nearest",
    assignment="assignment:Assignment",
    unchanged_columns="unchanged:UnchangedColumns",
    possible="possible:Possible",
    blocks="blocks:Blocks",
    aware="aware.plan:Aware",
    rerun="aware.rerun:Rerun",
    reverse="reverse:Reverse",
    distance="distances_papers:ByDistance",
    weighted="weights:Weighted",
    probabilistic="probabilistic:FellegiSunter",
    link_probabilities="posterior:LinkProbabilities",
)

_ALSO = {"Attacker": "base:Attacker", "Linkage": "base:Linkage", "Matching": "base:Matching"}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
