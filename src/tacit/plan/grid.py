"""Plans with ranges: one entry of a plans file stands for every combination of its values.

    [[plans]]
    method = "noise"
    percent = "1..16"              # 1, 2, .. 16;  "0.5..2..0.5" steps by 0.5

    [[plans]]
    name = "Mic2"
    [[plans.steps]]
    method = "microaggregation"
    k = { values = [3, 5, 10] }    # or { from = 3, to = 20, step = 1 }
    group_size = 2

An entry is one step written flat, or steps in order. Ranges in several parameters are crossed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TypeGuard

from tacit.base import toml_text
from tacit.base.errors import InputError, ParameterError, shown
from tacit.plan.plan import Plan

LARGEST = 10_000
"""Most values of a range, and most plans of an entry: more are a slip of the pen."""
RANGE_WORDS = {"values", "from", "to", "step"}
"""A table without any of these is a value."""
ROUNDING = 1e-9
"""Added before steps are counted, so that 0.1 .. 0.3 by 0.1 has three values and not two."""

# low .. high, perhaps .. step
_RANGE = re.compile(
    r"^\s*(-?[\d.eE+-]+?)\s*\.\.\s*(-?[\d.eE+-]+?)\s*(?:\.\.\s*([\d.eE+-]+)\s*)?$"
)


@dataclass(frozen=True)
class Axis:
    """A parameter of a step that takes several values."""

    step: int
    parameter: str
    values: list[object]


def values_of(entry: object) -> list[object] | None:
    """The values that a range stands for, or None if the entry is a plain value."""
    if isinstance(entry, Mapping):
        # hierarchies, levels and bounds are tables by column, and no ranges
        return _values_of_table(entry) if set(entry) & RANGE_WORDS else None
    match = _RANGE.match(entry) if isinstance(entry, str) else None
    if match is None:
        return None
    try:
        low, high = _number(match[1]), _number(match[2])
        step = _number(match[3] or "1")
    except ValueError:
        # text with two dots that only looks like a range
        return None
    return _steps(low, high, step)


def _values_of_table(entry: Mapping[str, object]) -> list[object]:
    """The values of ``{ values = [..] }`` or ``{ from = 1, to = 5, step = 1 }``."""
    values = entry.get("values")
    if set(entry) == {"values"} and isinstance(values, list) and values:
        return list(values)
    if {"from", "to"} <= set(entry) <= {"from", "to", "step"}:
        low, high = entry["from"], entry["to"]
        return _steps(low, high, entry.get("step", 1))
    raise ParameterError(
        f"{dict(entry)} is not a range; "
        "write { from = 1, to = 5, step = 1 } or { values = [..] }"
    )


def _number(text: str) -> int | float:
    """A whole number where the text is one: k = 3 and not 3.0."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def _is_number(value: object) -> TypeGuard[int | float]:
    """True is an int to Python, but no number to a reader."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _steps(
    low: object,
    high: object,
    step: object,
) -> list[object]:
    """low, low + step, ... up to high."""
    if (
        not (_is_number(low) and _is_number(high) and _is_number(step))
        or step <= 0
        or high < low
    ):
        raise ParameterError(
            f"the range {low}..{high} in steps of {step} holds no values; "
            "give numbers, low to high"
        )
    count = int((high - low) / step + ROUNDING) + 1
    if count > LARGEST:
        raise ParameterError(
            f"the range {low}..{high} in steps of {step} holds {count} values; take fewer"
        )
    # multiplied, not added up, so that 0.1 + 0.1 + 0.1 is 0.3; rounded to what the step can say
    digits = max(_decimals(low), _decimals(step))
    values = [low + i * step for i in range(count)]
    return [round(value, digits) if digits else value for value in values]


def _decimals(number: int | float) -> int:
    """Digits after the point, as the number is written."""
    if isinstance(number, int):
        return 0
    return len(str(number).partition(".")[2])


def expand(
    entry: Mapping[str, object],
    *,
    source: str = "plans",
) -> list[Plan]:
    """Every plan that one entry stands for; ``source`` is what errors name."""
    if not isinstance(entry, Mapping):
        raise InputError(
            f"{source}: {shown(entry)} is no plan; begin it with [[plans]]"
        )
    raw = dict(entry)
    name = str(raw.pop("name", ""))
    # in a flat entry 'columns' is a parameter of the method, unless it is a table
    columns: object = {}
    if "steps" in raw or isinstance(raw.get("columns"), Mapping):
        columns = raw.pop("columns", {})
    as_is = raw.pop("release_as_is", [])
    steps = raw.pop("steps") if "steps" in raw else [raw]
    if "steps" in entry and raw:
        raise InputError(
            f"{source}: a plan has steps, name, columns and release_as_is, "
            f"not '{min(raw)}'"
        )
    if not isinstance(steps, list) or not all(
        isinstance(step, Mapping) for step in steps
    ):
        raise InputError(f"{source}: the steps of a plan are a list of tables")
    axes = _axes(steps)
    size = math.prod(len(axis.values) for axis in axes)
    if size > LARGEST:
        raise ParameterError(
            f"{source}: the ranges cross to {size} plans; take fewer than {LARGEST}"
        )
    plans = []
    # without ranges the product has one, empty, combination: the plan itself
    for chosen in product(*(axis.values for axis in axes)):
        filled = [dict(step) for step in steps]
        for axis, value in zip(axes, chosen, strict=True):
            filled[axis.step][axis.parameter] = value
        content = {"steps": filled, "columns": columns, "release_as_is": as_is}
        plan = Plan.from_dict(content, source=source)
        if name:
            plan = replace(plan, name=_name(name, axes, chosen))
        plans.append(plan)
    return plans


def _axes(
    steps: list[Mapping[str, object]],
) -> list[Axis]:
    """The ranges among the parameters of all steps."""
    axes = []
    for number, step in enumerate(steps):
        for parameter, entry in step.items():
            values = values_of(entry)
            if values is not None:
                axes.append(Axis(number, parameter, values))
    return axes


def _name(
    name: str,
    axes: list[Axis],
    chosen: tuple[object, ...],
) -> str:
    """The name of one plan of an entry: with the values by which it differs from the others."""
    pairs = zip(axes, chosen, strict=True)
    settings = [f"{axis.parameter}={value}" for axis, value in pairs]
    return f"{name}({', '.join(settings)})" if settings else name


def load(path: str | Path) -> list[Plan]:
    """Every plan of a plans file (or the one plan of a plan file)."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        raw = toml_text.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    except toml_text.Problem as error:
        raise InputError(f"{path}: not a TOML file ({error})") from None
    # a plan file is a plans file of one
    entries = raw.get("plans", [raw] if "steps" in raw else [])
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: there is no [[plans]] entry")
    plans: list[Plan] = []
    for entry in entries:
        plans.extend(expand(entry, source=str(path)))
    return unique(plans)


