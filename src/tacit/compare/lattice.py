"""Search a lattice against the attacker: the release that loses least and meets a bound.

A bound on what the strongest attacker finds does not stay kept further up, so it closes no nodes.
But whoever knows hierarchies and levels finds at least one record of each class: a mean risk of
classes / n above the bound cannot be kept, and that is a constraint of the search. The nodes that
keep it and every other model come in the order of what they lose, and each is attacked; the first
that meets the bound is the best one that does.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.base.errors import ParameterError, TacitError
from tacit.base.typing import Progress
from tacit.compare.attacked import Learn, risk_of
from tacit.compare.bound import RISK, Bound
from tacit.compare.protected import Protected
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan, Step
from tacit.protect import registry

MOST = 100
"""Nodes that are attacked at most: each attack takes seconds on a file of thousands."""


def protect_least(
    data: object,
    method: str,
    bound: str | Bound,
    settings: Mapping[str, object],
    attackers: tuple[str, ...] = ("nearest", "assignment"),
    *,
    most: int = MOST,
    progress: Progress | None = None,
    learn: Learn | None = None,
) -> Protected:
    """The release of a method that ranks them (generalisation) that loses least and meets a bound.

    Parameters
    ----------
    data : frame
        The file.
    method : str
        A method with ``ranked``.
    bound : str or Bound
        What must hold, such as ``risk<=0.05``; every attacker knows the plan.
    settings : mapping
        The method's parameters: models that must hold besides, hierarchies, utility.
    attackers : names
        Who attacks besides those who know the plan.
    most : int
        Nodes that are attacked at most.
    progress : callable, optional
        Called before each attack.
    learn : callable, optional
        Hears of each that was attacked.
    """
    limit = bound if isinstance(bound, Bound) else Bound.parse(bound)
    micro = Microdata.of(data)
    given = dict(settings)
    if given.get("recoding", "full") != "full":
        raise ParameterError(
            "the nodes of a lattice are ranked for recoding='full'; with local recoding "
            "--until turns k (do not set it)"
        )
    if limit.measure == RISK:
        wanted = given.get("average_risk")
        closer = limit.value if wanted is None else min(float(str(wanted)), limit.value)
        given["average_risk"] = closer
    tried: list[tuple[float, float]] = []
    for levels, loss in registry[method](**given).ranked(micro):
        if len(tried) == most:
            raise TacitError(
                f"none of the {most} generalisations that lose least meets {limit}; "
                "begin with stronger models (k)"
            )
        if progress is not None:
            progress(f"attacking {levels}", len(tried), most)
        plan = Plan((Step(method, {**given, "levels": levels}),))
        masked = plan.mask(micro)
        found = risk_of(micro, masked, plan, limit, attackers, True, hasty=True)
        tried.append((loss, found.upper))
        if learn is not None:
            learn(f"levels {levels}", found.upper, found.met)
        if found.met:
            return Protected(
                masked=masked,
                plan=plan,
                parameter="loss",
                value=loss,
                risk=found.risk,
                upper=found.upper,
                attacker=found.attacker,
                bound=limit,
                tried=tuple(tried),
                searched=found.risk,
            )
    raise TacitError(
        f"no generalisation by these hierarchies meets {limit}; "
        "add higher levels, raise suppression_limit, or take another method"
    )
