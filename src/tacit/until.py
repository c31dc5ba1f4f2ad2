"""Protect until it is safe: the weakest setting of one parameter at which the strongest attacker stays under a bound.

The parameter is strengthened by doubling (or halving) until the bound is met, then bisected between the last setting
that failed and the first that met it. What is returned is a release that was attacked itself and met the bound: no
setting is inferred. If risk does not fall evenly, a weaker setting that also meets the bound may exist.
"""

from __future__ import annotations

import operator
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from tacit.errors import ParameterError, TacitError
from tacit.microdata import Microdata
from tacit.plan import LARGEST_SEED, Plan, Step

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Knob:
    """How a method protects more: its parameter, and from where (weakest) to where (strongest) it goes."""

    parameter: str
    start: float
    end: float
    whole: bool = False

    @property
    def up(self) -> bool:
        """A larger value protects more."""
        return self.end > self.start

    def stronger(self, value: float) -> float:
        """Twice as strong, or the end."""
        if self.up:
            return min(self.end, value * 2)
        step = value // 2 if self.whole else value / 2
        return max(self.end, step if step > 1e-3 or self.whole else self.end)

    def between(self, weak: float, strong: float) -> float | None:
        """A setting half-way, or None when the two are next to each other (2 % for real numbers)."""
        if self.whole:
            middle = (weak + strong) // 2
            return middle if middle not in (weak, strong) else None
        middle = (weak + strong) / 2
        return middle if abs(strong - weak) > 0.02 * max(abs(strong), abs(weak)) else None


KNOBS: dict[str, Knob] = {
    "noise": Knob("percent", 1.0, 1000.0),
    "rank_swapping": Knob("p", 1.0, 100.0),
    "microaggregation": Knob("k", 2, float("inf"), whole=True),
    "local_suppression": Knob("k", 2, float("inf"), whole=True),
    "pram": Knob("diagonal", 0.99, 0.0),
    "recoding": Knob("bins", 64, 1, whole=True),
    "laplace": Knob("epsilon", 100.0, 0.001),
    "dp_microaggregation": Knob("epsilon", 100.0, 0.001),
}
"""The parameter that is turned for each method unless another is named."""

RISK = "risk"
"""The name of 'the rate of the strongest attacker' in a bound."""

_OPERATORS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, "<": operator.lt}


@dataclass(frozen=True)
class Bound:
    """'risk<=0.05': a measure, and what it may be at most."""

    measure: str
    sign: str
    value: float

    @classmethod
    def parse(cls, text: str) -> Bound:
        """Read a bound."""
        found = re.fullmatch(r"\s*(\w+)\s*(<=|<)\s*([0-9.eE+-]+)\s*", text)
        try:
            if found is None:
                raise ValueError
            bound = cls(found[1], found[2], float(found[3]))
        except ValueError:
            raise ParameterError(f"'{text}' is not a bound; write it as 'risk<=0.05' or 'k_anonymity<=0'") from None
        if bound.measure != RISK:
            from tacit.risk import registry

            registry[bound.measure]
        return bound

    def met(self, value: float) -> bool:
        """Is the value within the bound? (NaN is not.)"""
        return _OPERATORS[self.sign](value, self.value)

    def __str__(self) -> str:
        return f"{self.measure}{self.sign}{self.value:g}"


@dataclass(frozen=True)
class Protected:
    """A release that meets the bound, the plan that made it, and every setting that was tried."""

    masked: Microdata = field(repr=False)
    plan: Plan
    parameter: str
    value: float
    risk: float
    attacker: str
    bound: Bound
    tried: tuple[tuple[float, float], ...]
    """(setting, risk) in the order tried."""

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return {
            "plan": self.plan.to_dict(),
            "parameter": self.parameter,
            "value": self.value,
            "risk": self.risk,
            "attacker": self.attacker,
            "bound": str(self.bound),
            "tried": [list(pair) for pair in self.tried],
        }


