"""The decisions of a project in words: what each one changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.app.messages import Entry, StepValues
from tacit.app.project import Setup

# Columns that a line names; more are counted.
NAMED = 3


def in_words(old: Setup | None, new: Setup, methods: Mapping[str, Entry]) -> str:
    """What a decision changed, in one line."""
    if old is None:
        return "The file was read"
    changes = [
        *_columns("role", old.roles, new.roles),
        *_columns("kind", old.kinds, new.kinds),
        *_columns("code for missing", old.missing, new.missing),
        *_steps(old.steps, new.steps, methods),
    ]
    if new.bound != old.bound:
        changes.append(f"accepted risk {100 * new.bound:g} %")
    if new.limits != old.limits:
        changes.append("other thresholds")
    if new.depth != old.depth:
        changes.append(f"attacks and measures: {new.depth}")
    if new.release != old.release:
        changes.append("made safe" if new.what == "made safe" else "release chosen")
    if new.as_is != old.as_is:
        changes.append("columns accepted: " + (", ".join(new.as_is) or "none"))
    text = "; ".join(changes) or new.what
    return text[:1].upper() + text[1:]


def _columns(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Columns that became something else."""
    changed = [
        f"{what} of {name} is {now}"
        for name, now in new.items()
        if old.get(name) != now
    ]
    more = len(changed) - NAMED
    return [*changed[:NAMED], f"{more} more columns"] if more > 0 else changed


def _steps(
    old: Sequence[StepValues], new: Sequence[StepValues], methods: Mapping[str, Entry]
) -> list[str]:
    """Steps that were added, removed, moved or changed."""

    def title(step: StepValues) -> str:
        entry = methods.get(step["method"])
        return entry["title"] if entry else step["method"]

    if list(old) == list(new):
        return []
    if len(new) > len(old):
        return [f"added {title(step)}" for step in new if step not in old]
    if len(new) < len(old):
        return [f"removed {title(step)}" for step in old if step not in new]
    if sorted(map(repr, old)) == sorted(map(repr, new)):
        return ["steps in another order"]
    changes = []
    for place, (before, now) in enumerate(zip(old, new, strict=True), start=1):
        if before["method"] != now["method"]:
            changes.append(f"step {place} is {title(now)}")
            continue
        changes += _values(before["parameters"], now["parameters"], title(now))
        if before["seed"] != now["seed"]:
            changes.append(f"set the seed of {title(now)}")
    return changes


def _values(
    old: Mapping[str, object], new: Mapping[str, object], title: str
) -> list[str]:
    """Parameters of one step that have another value."""
    changes = []
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) == new.get(name):
            continue
        value = new.get(name)
        if value is None:
            changes.append(f"set {name} of {title} as usual")
        elif isinstance(value, str | int | float):
            changes.append(f"set {name} of {title} to {value}")
        else:
            changes.append(f"set {name} of {title}")
    return changes
