"""What makes a plan stronger: the parameter of each step that its method names."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass

from tacit.base.facts import Strength
from tacit.plan.plan import Plan, Step
from tacit.protect import registry


@dataclass(frozen=True)
class Knob:
    """What makes one step of a plan stronger, and where it stands."""

    place: int
    strength: Strength
    value: float

    def turned(self, doublings: float, records: int) -> float:
        """The value after so many doublings of its strength, within its range."""
        factor = 2.0**doublings
        value = self.value * factor if self.strength.rises else self.value / factor
        strongest = self.strength.strongest
        # a k that can grow without end is at most the number of records
        if math.isinf(strongest):
            strongest = float(records)
        if self.strength.whole:
            value = math.ceil(value) if self.strength.rises else math.floor(value)
        least, most = sorted((self.value, strongest))
        value = min(max(value, least), most)
        return int(value) if self.strength.whole else value


def knobs_of(plan: Plan) -> list[Knob]:
    """The steps that can be strengthened, each with its present value (or its default)."""
    knobs = []
    for place, step in enumerate(plan.steps):
        method = registry[step.method]
        strength = method.strength
        if strength is None:
            continue
        default = inspect.signature(method).parameters[strength.parameter].default
        value = step.parameters.get(strength.parameter, default)
        # a parameter may be given by column: then nobody knows what is meant by stronger
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            knobs.append(Knob(place, strength, value))
    return knobs


def turned(plan: Plan, doublings: float, records: int) -> Plan:
    """The plan with every step that can be strengthened so much stronger."""
    steps = list(plan.steps)
    for knob in knobs_of(plan):
        step = steps[knob.place]
        value = knob.turned(doublings, records)
        changed = {**step.parameters, knob.strength.parameter: value}
        steps[knob.place] = Step(step.method, changed, step.seed)
    return Plan(tuple(steps))
