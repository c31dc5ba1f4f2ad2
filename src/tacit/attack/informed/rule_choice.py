"""Which attack is the strongest? Try them on releases that the intruder made, whose truth
the intruder knows.

An assessor who takes the largest of many rates on the release itself uses the truth to
choose. An intruder has none; but who knows the plan can mask the originals again, attack
that, and see which attack names most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from tacit.attack.base import Attacker, Matching, scored
from tacit.attack.informed.shadow_runs import ShadowRun, Shadows
from tacit.base.errors import TacitError
from tacit.base.seeds import FIXED
from tacit.data.microdata import Microdata

Attacks = Callable[[Microdata], Mapping[str, Callable[[], Matching]]]
"""The attacks on a release by name, to be run one by one; they may share what they compute
from it."""
DRAWS = 3_000
"""Records that are attacked in all: small files are tried on several releases, as chance is
large there."""
MOST = 5
"""Most releases that are tried."""
HELD_OUT = 1_000_000
"""Runs from this number on are kept for choosing; the law is learned from earlier ones."""


@dataclass(frozen=True)
class Choice:
    """The rates of all candidates on the intruder's own releases, and the best."""

    name: str
    rates: dict[str, float]

    @property
    def order(self) -> list[str]:
        """Names, strongest first; equal ones in the order in which they were given."""
        return sorted(self.rates, key=lambda name: -self.rates[name])


def choose_rule(
    original: object,
    plan: object,
    attackers: Mapping[str, Attacker],
    *,
    draws: int | None = None,
    seed: int = FIXED,
    columns: list[str] | None = None,
) -> Choice:
    """The attacker who names most records of releases that the intruder makes with the plan.

    Parameters
    ----------
    original : object
        The originals, which the intruder holds.
    plan : object
        How the file was masked: a plan, a protector, or a list of them; its seeds are not used.
    attackers : mapping of str to Attacker
        The candidates by name.
    draws : int, optional
        How many releases are tried; by default about 3,000 records in all, and at most five
        releases.
    seed : int
        Where the intruder's own seeds come from.
    columns : list of str, optional
        The columns that are compared, where the attackers do not say.

    Examples
    --------
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(60, 3))
    >>> who = {"nearest": tc.attack.Nearest(), "assignment": tc.attack.Assignment()}
    >>> choose_rule(x, tc.protect.Noise(percent=30), who).name
    'assignment'
    """
    file = Microdata.of(original)
    shadows = Shadows(plan, file, seed)

    def attack(attacker: Attacker, released: Microdata) -> Matching:
        names = columns or attacker._columns(file, released)
        return attacker._link(file, released, names)

    def attacks(released: Microdata) -> dict[str, Callable[[], Matching]]:
        return {
            name: partial(attack, attacker, released)
            for name, attacker in attackers.items()
        }

    return choose(shadows, attacks, draws)


def choose(
    shadows: Shadows,
    attacks: Attacks,
    draws: int | None = None,
) -> Choice:
    """The attack that names most in held-out shadows; one that cannot be run on one of them
    is left out."""
    many = draws or max(1, min(MOST, DRAWS // max(1, shadows.n)))
    rates: dict[str, list[float]] = {}
    for run in shadows.runs(HELD_OUT, HELD_OUT + many):
        for name, attack in attacks(run.released).items():
            try:
                rate = _rate(attack(), run, shadows.n)
            except (TacitError, np.linalg.LinAlgError):
                # not applicable to such a release: no candidate
                continue
            rates.setdefault(name, []).append(rate)
    mean = {name: sum(each) / many for name, each in rates.items() if len(each) == many}
    if not mean:
        raise TacitError("none of the attacks can be run on releases of this plan")
    return Choice(max(mean, key=lambda name: mean[name]), mean)


def _rate(
    named: Matching,
    run: ShadowRun,
    n: int,
) -> float:
    """Share of the originals whose own record is named in a shadow; a class of g equal
    records counts 1/g."""
    success, _ = scored(named, run.truth(n))
    return float(success.sum() / n)
