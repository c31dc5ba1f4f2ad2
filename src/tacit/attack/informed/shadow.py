"""The shadow attacker: any plan at all, its law learned by running it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge

from tacit.attack.assignment import Assignment
from tacit.attack.base import Matching
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, link_by
from tacit.attack.informed.evidence import Rule as Plain
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.learned_law import learned_law
from tacit.attack.informed.marginals import link_by_marginals
from tacit.attack.informed.reverse import Reverse
from tacit.attack.informed.rule_choice import Choice, choose
from tacit.attack.informed.shadow_law import Law
from tacit.attack.informed.shadow_runs import Shadows
from tacit.attack.informed.steps import in_short
from tacit.attack.nearest import Nearest
from tacit.base.errors import TacitError
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

Rule = Literal["marginal"] | Plain
"""The rules that turn likelihoods into links."""


class Shadow(Informed):
    """Run the plan on the originals again and again with other seeds, and learn from it.

    Parameters
    ----------
    plan : object
        A plan, a protector, or a list of them; seeds are never used (None: the plan is
        guessed, see Reverse).
    rule : {"chosen", "assignment", "nearest", "likeliest", "marginal"}
        How likelihoods become links; chosen tries all rules, and the plain attackers, on
        own releases first.
    shadows : int, optional
        How many times the plan is run (by default 40, fewer for more than 3,000 records).
    columns : list of str, optional
        The columns that the intruder compares.

    Notes
    -----
    **Definition.** cost_ij = -log P(z_j | x_i), P learned from shadows: for each original
    and column the frequencies of gaps, labels and common values, and the mean and spread of
    its numbers on the scale (raw, logarithm, normal score) that tells most about left-out draws,
    the shape of the scatter common to all originals, and correlations between columns. With
    the rule "chosen" the attack is the one that names most records of further shadows,
    whose truth the intruder knows.
    **Guarantee.** none on the law; on average the choice is not weaker than nearest,
    assignment or `Aware`.
    **Cost.** the plan some 40 times, and seven attacks on up to five further shadows. Above
    6,000 records nothing is tried out, and the assignment is made inside candidates.

    References
    ----------
    Source: Shokri, Stronati, Song and Shmatikov (2017) for shadows; Sinkhorn (1964) for the
    scaling.

    Examples
    --------
    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.exp(np.random.default_rng(1).normal(size=(80, 3)))
    >>> noise = tc.protect.Noise(percent=20, kind="multiplicative", random_state=1)
    >>> steps = [tc.protect.TopBottomCoding(), noise]
    >>> z = steps[1].fit_transform(steps[0].fit_transform(x))
    >>> Shadow(plan=steps).link(x, z).rate > 0.8
    True
    """

    title = "Knows the plan and runs it many times"
    patience = 2

    method = "shadow"

    rule: Literal["chosen", "marginal"] | Plain  # type: ignore[assignment]  # more than others

    def __init__(
        self,
        plan: object = None,
        rule: Literal["chosen", "marginal"] | Plain = "chosen",
        shadows: Annotated[int, Ge(2)] | None = None,
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.rule = rule
        self.shadows = shadows
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is."""
        told = "and guesses from the release how it was masked"
        if self.plan is not None:
            plan = in_short(self.plan)
            told = f"how the file was masked: {plan}, which they run with seeds of their own"
        one = "that each masked record belongs to one original"
        return f"every compared column of each original, {told}, and {one}"

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the learned log likelihood; the rows of the files may stand in any order."""
        law = learned_law(self.plan, original, masked, columns, self.shadows)
        return law.evidence(masked)

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if self.plan is None:
            return Reverse(columns=self.columns)._match(original, masked, columns)
        law = learned_law(self.plan, original, masked, columns, self.shadows)
        if self.rule != "chosen" or max(original.n, masked.n) > DENSE:
            # above DENSE records there are too many to try rules
            rule: Rule = "assignment" if self.rule == "chosen" else self.rule
            matching = _linked(law.evidence(masked), rule)
            told: dict[str, object] = {"rule": f"shadow, {rule}"}
        else:
            attacks = partial(self._attacks, law, original, columns)
            # who is named is all that counts while choosing: probabilities may be rough
            shadows = Shadows(self.plan, original, FIXED)
            choice = choose(shadows, partial(attacks, sharp=False))
            matching, name = _first(choice, attacks(masked))
            told = {"rule": name, "rates_on_own_releases": choice.rates}
        matching.log = [*matching.log, told, law.describe()]
        return matching

    def _attacks(
        self,
        law: Law,
        original: Microdata,
        columns: list[str],
        released: Microdata,
        *,
        sharp: bool = True,
    ) -> dict[str, Callable[[], Matching]]:
        """The candidates; the first of equal ones is taken."""
        aware = Aware(plan=self.plan, columns=self.columns)

        @cache
        def learned() -> Evidence:
            return written_down(law.evidence(released))

        @cache
        def known() -> Evidence:
            return written_down(aware.by_steps(original, released, columns))

        return {
            "shadow, marginal": lambda: link_by_marginals(learned(), sharp=sharp),
            "shadow, assignment": lambda: link_by(learned(), "assignment"),
            "shadow, likeliest": lambda: link_by(learned(), "likeliest"),
            "aware, assignment": lambda: link_by(known(), "assignment"),
            "aware, marginal": lambda: link_by_marginals(known(), sharp=sharp),
            "nearest": lambda: Nearest()._link(original, released, columns),
            "assignment": lambda: Assignment()._link(original, released, columns),
        }


def _linked(evidence: Evidence, rule: Rule) -> Matching:
    """All rules by name, the marginal one too."""
    return (
        link_by_marginals(evidence) if rule == "marginal" else link_by(evidence, rule)
    )


def _first(
    choice: Choice, attacks: Mapping[str, Callable[[], Matching]]
) -> tuple[Matching, str]:
    """The strongest attack that can be run: a release may be unlike the shadows in kind."""
    failed: TacitError | None = None
    for name in choice.order:
        try:
            return attacks[name](), name
        except TacitError as error:
            failed = error
    raise failed or TacitError("none of the attacks can be run on this release")


def written_down(evidence: Evidence) -> Evidence:
    """The same evidence with the costs of all pairs worked out, for several rules."""
    ours, theirs = evidence.classes()
    table = evidence.block(ours.rows, theirs.rows)

    def look(left: Floats, right: Floats) -> Floats:
        rows, columns = left[:, 0].astype(np.int64), right[:, 0].astype(np.int64)
        return np.asarray(table[np.ix_(rows, columns)])

    left, right = (each.inverse.astype(float)[:, None] for each in (ours, theirs))
    bare = Evidence.none(len(left), len(right))
    return Evidence(bare.u, bare.v, [Part(left, right, look)])
