"""Generalisation and perturbation searched together: the cheapest plan that meets a bound.

The levels of the lattice and the strength of one perturbing step are turned together. Nodes come
in the order of what they lose, those first of all that keep every model and, for a bound on risk,
classes / n below it: whoever knows the levels finds one record of each class, whatever happens to
other columns, so that no strength helps a node that breaks this. Each pair of node and strength
is made and its cost measured. Nodes are taken by their cheapest pair, and of each the weakest
strength that meets the bound is found by halving; a node that cannot be cheaper than the best
so far ends the search. After a pair has failed, no pair with a finer node and a weaker step is
tried: it shows the intruder all that the one shows, and more. Of all that were tried, the cheapest
that met the bound is drawn afresh and handed over.

Without a bound nobody attacks, and the cheapest pair by a measure of ``tacit.loss`` is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from tacit.base import seeds
from tacit.base.errors import ParameterError, TacitError
from tacit.base.facts import Strength
from tacit.base.typing import Progress
from tacit.compare.attacked import Attacked, Learn, risk_of
from tacit.compare.bound import RISK, Bound
from tacit.compare.fresh import fresh
from tacit.compare.protected import Protected
from tacit.data.microdata import Microdata
from tacit.loss import registry as losses
from tacit.plan.plan import Plan, Step
from tacit.protect import registry

NODES = 40
"""Nodes that are paired with strengths: each pair is masked and measured."""
STRENGTHS = 6
"""Strengths from the plan's own on, each twice the one before (or half of it)."""
MOST = 60
"""Pairs that are attacked at most: an attack takes seconds on a file of thousands."""
CONFIRMED = 2
"""Releases drawn afresh that must all keep the bound; the last is handed over (see ``until``)."""


@dataclass(frozen=True)
class Pair:
    """A node of the lattice and a strength, with what their release costs."""

    plan: Plan
    cost: float
    levels: tuple[int, ...]
    strength: int
    """The place of the strength: higher protects more."""

    def below(
        self,
        other: Pair,
    ) -> bool:
        """Whether it shows the intruder all that the other shows."""
        finer = all(a <= b for a, b in zip(self.levels, other.levels, strict=True))
        return finer and self.strength <= other.strength


def protect_jointly(
    data: object,
    plan: Plan,
    bound: str | Bound | None,
    *,
    measure: str | None = None,
    seed: int | None = None,
    attackers: Iterable[str] = ("nearest", "assignment"),
    most: int = MOST,
    progress: Progress | None = None,
    learn: Learn | None = None,
) -> Protected:
    """The cheapest plan with other levels and strength than the one given that meets a bound.

    Parameters
    ----------
    data : frame
        The file.
    plan : Plan
        One step that ranks its releases (generalisation) with the models that must hold
        besides, and any others; the first of them with a ``strength`` is turned, from its own
        setting on.
    bound : str or Bound or None
        What must hold, such as ``risk<=0.05``; every attacker knows the plan. None: nobody
        attacks, and the cheapest is taken.
    measure : str, optional
        A measure of ``tacit.loss`` that is the cost. Unless given: the mean over the columns of
        what generalisation loses (keys) and of IL1, at most 1 (the others).
    seed : int, optional
        For tests; a key is drawn unless given.
    attackers : names
        Who attacks besides those who know the plan.
    most : int
        Pairs that are attacked at most.
    progress : callable, optional
        Called before each attack.
    learn : callable, optional
        Hears of each that was attacked.
    """
    limit = Bound.parse(bound) if isinstance(bound, str) else bound
    micro = Microdata.of(data)
    if measure is not None and measure not in losses:
        raise ParameterError(
            f"there is no loss '{measure}'; there are {', '.join(losses)}"
        )
    key = seeds.draw() if seed is None else seed
    pairs = _pairs(micro, plan, limit, measure, key)
    pairs.sort(key=lambda pair: (pair.cost, pair.levels, pair.strength))
    if limit is None:
        return _least(micro, pairs[0], measure or "cost", key, len(pairs))
    trials = Trials(micro, limit, tuple(attackers), key, most, progress, learn)
    while True:
        best = _cheapest(pairs, trials)
        if best is None:
            raise TacitError(
                f"no plan with these hierarchies and strengths meets {limit}; add higher levels, "
                "raise suppression_limit, or add a step"
            )
        done = trials.confirmed(best)
        if done is not None:
            return done