def protect_until(
    data: Any,
    method: str,
    bound: str | Bound = "risk<=0.05",
    *,
    parameter: str | None = None,
    start: float | None = None,
    end: float | None = None,
    settings: dict[str, Any] | None = None,
    seed: int | None = 0,
    attackers: Iterable[str] = ("nearest", "assignment"),
    informed: bool = True,
    progress: Progress | None = None,
) -> Protected:
    """The weakest setting of a method's parameter at which the release meets the bound.

    ``parameter``, ``start`` (weakest), ``end`` (strongest): those of ``KNOBS`` unless given; ``settings``: the method's
    other parameters; ``informed``: the strongest attacker also knows the method and its parameters.
    """
    limit = bound if isinstance(bound, Bound) else Bound.parse(bound)
    micro = Microdata.of(data)
    knob = _knob(method, parameter, start, end, micro.n)
    if knob.parameter in (settings or {}):
        raise ParameterError(f"{knob.parameter} is what is searched for; do not set it (give start and end instead)")
    tried: list[tuple[float, float]] = []
    first = secrets.randbelow(LARGEST_SEED) if seed is None else seed  # one seed for the whole search

    def attempt(value: float) -> Protected:
        if progress is not None:
            progress(f"{knob.parameter}={value:g}", len(tried), len(tried) + 4)
        setting = int(value) if knob.whole else float(value)
        plan = Plan((Step(method, {**(settings or {}), knob.parameter: setting}),)).seeded(first)
        masked = plan.apply(micro)
        risk, attacker = _risk(micro, masked, plan, limit, tuple(attackers), informed)
        tried.append((setting, risk))
        return Protected(masked, plan, knob.parameter, setting, risk, attacker, limit, tuple(tried))

    weak, best = None, attempt(knob.start)
    while not limit.met(best.risk):
        weak = best.value
        if weak == knob.end:
            raise TacitError(
                f"{method} does not reach {limit}: even {knob.parameter}={weak:g} leaves {limit.measure} at "
                f"{best.risk:.4g}; try another method, or combine several in a plan"
            )
        best = attempt(knob.stronger(weak))
    while weak is not None and (middle := knob.between(weak, best.value)) is not None:
        found = attempt(middle)
        if limit.met(found.risk):
            best = found
        else:
            weak = middle
    return Protected(best.masked, best.plan, best.parameter, best.value, best.risk, best.attacker, limit, tuple(tried))


def _knob(method: str, parameter: str | None, start: float | None, end: float | None, n: int) -> Knob:
    known = KNOBS.get(method)
    if parameter is not None and (known is None or known.parameter != parameter):
        if start is None or end is None:
            raise ParameterError(f"say from where to where {parameter} of {method} may go (start and end)")
        whole = isinstance(start, int) and isinstance(end, int)
        return Knob(parameter, start, end, whole)
    if known is None:
        can = ", ".join(KNOBS)
        raise ParameterError(f"say which parameter of {method} to turn, and from where to where; known are: {can}")
    last = known.end if end is None else end
    first = known.start if start is None else start
    if last == float("inf"):
        last = max(n, int(first))
    return Knob(known.parameter, first, last, known.whole)


def _risk(
    original: Microdata, masked: Microdata, plan: Plan, bound: Bound, attackers: tuple[str, ...], informed: bool
) -> tuple[float, str]:
    if bound.measure != RISK:
        from tacit.risk import registry

        measure = registry[bound.measure](original, masked)
        if measure.value != measure.value:
            raise TacitError(f"{bound.measure} was not computed: {measure.details.get('not computed', 'no value')}")
        return float(measure.value), ""
    from tacit.assess import assess

    known = plan if informed and find_spec("tacit.attack.aware") is not None else None
    found = assess(original, masked, plan=known, attackers=attackers, risks=(), losses=())
    if found.failures:  # an attack that did not run is no evidence of safety
        raise TacitError(f"the attack {found.failures[0].name} did not run: {found.failures[0].reason}")
    strongest = found.strongest
    if strongest is None:
        raise TacitError("no attacker was run; name at least one")
    return strongest[1].rate, strongest[0]
