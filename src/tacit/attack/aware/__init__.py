"""Attackers who know how the file was masked: one line a masking method.

`for_plan(plan)` gives the strongest attackers known for a plan. A new masking method gets its attacker by a maker
below: a function of the plan's step and the original file (the worst case: the intruder can compute from it what the
method computed) that returns the attacker, or None when the step changes no value.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.attack.base import Attacker

Maker = Callable[..., Any]


def _maker(name: str) -> Callable[[], Maker]:
    return lambda: getattr(import_module("tacit.attack.aware.makers"), name)  # type: ignore[no-any-return]


#: masking method -> how its attacker is made
ATTACKERS: dict[str, Callable[[], Maker]] = {
    "noise": _maker("noise"),
    "rank_swapping": _maker("rank_swapping"),
    "microaggregation": _maker("microaggregation"),
    "pram": _maker("pram"),
    "rounding": _maker("rounding"),
    "recoding": _maker("recoding"),
    "top_bottom_coding": _maker("recoding"),
    "shuffling": _maker("shuffling"),
    "ipso": _maker("ipso"),
    "laplace": _maker("laplace"),
    "local_suppression": _maker("local_suppression"),
    "sampling": _maker("nothing"),
    "pseudonyms": _maker("nothing"),
}

_CLASSES = {
    "Aware": "plan",
    "Rerun": "rerun",
    "AwareNoise": "noise",
    "AwareRankSwapping": "ranks",
    "AwareMicroaggregation": "groups",
    "AwarePRAM": "categories",
    "AwareRounding": "intervals",
    "AwareShuffling": "regression",
    "AwareIPSO": "regression",
    "AwareLaplace": "laplace",
    "AwareSuppression": "gaps",
    "AwareEstimated": "estimated",
}


def for_plan(plan: Any) -> list[Attacker]:
    """The strongest attackers for a plan, protector or list of them.

    `Aware` puts the evidence of the steps together; when no step draws random numbers, `Rerun` masks the originals
    again and compares.
    """
    from tacit.attack.aware.plan import Aware
    from tacit.attack.aware.rerun import Rerun
    from tacit.plan import Plan

    known = Plan.of(plan)
    found: list[Attacker] = [Aware(plan=known)]
    if not any(step.random for step in known.steps):
        found.append(Rerun(plan=known))
    return found


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        return getattr(import_module(f"tacit.attack.aware.{_CLASSES[name]}"), name)
    raise AttributeError(f"module 'tacit.attack.aware' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*_CLASSES, "ATTACKERS", "for_plan"])
