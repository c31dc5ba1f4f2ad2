"""The intruders who try every release.

One list, for the assessment, the comparison, the report and the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature

from numpy.typing import ArrayLike

from tacit.attack import registry
from tacit.attack.base import Attacker, Release
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.plan_attackers import for_plan
from tacit.attack.probabilistic.link_probabilities import LinkProbabilities
from tacit.data.microdata import Microdata


def panel(
    original: object,
    masked: object,
    names: Iterable[str] | None = None,
    *,
    plan: object = None,
    truth: ArrayLike | None = None,
    columns: list[str] | None = None,
    in_order: bool = False,
) -> dict[str, Attacker]:
    """The named attackers, and those whom this release invites.

    Each attacker says whether it is usual, and whether a release invites it: columns left
    alone invite who links by those, exchanged values who undoes exchanges. Where the plan is
    known, those made for its methods come too. Leaving them out would understate the risk.

    Parameters
    ----------
    original, masked : frame, array, dict of columns or Microdata
        Both files.
    names : iterable of str, optional
        Registered attackers; those that are `usual` unless given.
    plan : plan, protector or list of protectors, optional
        How the file was masked, where the intruder knows it.
    truth : array of int, optional
        The masked row of each original; aligned rows unless given.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.
    in_order : bool
        The rows of ``masked`` leave in this order; what tacit writes is shuffled.
    """
    release = Release(Microdata.of(original), Microdata.of(masked), truth, columns)
    if names is None:
        chosen = [name for name in registry if registry[name].usual]
        if plan is not None:
            chosen = [name for name in chosen if not registry[name].told_nothing]
    else:
        chosen = list(names)
    chosen += [
        name
        for name in registry
        if name not in chosen and registry[name].invited(release)
    ]
    knowledge: dict[str, object] = {
        "columns": columns,
        "plan": plan,
        "in_order": in_order,
    }
    intruders: dict[str, Attacker] = {
        name: made_by(registry[name], knowledge) for name in chosen
    }
    # an intruder who knows the method finds more than one who does not
    if plan is not None:
        for attacker in for_plan(plan):
            intruders[registry.name_of(attacker)] = attacker
        # near the limit the likeliest link under the bijection beats the cheapest assignment
        if names is None and release.original.n <= DENSE:
            intruders["link_probabilities"] = LinkProbabilities(plan=plan)
    return intruders


def made_by(kind: type[Attacker], knowledge: dict[str, object]) -> Attacker:
    """The attacker with what it can take of this knowledge; what is None is left to its default.

    Parameters
    ----------
    kind : type
        Of the attacker.
    knowledge : dict
        Values of parameters, by name.
    """
    takes = signature(kind).parameters
    return kind(
        **{
            name: value
            for name, value in knowledge.items()
            if value is not None and name in takes
        }
    )
