"""The strongest attacker for a plan: the evidence of its steps put together."""

from __future__ import annotations

from tacit.attack.base import Matching
from tacit.attack.informed.base import Informed, spill_of
from tacit.attack.informed.by_parts import attacker_for
from tacit.attack.informed.estimated import AwareEstimated
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.gaps import gap_evidence
from tacit.attack.informed.learned_law import learned_law
from tacit.attack.informed.pram import unchanged
from tacit.attack.informed.reverse import Reverse
from tacit.attack.informed.steps import (
    Protector,
    as_planned,
    computed_part,
    in_short,
    protectors_of,
)
from tacit.base.errors import TacitError
from tacit.data.microdata import Microdata


class Aware(Informed):
    """The intruder knows the plan and turns it against the release.

    Parameters
    ----------
    plan : plan, protector or list of protectors, optional
        How the file was masked; seeds are never used. None: the intruder guesses it.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Steps before the first random one are run again on the originals. From there on
    each step's own attacker on its columns, and columns that no step touched as they are; their
    evidence (minus log likelihood) adds up. Where a step works on what a random one made, the
    law is learned by running the plan again (see ``Shadow``), up to 6,000 records; above, the
    estimated covariance of all steps is used. Without a plan the intruder guesses (see
    ``Reverse``).

    **Guarantee.** As that of the rule that links (``certified`` of the linkage).

    **Cost.** That of a nearest or assignment run, on the evidence.

    References
    ----------
    Muralidhar and Domingo-Ferrer; Nin, Herranz and Torra (2008) for rank swapping; each
    file of ``attack/informed`` names its own.

    Examples
    --------
    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> noise = tc.protect.Noise(percent=5, random_state=1)
    >>> Aware(plan=noise).link(x, noise.fit_transform(x)).rate > 0.9
    True
    """

    title = "Knows how it was masked"

    method = "plan"

    def __init__(
        self,
        plan: object = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        if self.plan is None:
            return self._says("and guesses from the release how it was masked")
        return self._says(f"how the file was masked: {in_short(self.plan)}")

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if self.plan is None:
            guesser = Reverse(
                rule=self.rule,
                columns=self.columns,
            )
            return guesser._match(original, masked, columns)
        evidence = self.evidence(original, masked, columns)
        return link_by(evidence, self.rule, spill_of(original))

    def is_vectors(self, original: Microdata, columns: list[str]) -> bool:
        """One step whose attacker compares vectors, and columns without gaps or left alone."""
        steps = [] if self.plan is None else protectors_of(self.plan)
        if len(steps) != 1 or any(original.missing(name).any() for name in columns):
            return False
        given = as_planned(self.plan, original)
        touched = set(steps[0].touches(given))
        attacker = attacker_for(steps[0], given)
        mine = [name for name in columns if name in touched]
        return not mine or (attacker is not None and attacker.is_vectors(given, mine))

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """The sum of the evidence of all steps and of the columns left alone."""
        return self.by_steps(original, masked, columns, learn=True)

    def by_steps(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        *,
        learn: bool = False,
    ) -> Evidence:
        """The evidence; columns that no single law holds for are estimated, or learned.

        Parameters
        ----------
        original, masked : Microdata
            Both files.
        columns : list of str
            The columns that are compared.
        learn : bool
            Run the plan again and again for the law of columns that two random steps touched.
        """
        given, steps = computed_part(self.plan, original)
        work, mixed = _exact(steps, given, columns)
        total = Evidence.none(original.n, masked.n)
        for attacker, names in work:
            total = total + attacker.evidence(given, masked, names)
        if mixed:
            total = total + self._mixed(original, masked, mixed, learn)
        total = total + self._gaps(original, masked, columns)
        touched = {name for step in steps for name in step.touches(given)}
        untouched = [name for name in columns if name not in touched]
        if untouched:
            total = total + unchanged(given, masked, untouched)
        return total

    def _mixed(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        learn: bool,
    ) -> Evidence:
        """Columns whose law nobody has written down: learned from the plan, or a covariance that
        is estimated from the release."""
        if learn and original.n <= DENSE:
            try:
                law = learned_law(self.plan, original, masked, columns)
            except TacitError:
                # the plan makes records that belong to no original: there is nothing to learn
                pass
            else:
                return law.evidence(masked)
        return AwareEstimated().evidence(original, masked, columns)

    def _gaps(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Gaps of columns in which every step leaves them where they are: others are impossible."""
        moved: set[str] = set()
        for protector in protectors_of(self.plan):
            if not protector.keeps_gaps:
                moved |= set(protector.touches(original))
        kept = [
            name
            for name in columns
            if name not in moved and original.missing(name).any()
        ]
        if not kept:
            return Evidence.none(original.n, masked.n)
        return gap_evidence(original, masked, kept, keeps=True)


def _exact(
    steps: list[Protector],
    given: Microdata,
    columns: list[str],
) -> tuple[list[tuple[Informed, list[str]]], list[str]]:
    """Attackers with the columns for which their law is exact; and the columns without one.

    A step's law speaks of what the step was given and of what it made. It is exact for columns
    that no later step touches, if none of the columns that it works on was touched before.
    """
    reach = [set(step.touches(given)) for step in steps]
    work: list[tuple[Informed, list[str]]] = []
    mixed: list[str] = []
    for place, step in enumerate(steps):
        before = set().union(*reach[:place])
        after = set().union(*reach[place + 1 :])
        mine = [name for name in columns if name in reach[place] and name not in after]
        if not mine:
            continue
        attacker = attacker_for(step, given)
        if attacker is None or reach[place] & before:
            mixed += mine
        else:
            work.append((attacker, mine))
    return work, mixed
