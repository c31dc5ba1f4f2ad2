"""From a step of a plan to the attacker who knows it."""

from __future__ import annotations

from typing import Any

from tacit.attack.aware.base import Informed
from tacit.attack.aware.categories import AwarePRAM
from tacit.attack.aware.gaps import AwareSuppression
from tacit.attack.aware.groups import AwareMicroaggregation
from tacit.attack.aware.intervals import AwareRounding
from tacit.attack.aware.laplace import AwareLaplace
from tacit.attack.aware.noise import AwareNoise
from tacit.attack.aware.ranks import AwareRankSwapping
from tacit.attack.aware.regression import AwareIPSO, AwareShuffling
from tacit.attack.aware.rerun import Rerun
from tacit.microdata import Microdata

LARGE = 20_000


def _told(step: Any) -> dict[str, Any]:
    """All parameters of the step, defaults included."""
    return dict(step.protector().get_params(deep=False))


def noise(step: Any, original: Microdata) -> Informed:
    told = _told(step)
    return AwareNoise(told["kind"], percent=told["percent"], factor=told["factor"], replace=told["replace"])


def rank_swapping(step: Any, original: Microdata) -> Informed:
    return AwareRankSwapping(p=_told(step)["p"])


def microaggregation(step: Any, original: Microdata) -> Informed:
    """The blocks are those that the method forms; of a large file, those that the release shows (no second run)."""
    protector = step.protector()
    told = protector.get_params(deep=False)
    runs = told["partition"] in ("individual", "mdav") or told["groups"] == "MicIR"
    if original.n > LARGE:
        return AwareMicroaggregation(runs=runs)
    protector.fit(original)
    return AwareMicroaggregation(blocks=[list(block) for block in protector.blocks_], runs=runs)


def pram(step: Any, original: Microdata) -> Informed:
    protector = step.protector()
    protector.fit(original)
    return AwarePRAM(matrices={name: matrix.tolist() for name, matrix in protector.matrices_.items()})


def rounding(step: Any, original: Microdata) -> Informed:
    protector = step.protector()
    protector.fit(original)
    return AwareRounding(base=dict(protector.base_), kind=protector.kind)


def recoding(step: Any, original: Microdata) -> Informed:
    """Which interval or class a value falls in is computed, not guessed: the step is run again."""
    return Rerun(plan=step)


def shuffling(step: Any, original: Microdata) -> Informed:
    return AwareShuffling(given=_told(step)["given"])


def ipso(step: Any, original: Microdata) -> Informed:
    return AwareIPSO(confidential=_told(step)["confidential"])


def laplace(step: Any, original: Microdata) -> Informed:
    told = _told(step)
    return AwareLaplace(epsilon=told["epsilon"], bounds=told["bounds"])


def local_suppression(step: Any, original: Microdata) -> Informed:
    return AwareSuppression()


def nothing(step: Any, original: Microdata) -> None:
    """The step changes no compared value."""
