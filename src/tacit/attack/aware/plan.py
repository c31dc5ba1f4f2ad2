"""The strongest attacker for a plan: the evidence of its steps put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.attack.aware.base import Informed
from tacit.attack.aware.categories import unchanged
from tacit.attack.aware.estimated import AwareEstimated
from tacit.attack.base import Matching
from tacit.attack.evidence import Evidence, Rule, link_by
from tacit.microdata import Microdata


class Aware(Informed):
    """The intruder knows the plan and turns it against the release.

    Definition: each step's own attacker on its columns, and columns that no step touched as they are; their evidence
    (minus log likelihood) adds up. Where two steps touch the same column only the estimated covariance of both is
    used. Without a plan the intruder guesses (see `Reverse`). Source: 003; Nin, Herranz and Torra (2008) for rank
    swapping; each file of ``attack/aware`` names its own. Guarantee: as that of the rule that links
    (``certified`` of the linkage). Cost: that of a nearest or assignment run, on the evidence.

    Parameters: `plan`: a plan, a protector, or a list of them; seeds are never used.

    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> noise = tc.protect.Noise(percent=5, random_state=1)
    >>> Aware(plan=noise).link(x, noise.fit_transform(x)).rate > 0.9
    True
    """

    method = "plan"

    def __init__(self, plan: Any = None, rule: Rule = "assignment", columns: list[str] | None = None) -> None:
        self.plan = plan
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        if self.plan is None:
            return self._says("and guesses from the release how it was masked")
        from tacit.plan import Plan

        return self._says(f"how the file was masked: {Plan.of(self.plan)}")

    def _match(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        if self.plan is None:
            from tacit.attack.reverse import Reverse

            return Reverse(rule=self.rule, columns=self.columns)._match(original, masked, columns)
        return link_by(self.evidence(original, masked, columns), self.rule)

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        from tacit.attack.aware import ATTACKERS
        from tacit.plan import Plan

        found = Evidence.none(original.n, masked.n)
        touched: dict[str, int] = {}
        work: list[tuple[Informed, list[str]]] = []
        for step in Plan.of(self.plan).steps:
            names = _touched(step, original, columns)
            for name in names:
                touched[name] = touched.get(name, 0) + 1
            make = ATTACKERS.get(step.method)
            maker: Callable[[Any, Microdata], Informed | None] | None = make() if make else None
            attacker = maker(step, original) if maker else AwareEstimated()
            if attacker is not None and names:
                work.append((attacker, names))
        twice = [name for name in columns if touched.get(name, 0) > 1]
        for attacker, names in work:
            use = [name for name in names if name not in twice]
            if use:
                found = found + attacker.evidence(original, masked, use)
        if twice:
            found = found + AwareEstimated().evidence(original, masked, twice)
        left = [name for name in columns if name not in touched]
        return found + unchanged(original, masked, left) if left else found


def _touched(step: Any, original: Microdata, columns: list[str]) -> list[str]:
    """The compared columns that a step masks."""
    if step.method in ("sampling", "pseudonyms"):
        return []
    asked = step.parameters.get("columns") or step.parameters.get("quasi")
    if asked is None and step.method == "ipso":
        given = set(step.parameters.get("confidential") or [])
        asked = [name for name in original.quasi if name not in given]
    return [name for name in columns if name in (original.quasi if asked is None else asked)]
