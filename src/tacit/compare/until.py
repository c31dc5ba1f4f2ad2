"""Protect until it is safe: the weakest setting at which the strongest attacker meets a bound.

The parameter is strengthened by doubling (or halving) until the bound is met, then bisected
between the last setting that failed and the first that met it. What counts is the upper end of
the strongest attack's interval. If risk does not fall evenly, a weaker setting that also meets
the bound may exist.

A release that a search has chosen was chosen for its luck, too. So it is not handed over: the
setting is drawn again under a key that the search has not used, and attacked anew; where that one
does not meet the bound the setting is strengthened a little and drawn again. What is returned is
a release that met the bound itself, the first time that it was attacked.

Several redraws are a small search of their own, so two of them must keep the bound at the same
setting, each with room for its luck. Noise on 300 census-like records, risk<=0.1, 12 searches, six
independent draws of each setting: at the setting that the search found the upper end was above
the bound in 36 of 72 draws, at the one handed over in 2 (in 15 when one draw without room was
enough), and the rate itself in one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tacit.base import seeds
from tacit.base.errors import ParameterError, TacitError
from tacit.base.facts import Strength
from tacit.base.typing import Progress
from tacit.compare.attacked import Learn, risk_of
from tacit.compare.bound import RISK, Bound
from tacit.compare.fresh import fresh
from tacit.compare.lattice import protect_least
from tacit.compare.protected import Protected
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan, Step, Table
from tacit.protect import registry

EXPECTED = 4
"""Settings that are taken to be still to come, for who shows progress; nobody knows before."""
MOST_REDRAWS = 8
"""A setting that is strengthened so often, and still misses the bound, was found by luck alone."""
SPARED = 0.9
"""Part of the bound that cheap attacks may use up: dearer ones find a little more, and a fresh draw
that they refuse has cost a minute on a large file."""
TURNS_AT_ONCE = 3
"""Settings, each a little stronger, that are drawn afresh where cheap attacks end their search,
before everybody attacks in a search of their own: that takes many times as long."""
CONFIRMED = 2
"""Fresh draws of one setting that must all keep the bound; the last of them is handed over."""
ROOM = 1.5
"""By how much the interval of a fresh draw is lengthened when it is held against the bound. A rate
varies from draw to draw about as it does from file to file: with z = 1.96 and one draw a model of
binomial rates puts 28 % of later draws above the bound, with 1.5 z and two draws 4 %."""
A_LITTLE = 0.05
"""Share by which a setting is strengthened after its first redraw; twice that after the second,
and so on: eight redraws reach three and a half times the setting."""


def protect_until(
    data: object,
    method: str,
    bound: str | Bound = "risk<=0.05",
    *,
    parameter: str | None = None,
    start: float | None = None,
    end: float | None = None,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    test_seed: bool = False,
    attackers: Iterable[str] = ("nearest", "assignment"),
    informed: bool = True,
    progress: Progress | None = None,
    learn: Learn | None = None,
) -> Protected:
    """The weakest setting of a method's parameter at which the release meets the bound.

    Where the parameter is given and the method ranks its releases by what they lose
    (generalisation), the first that meets the bound is taken: see ``tacit.compare.lattice``.

    Parameters
    ----------
    data : frame
        The file.
    method : str
        Name of a method of ``tacit.protect``.
    bound : str or Bound
        What must hold, such as ``risk<=0.05`` or ``k_anonymity<=0``.
    parameter : str, optional
        What is turned; that of the method's ``strength`` unless given.
    start, end : float, optional
        The weakest and the strongest setting.
    settings : mapping, optional
        The method's other parameters.
    seed : int, optional
        For tests; a key is drawn unless given.
    test_seed : bool
        Let differentially private methods, which draw from the system, take the seed.
    attackers : names
        Who attacks.
    informed : bool
        The strongest attacker also knows the method and its parameters.
    progress : callable, optional
        Called before each setting is tried.
    learn : callable, optional
        Hears of each that was attacked.
    """
    limit = bound if isinstance(bound, Bound) else Bound.parse(bound)
    micro = Microdata.of(data)
    others = dict(settings or {})
    knob = _knob(method, parameter, start, end, micro.n)
    who = tuple(attackers)
    if knob.parameter in others and hasattr(registry[method], "ranked"):
        # what is given stays, and the lattice is searched for what else is needed
        return protect_least(
            micro, method, limit, others, who, progress=progress, learn=learn
        )
    if knob.parameter in others:
        raise ParameterError(
            f"{knob.parameter} is what is searched for; "
            "do not set it (give start and end instead)"
        )
    tried: list[tuple[float, float]] = []
    # one key for the whole search, so that settings are compared and not draws
    key = seeds.draw() if seed is None else seed

    def attempt(
        value: float,
        below: int,
        done: list[tuple[float, float]],
        *,
        brief: bool = False,
        room: float = 1.0,
    ) -> Protected:
        if progress is not None:
            what = f"{knob.parameter}={value:g}"
            progress(what, len(done), len(done) + EXPECTED)
        # k = 4.0 is no k
        setting = int(value) if knob.whole else float(value)
        step = Step(method, {**others, knob.parameter: setting})
        plan = Plan((step,)).seeded(below, test_seed=test_seed)
        outcomes: list[Table] = []
        masked = plan.mask(micro, outcomes)
        # of the strongest setting it is said what it leaves: there all of it counts
        hasty = setting != knob.strongest
        # what is drawn afresh there must keep the bound against dearer attacks, too
        tighter = brief and hasty and any(each.random for each in plan.steps)
        asked = replace(limit, value=SPARED * limit.value) if tighter else limit
        found = risk_of(
            micro,
            masked,
            plan,
            asked,
            who,
            informed,
            hasty=hasty,
            brief=brief and hasty,
            room=room,
        )
        done.append((setting, found.upper))
        # that cheap attacks alone find little proves nothing yet
        proven = not (brief and hasty and found.met)
        if learn is not None and proven:
            learn(f"{knob.parameter}={setting:g}", found.upper, found.met)
        return Protected(
            masked=masked,
            plan=plan,
            parameter=knob.parameter,
            value=setting,
            risk=found.risk,
            upper=found.upper,
            attacker=found.attacker,
            bound=limit,
            tried=tuple(tried),
            searched=found.risk,
            met=found.met,
            reason=found.reason,
            outcomes=tuple(outcomes),
        )

    def unreachable(last: Protected) -> TacitError:
        return TacitError(
            f"{method} does not reach {limit}: even {knob.parameter}={last.value:g} leaves "
            f"{limit.measure} at {last.risk:.4g}{last.reason}; "
            "try another method, or combine several in a plan"
        )

    def weakest_met(judge: Callable[[float], Protected]) -> Protected:
        """By doubling, then by bisection between the last that failed and the first that met."""
        weak, best = None, judge(knob.weakest)
        while not best.met:
            weak = best.value
            if weak == knob.strongest:
                raise unreachable(best)
            best = judge(knob.stronger(weak))
        # a weakest setting that met the bound at once has no other end
        while (
            weak is not None and (middle := knob.between(weak, best.value)) is not None
        ):
            halfway = judge(middle)
            if halfway.met:
                best = halfway
            else:
                weak = middle
        return best

    redrawn: list[tuple[float, float]] = []

    def drawn_afresh(setting: float, seen: Protected, turns: int) -> Protected | None:
        """A release of this setting, or of a stronger one, that nobody has chosen; None: none."""
        for turn in range(turns):
            strongest_setting = setting == knob.strongest
            for _ in range(CONFIRMED):
                # without room for its luck it is not kept, whatever dearer attacks find
                below = fresh(key, len(redrawn))
                release = attempt(setting, below, redrawn, room=ROOM)
                # at the strongest setting there is nothing left to take room from
                kept = release.met and (strongest_setting or _has_room(release))
                if not kept:
                    break
            if kept:
                return replace(
                    release,
                    tried=tuple(tried),
                    searched=seen.risk,
                    redrawn=tuple(redrawn),
                )
            if strongest_setting:
                raise unreachable(release)
            setting = _a_little_stronger(knob, setting, A_LITTLE * (turn + 1))
        return None

    # Cheap attacks say where to look. What draws numbers is drawn afresh there, and everybody
    # attacks that. Where others find so much more that a little strengthening does not help, and
    # where nothing is drawn, everybody attacks in the search, but for settings known to fail.
    if limit.measure == RISK:
        failed: dict[float, Protected] = {}

        def judged(value: float, *, brief: bool) -> Protected:
            if value in failed:
                return failed[value]
            before = [setting for setting, _ in tried]
            found = attempt(value, key, tried, brief=brief)
            if value in before:
                tried[before.index(value)] = tried.pop()
            if not found.met:
                # nobody is given it: the release need not be kept
                failed[value] = replace(found, masked=micro)
            return found

        def briefly(value: float) -> Protected:
            return judged(value, brief=True)

        def in_full(value: float) -> Protected:
            return judged(value, brief=False)

        place = weakest_met(briefly)
        if _draws(place) and place.value != knob.strongest:
            near = drawn_afresh(place.value, place, TURNS_AT_ONCE)
            if near is not None:
                return near
        best = in_full(place.value)
        if not best.met:
            best = weakest_met(in_full)
    else:
        best = weakest_met(lambda value: attempt(value, key, tried))
    # with the settings that were tried after the best one
    best = replace(best, tried=tuple(tried))
    # drawn again, what draws nothing would be the same
    if not _draws(best):
        return best
    release = drawn_afresh(best.value, best, MOST_REDRAWS)
    if release is None:
        raise TacitError(
            f"{limit} held at {knob.parameter}={best.value:g} in the search, but in none of "
            f"{len(redrawn)} releases drawn afresh, up to {knob.parameter}={redrawn[-1][0]:g}; "
            "begin at a stronger setting (start), or take another method"
        )
    return release


def _draws(found: Protected) -> bool:
    """Does its plan draw numbers?"""
    return any(step.random for step in found.plan.steps)


def _has_room(release: Protected) -> bool:
    """The bound would hold for an interval that is ``ROOM`` times as long."""
    above = release.upper - release.risk
    return release.bound.met(release.risk + ROOM * above)


def _a_little_stronger(knob: Strength, value: float, share: float) -> float:
    """The setting strengthened by a share of itself, at least by one where it is whole."""
    if knob.rises:
        more = value * (1 + share)
        if knob.whole:
            more = max(value + 1, math.floor(more))
        return min(knob.strongest, more)
    less = value / (1 + share)
    if knob.whole:
        less = min(value - 1, math.ceil(less))
    return max(knob.strongest, less)


def _knob(
    method: str,
    parameter: str | None,
    start: float | None,
    end: float | None,
    n: int,
) -> Strength:
    """What is turned, and from where to where."""
    strength: Strength | None = registry[method].strength
    if parameter is not None and (strength is None or strength.parameter != parameter):
        if start is None or end is None:
            raise ParameterError(
                f"say from where to where {parameter} of {method} may go (start and end)"
            )
        # nothing is known of this parameter but the ends that were given
        whole = isinstance(start, int) and isinstance(end, int)
        return Strength(parameter, start, end, whole)
    if strength is None:
        can = [name for name in registry if registry[name].strength is not None]
        raise ParameterError(
            f"say which parameter of {method} to turn, and from where to where; "
            f"known are: {', '.join(can)}"
        )
    first = strength.weakest if start is None else start
    last = strength.strongest if end is None else end
    # a k that can grow without end is at most the number of records
    if last == float("inf"):
        last = max(n, int(first))
    return Strength(strength.parameter, first, last, strength.whole)