class Trials:
    """The pairs that were attacked, and what came of it."""

    def __init__(
        self,
        data: Microdata,
        bound: Bound,
        attackers: tuple[str, ...],
        key: int,
        most: int,
        progress: Progress | None,
        learn: Learn | None = None,
    ) -> None:
        self.data = data
        self.bound = bound
        self.attackers = attackers
        self.key = key
        self.most = most
        self.progress = progress
        self.learn = learn
        self.tried: list[tuple[float, float]] = []
        self.failed: list[Pair] = []
        self._seen: dict[tuple[tuple[int, ...], int], Attacked] = {}

    def hopeless(
        self,
        pair: Pair,
    ) -> bool:
        """Whether a pair that hides more has failed."""
        return any(pair.below(other) for other in self.failed)

    def met(
        self,
        pair: Pair,
    ) -> bool:
        """Whether the release of a pair meets the bound; each is attacked once."""
        if self.hopeless(pair):
            return False
        name = pair.levels, pair.strength
        if name not in self._seen:
            if len(self.tried) == self.most:
                raise TacitError(
                    f"none of the {self.most} plans that were attacked meets {self.bound}; "
                    "begin with stronger models (k), or a stronger perturbation"
                )
            if self.progress is not None:
                what = f"attacking a plan that costs {pair.cost:.4g}"
                self.progress(what, len(self.tried), self.most)
            seen, _ = self._attacked(pair, self.key)
            self._seen[name] = seen
            self.tried.append((pair.cost, seen.upper))
            if not seen.met:
                self.failed.append(pair)
        return self._seen[name].met

    def _attacked(
        self,
        pair: Pair,
        key: int,
    ) -> tuple[Attacked, tuple[Plan, Microdata]]:
        plan = pair.plan.seeded(key)
        masked = plan.mask(self.data)
        found = risk_of(
            self.data, masked, plan, self.bound, self.attackers, True, hasty=True
        )
        if self.learn is not None:
            self.learn(str(pair.plan), found.upper, found.met)
        return found, (plan, masked)

    def confirmed(
        self,
        pair: Pair,
    ) -> Protected | None:
        """The release drawn afresh, if it keeps the bound again: a chosen one had luck, too."""
        seen = self._seen[pair.levels, pair.strength]
        redrawn: list[tuple[float, float]] = []
        random = any(step.random for step in pair.plan.steps)
        if not random:
            # drawn afresh it would be the same
            last, (plan, masked) = self._attacked(pair, self.key)
        for turn in range(CONFIRMED if random else 0):
            anew = fresh(self.key, len(self.tried) * CONFIRMED + turn)
            last, (plan, masked) = self._attacked(pair, anew)
            redrawn.append((pair.cost, last.upper))
            if not last.met:
                # it met the bound by luck, and counts as failed from now on
                self._seen[pair.levels, pair.strength] = last
                self.tried.append((pair.cost, last.upper))
                self.failed.append(pair)
                return None
        return Protected(
            masked=masked,
            plan=plan,
            parameter="cost",
            value=pair.cost,
            risk=last.risk,
            upper=last.upper,
            attacker=last.attacker,
            bound=self.bound,
            tried=tuple(self.tried),
            searched=seen.risk,
            redrawn=tuple(redrawn),
        )


def _cheapest(
    pairs: Sequence[Pair],
    trials: Trials,
) -> Pair | None:
    """The cheapest pair that meets the bound; None: none does."""
    by_node: dict[tuple[int, ...], list[Pair]] = {}
    # pairs come by cost, and so do the nodes by their cheapest pair
    for pair in pairs:
        by_node.setdefault(pair.levels, []).append(pair)
    best: Pair | None = None
    for own in by_node.values():
        if best is not None and own[0].cost >= best.cost:
            return best
        found = _weakest(own, best, trials)
        if found is not None:
            best = found
    return best


def _weakest(
    own: Sequence[Pair],
    best: Pair | None,
    trials: Trials,
) -> Pair | None:
    """Of one node the weakest strength that meets the bound and is cheaper than the best."""
    rising = sorted(own, key=lambda pair: pair.strength)
    # a stronger step may cost less by luck of the draw; what is not cheaper is not wanted
    wanted = [pair for pair in rising if best is None or pair.cost < best.cost]
    if not wanted or not trials.met(wanted[-1]):
        return None
    low, high = 0, len(wanted) - 1
    while low < high:
        middle = (low + high) // 2
        if trials.met(wanted[middle]):
            high = middle
        else:
            low = middle + 1
    return wanted[high]


