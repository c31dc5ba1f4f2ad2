"""Plans with ranges: one entry of a plans file stands for every combination of its parameter values.

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

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from tacit.errors import InputError, ParameterError
from tacit.plan import Plan

LARGEST = 10_000
_RANGE = re.compile(r"^\s*(-?[\d.eE+-]+?)\s*\.\.\s*(-?[\d.eE+-]+?)\s*(?:\.\.\s*([\d.eE+-]+)\s*)?$")


def values_of(entry: Any) -> list[Any] | None:
    """The values that a range stands for, or None if the entry is a plain value."""
    if isinstance(entry, Mapping):
        if set(entry) == {"values"} and isinstance(entry["values"], list) and entry["values"]:
            return list(entry["values"])
        if {"from", "to"} <= set(entry) <= {"from", "to", "step"}:
            return _steps(entry["from"], entry["to"], entry.get("step", 1))
        raise ParameterError(
            f"{dict(entry)} is not a range; write {{ from = 1, to = 5, step = 1 }} or {{ values = [..] }}"
        )
    if isinstance(entry, str) and (found := _RANGE.match(entry)):
        try:
            low, high, step = (_number(part) for part in (found[1], found[2], found[3] or "1"))
        except ValueError:
            return None
        return _steps(low, high, step)
    return None


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _steps(low: Any, high: Any, step: Any) -> list[Any]:
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in (low, high, step)) or step <= 0 or high < low:
        raise ParameterError(f"the range {low}..{high} in steps of {step} holds no values; give numbers, low to high")
    count = int((high - low) / step + 1e-9) + 1
    if count > LARGEST:
        raise ParameterError(f"the range {low}..{high} in steps of {step} holds {count} values; take fewer")
    # multiplied, not added up, so that 0.1 + 0.1 + 0.1 is 0.3; rounded to what the step can say
    digits = max((len(str(v).partition(".")[2]) for v in (low, step) if isinstance(v, float)), default=0)
    return [round(low + i * step, digits) if digits else low + i * step for i in range(count)]


def expand(entry: Mapping[str, Any], *, source: str = "plans") -> list[Plan]:
    """Every plan that one entry stands for."""
    raw = dict(entry)
    name = str(raw.pop("name", ""))
    columns = raw.pop("columns", {}) if "steps" in raw or isinstance(raw.get("columns"), Mapping) else {}
    steps = raw.pop("steps") if "steps" in raw else [raw]
    if "steps" in entry and raw:
        raise InputError(f"{source}: a plan has steps, name and columns, not '{min(raw)}'")
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise InputError(f"{source}: the steps of a plan are a list of tables")
    axes: list[tuple[int, str, list[Any]]] = []
    for number, step in enumerate(steps):
        for parameter, value in step.items():
            if (found := values_of(value)) is not None:
                axes.append((number, parameter, found))
    size = 1
    for axis in axes:
        size *= len(axis[2])
    if size > LARGEST:
        raise ParameterError(f"{source}: the ranges cross to {size} plans; take fewer than {LARGEST}")
    plans = []
    for chosen in product(*(axis[2] for axis in axes)):
        filled = [dict(step) for step in steps]
        for (number, parameter, _), value in zip(axes, chosen, strict=True):
            filled[number][parameter] = value
        plan = Plan.from_dict({"steps": filled, "columns": columns}, source=source)
        if name:
            told = ", ".join(f"{axis[1]}={value}" for axis, value in zip(axes, chosen, strict=True))
            plan = replace(plan, name=f"{name}({told})" if told else name)
        plans.append(plan)
    return plans


def load(path: str | Path) -> list[Plan]:
    """Every plan of a plans file (or the one plan of a plan file)."""
    try:
        raw = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a TOML file ({error})") from None
    entries = raw.get("plans", [raw] if "steps" in raw else [])
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: there is no [[plans]] entry")
    return unique(plan for entry in entries for plan in expand(entry, source=str(path)))


def unique(plans: Iterable[Plan]) -> list[Plan]:
    """Plans without repetition, in order; two different plans of one name are told apart by their steps."""
    kept: dict[str, Plan] = {}
    for plan in plans:
        kept.setdefault(repr((plan.to_dict().get("steps"), plan.columns)), plan)
    named: dict[str, int] = {}
    out = []
    for plan in kept.values():
        label = str(plan)
        if label in named:
            plan = replace(plan, name=f"{label} #{named[label] + 1}")
        named[label] = named.get(label, 0) + 1
        out.append(plan)
    return out


def plans_of(what: Any) -> list[Plan]:
    """From a plans file, a list of plans, protectors, steps or entries with ranges."""
    if isinstance(what, str | Path):
        return load(what)
    if isinstance(what, Mapping):
        return unique(plan for entry in what.get("plans", [what]) for plan in expand(entry))
    if not isinstance(what, Iterable):
        what = [what]
    out: list[Plan] = []
    for part in what:
        out.extend(expand(part) if isinstance(part, Mapping) else [Plan.of(part)])
    if not out:
        raise ParameterError("there is no plan to compare")
    return unique(out)