def unique(plans: Iterable[Plan]) -> list[Plan]:
    """Plans without repetition, in order; different plans of one name are numbered."""
    kept: dict[str, Plan] = {}
    for plan in plans:
        # the name is no part of what a plan does
        steps = plan.to_dict()["steps"]
        content = repr((steps, plan.columns))
        kept.setdefault(content, plan)
    times_used: dict[str, int] = {}
    out = []
    for plan in kept.values():
        label = str(plan)
        times = times_used.get(label, 0) + 1
        times_used[label] = times
        out.append(plan if times == 1 else replace(plan, name=f"{label} #{times}"))
    return out


def plans_of(what: object) -> list[Plan]:
    """From a plans file, a list of plans, protectors, steps or entries with ranges."""
    if isinstance(what, str | Path):
        return load(what)
    if isinstance(what, Mapping):
        entries = what.get("plans", [what])
        return unique(plan for entry in entries for plan in expand(entry))
    # one plan or protector is a list of one
    parts = what if isinstance(what, Iterable) else [what]
    plans: list[Plan] = []
    for part in parts:
        # an entry with ranges stands for many plans, anything else for one
        if isinstance(part, Mapping):
            plans.extend(expand(part))
        else:
            plans.append(Plan.of(part))
    if not plans:
        raise ParameterError("there is no plan to compare")
    return unique(plans)