def _pairs(
    data: Microdata,
    plan: Plan,
    bound: Bound | None,
    measure: str | None,
    key: int,
) -> list[Pair]:
    """Nodes and strengths, each with its cost."""
    at = _ranking(plan)
    turned = _turned(plan, at)
    step = plan.steps[at]
    given = dict(step.parameters)
    if bound is not None and bound.measure == RISK:
        wanted = given.get("average_risk")
        closer = bound.value if wanted is None else min(float(wanted), bound.value)
        given["average_risk"] = closer
    with_roles = plan.with_roles(data)
    protector = registry[step.method](**given)
    keys = protector.touches(with_roles)
    _refuse_shared(plan, at, keys, with_roles)
    nodes = list(islice(protector.ranked(with_roles), NODES))
    if not nodes:
        raise TacitError(
            "no node of the lattice keeps every model and the bound on classes; add higher "
            "levels, or raise suppression_limit"
        )
    found = []
    for levels, loss in nodes:
        for place, strength in enumerate(_strengths(plan, turned)):
            steps = list(plan.steps)
            steps[at] = Step(step.method, {**given, "levels": levels}, step.seed)
            if turned is not None and strength is not None:
                own = steps[turned]
                knob = registry[own.method].strength
                more = {**own.parameters, knob.parameter: strength}
                steps[turned] = Step(own.method, more, own.seed)
            made = replace(plan, steps=tuple(steps))
            masked = made.seeded(key).mask(data)
            cost = _cost(data, masked, loss, keys, measure)
            found.append(Pair(made, cost, tuple(levels.values()), place))
    return found


def _ranking(plan: Plan) -> int:
    """Where the step is whose lattice is searched."""
    ranking = [
        at
        for at, step in enumerate(plan.steps)
        if hasattr(registry[step.method], "ranked")
    ]
    if len(ranking) != 1:
        raise ParameterError(
            f"a joint search needs one step of generalisation, and the plan has {len(ranking)}"
        )
    step = plan.steps[ranking[0]]
    if step.parameters.get("recoding", "full") != "full":
        raise ParameterError(
            "the nodes of a lattice are ranked for recoding='full'; leave recoding out"
        )
    return ranking[0]


def _turned(
    plan: Plan,
    at: int,
) -> int | None:
    """Where the step is whose strength is turned; None: there is none."""
    for place, step in enumerate(plan.steps):
        if place != at and registry[step.method].strength is not None:
            return place
    return None


def _strengths(
    plan: Plan,
    turned: int | None,
) -> Sequence[float | int | None]:
    """From the plan's own setting on, each stronger than the one before."""
    if turned is None:
        return [None]
    step = plan.steps[turned]
    knob: Strength = registry[step.method].strength
    own = step.parameters.get(knob.parameter, knob.weakest)
    values = [float(own)]
    while len(values) < STRENGTHS and values[-1] != knob.strongest:
        values.append(knob.stronger(values[-1]))
    # k = 4.0 is no k
    return [int(value) if knob.whole else value for value in values]


def _refuse_shared(
    plan: Plan,
    at: int,
    keys: Sequence[str],
    data: Microdata,
) -> None:
    """One sentence where another step changes a key: ranks of nodes would not hold."""
    for place, protector in enumerate(plan.protectors()):
        both = set() if place == at else set(keys) & set(protector.touches(data))
        if both:
            raise ParameterError(
                f"a joint search takes columns apart: '{min(both)}' is generalised and changed "
                f"by {plan.steps[place].method}; give both steps their columns"
            )


def _cost(
    data: Microdata,
    masked: Microdata,
    loss: float,
    keys: Sequence[str],
    measure: str | None,
) -> float:
    if measure is not None:
        value = float(losses[measure](data, masked).value)
        # what has no value must not pass for cheap
        if np.isnan(value):
            raise TacitError(f"{measure} has no value for this release; take another")
        return value
    others = [
        name
        for name in masked.names
        if name not in keys and not data.table[name].equals(masked.table[name])
    ]
    if not others:
        return loss
    rest: Any = losses["IL1"](data.select(others), masked.select(others))
    moved = min(float(rest.value), 1.0)
    return (len(keys) * loss + len(others) * moved) / (len(keys) + len(others))


def _least(
    data: Microdata,
    pair: Pair,
    parameter: str,
    key: int,
    measured: int,
) -> Protected:
    """The cheapest pair, attacked by nobody."""
    plan = pair.plan.seeded(key)
    return Protected(
        masked=plan.mask(data),
        plan=plan,
        parameter=parameter,
        value=pair.cost,
        risk=float("nan"),
        upper=float("nan"),
        attacker="",
        bound=Bound.parse(f"{RISK}<=1"),
        tried=((pair.cost, float("nan")),) * measured,
        searched=float("nan"),
    )
