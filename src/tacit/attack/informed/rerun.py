"""A method without randomness: the intruder masks their own file in the same way and compares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tacit.attack.holding import Holding
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.informed.pram import unchanged
from tacit.attack.informed.steps import apply_again, protectors_of
from tacit.data.microdata import Microdata


class Rerun(Informed):
    """Apply the plan to the originals and look for the results.

    Parameters
    ----------
    plan : plan, protector or list of protectors, optional
        One that draws no random numbers; None: nothing was done.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Nearest record between plan(original) and the release, ties shared. It
    needs the whole original file, as groups depend on every record. What remains is the
    identity of records that the method makes equal: microaggregation of all columns
    together leaves at most 1/k.

    **Guarantee.** No attacker finds more of a deterministic release of all records: no
    randomness, so nothing is left to guess.

    **Cost.** The plan once more, and a nearest run.

    References
    ----------
    The definition of each method.

    Examples
    --------
    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(90, 3))
    >>> mdav = tc.protect.Microaggregation(k=3)
    >>> round(Rerun(plan=mdav).link(x, mdav.fit_transform(x)).correct)
    30
    """

    title = "Knows the method and runs it again"
    # what is the same again is found at once, and nobody finds more
    patience = 0

    method = "rerun"

    def __init__(
        self,
        plan: object = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> Rerun:
        """Which class a value falls in is computed, not guessed: the step is run again."""
        return cls(plan=protector)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "the method with all its parameters, which draws no random numbers and can be "
            "run again"
        )

    def is_vectors(self, original: Microdata, columns: list[str]) -> bool:
        """Whatever the plan makes again is compared as it is."""
        return True

    def holding(self, original: Microdata, *, on_disk: bool) -> Holding:
        """What it links by, and what the plan holds that is run again."""
        linked = super().holding(original, on_disk=on_disk)
        steps = [] if self.plan is None else protectors_of(self.plan)
        again = max((step.holds(original)[0] for step in steps), default=0.0)
        return replace(linked, each=max(linked.each, again))

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Any difference from what the plan gives again counts heavily."""
        if self.plan is None:
            again = original
        else:
            again = apply_again(self.plan, original)
        return unchanged(again, masked, columns)
