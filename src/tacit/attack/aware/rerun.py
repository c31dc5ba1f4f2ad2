"""A method without randomness: the intruder masks their own file in the same way and compares."""

from __future__ import annotations

from typing import Any

from tacit.attack.aware.base import Informed
from tacit.attack.aware.categories import unchanged
from tacit.attack.evidence import Evidence, Rule
from tacit.microdata import Microdata


class Rerun(Informed):
    """Apply the plan to the originals and look for the results: the limit of what a deterministic method hides.

    Definition: nearest record between plan(original) and the release, ties shared. Source: the definition of each
    method; no randomness, so nothing is left to guess. Guarantee: no attacker finds more of a deterministic release
    of all records. Cost: the plan once more, and a nearest run. It needs the whole original file, as groups depend
    on every record. What remains is the identity of records that the method makes equal: microaggregation of all
    columns together leaves at most 1/k.

    Parameters: `plan`: a plan, protector or list of them that draws no random numbers (None: nothing was done).

    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(90, 3))
    >>> mdav = tc.protect.Microaggregation(k=3)
    >>> round(Rerun(plan=mdav).link(x, mdav.fit_transform(x)).correct)
    30
    """

    method = "rerun"

    def __init__(self, plan: Any = None, rule: Rule = "assignment", columns: list[str] | None = None) -> None:
        self.plan = plan
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("the method with all its parameters, which draws no random numbers and can be run again")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        from tacit.plan import Plan

        again = original if self.plan is None else Plan.of(self.plan).apply(original)
        return unchanged(again, masked, columns)
