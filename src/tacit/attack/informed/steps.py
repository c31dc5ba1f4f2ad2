"""A plan as its intruder sees it: protectors in order, each with the attacker who knows it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeAlias

from tacit.attack.informed.base import Informed
from tacit.base.errors import ParameterError
from tacit.base.facts import draws_numbers
from tacit.data.microdata import Microdata

Protector: TypeAlias = Any
"""A protector of ``tacit.protect``. Its own parameters differ from method to method, and only
the attacker made for the method reads them."""


def protectors_of(plan: object) -> list[Protector]:
    """The protectors of a plan, a step, a protector, or a list of them.

    Parameters
    ----------
    plan : plan, step, protector or list of them
        How the file was masked.
    """
    if hasattr(plan, "protectors"):
        return list(plan.protectors())
    if hasattr(plan, "protector"):
        return [plan.protector()]
    if isinstance(plan, Sequence) and not isinstance(plan, str):
        return [protector for part in plan for protector in protectors_of(part)]
    if hasattr(plan, "touches"):
        return [plan]
    raise ParameterError(
        f"a {type(plan).__name__} is not a plan; give a Plan, a protector, or a list of them"
    )


def apply_again(plan: object, original: Microdata) -> Microdata:
    """Mask the originals once more, as the data holder did.

    Parameters
    ----------
    plan : plan, step, protector or list of them
        How the file was masked.
    original : Microdata
        The file before masking.
    """
    # a plan also says roles and kinds of columns
    if hasattr(plan, "protectors") and hasattr(plan, "mask"):
        masked: Microdata = plan.mask(original)
        return masked
    for protector in protectors_of(plan):
        original = protector.fit_transform(original)
    return original


def as_planned(plan: object, original: Microdata) -> Microdata:
    """The file with the roles and kinds that a plan sets, before its first step.

    Parameters
    ----------
    plan : plan, step, protector or list of them
        How the file was masked.
    original : Microdata
        The file before masking.
    """
    if hasattr(plan, "protectors") and getattr(plan, "columns", None):
        # a plan without steps sets only these
        bare = replace(plan, steps=())  # type: ignore[type-var]  # a plan is a dataclass
        planned: Microdata = bare.mask(original)  # type: ignore[attr-defined]
        return planned
    return original


def computed_part(
    plan: object,
    original: Microdata,
) -> tuple[Microdata, list[Protector]]:
    """What the steps before the first random one make of the originals, and the steps from there.

    Whoever holds the originals can run these steps again, and knows what the first random step
    was given. A plan of one step is left as it is: its attacker knows the method better than one
    run of it tells.

    Parameters
    ----------
    plan : plan, step, protector or list of them
        How the file was masked.
    original : Microdata
        The file before masking.
    """
    steps = protectors_of(plan)
    data = as_planned(plan, original)
    first = 0
    while first < len(steps) and not draws_numbers(type(steps[first])):
        first += 1
    if len(steps) < 2 or not first:
        return data, steps
    with warnings.catch_warnings():
        # what a step warns of was said when the file was masked
        warnings.simplefilter("ignore")
        # some were done in another way (in blocks), and are done so again
        done = getattr(plan, "instead", {})
        for number, step in enumerate(steps[:first], start=1):
            other = done.get(number)
            data = (
                step.fit_transform(data) if other is None else other(number, step, data)
            )
    return data, steps[first:]


def in_short(plan: object) -> str:
    """The plan in one line."""
    if hasattr(plan, "protectors"):
        return str(plan)
    return " + ".join(protector.in_short() for protector in protectors_of(plan))


def own_attacker(protector: Protector, original: Microdata) -> Informed | None:
    """The intruder who knows a protector; None if it changes no compared value.

    It takes the file to be masked as one; for strata and levels see ``by_parts``.

    Parameters
    ----------
    protector : protector
        Its ``attacker`` is "module:Class" below ``tacit.attack``.
    original : Microdata
        The file before masking: what the method computed from it is known too.
    """
    if not protector.attacker:
        return None
    # protectors name their attacker, so that they need not import it
    module, _, name = protector.attacker.partition(":")
    attacker: type[Informed] = getattr(import_module(f"tacit.attack.{module}"), name)
    return attacker.knowing(protector, original)
