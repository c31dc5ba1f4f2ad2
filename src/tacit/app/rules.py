"""The form of a hierarchy: what is typed as a rule of a plan, and a rule as it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypedDict

from tacit.app.session import Form, first_of
from tacit.base.errors import ParameterError
from tacit.data.hierarchies.dates import SPANS
from tacit.data.hierarchies.files import rows_of
from tacit.data.hierarchies.known_rules import as_entry
from tacit.data.hierarchies.rule import TOP

Entry = dict[str, object]
"""A rule as a plan holds it."""

# Sorts of rules as the page names them; the first word is that of the plan.
SORTS = {
    "automatic": "found in the data",
    "ladder": "equal widths, wider at each level",
    "cuts": "cut points",
    "dates": "calendar: month, quarter, year",
    "prefix": "leading letters that stay",
    "mask": "last letters that are hidden",
    "groups": "lists: which values form a class",
    "table": "a table, as ARX writes it",
}
FOUND = {
    "by kind": "by the kind of the column",
    "frequency": "about as many records in each class",
    "optimal": "values of a class as alike as possible",
    "cooccurrence": "values that occur with the same others",
}
# What a rule needs besides, where nobody says it.
USUAL_LEVELS = 3


class RuleShown(TypedDict):
    """A rule in the fields of the form."""

    sort: str
    numbers: str
    start: str
    below: str
    above: str
    cuts: str
    spans: list[str]
    found: str
    levels: int
    rows: str
    other: str


def shown(entry: Mapping[str, object] | None, rows: str = "") -> RuleShown:
    """The fields for a rule; `rows` are those of a hierarchy that is a list."""
    entry = entry or {"automatic": "by kind", "levels": USUAL_LEVELS}
    sort = next((word for word in SORTS if word in entry), "table")
    said = entry.get(sort)
    return {
        "sort": sort,
        "numbers": _joined(said) if sort in ("prefix", "mask", "ladder") else "",
        "start": _plain(entry.get("start")),
        "below": _plain(entry.get("below")),
        "above": _plain(entry.get("above")),
        "cuts": "; ".join(_joined(one) for one in _list(said))
        if sort == "cuts"
        else "",
        "spans": [str(one) for one in _list(said)] if sort == "dates" else [],
        "found": str(said) if sort == "automatic" else "by kind",
        "levels": int(str(entry.get("levels", USUAL_LEVELS))),
        "rows": rows,
        "other": str(entry.get("other", "")),
    }


def in_short(entry: Mapping[str, object] | None) -> str:
    """A rule in a few words, for a list of columns."""
    if entry is None:
        return "no hierarchy yet"
    one = shown(entry)
    words = {
        "ladder": f"widths {one['numbers']}",
        "cuts": f"cut at {one['cuts']}",
        "dates": ", ".join(one["spans"]),
        "prefix": f"first {one['numbers']} letters",
        "mask": f"last {one['numbers']} letters hidden",
        "groups": "lists",
        "table": "a table",
        "automatic": FOUND.get(one["found"], one["found"]),
    }
    return words[one["sort"]]


def read(form: Form) -> Entry:
    """The rule of a form; a mistake is one sentence (`ParameterError`)."""
    sort = first_of(form, "sort", "automatic")
    entry: Entry = {}
    if sort in ("prefix", "mask"):
        entry[sort] = [int(one) for one in _numbers(form, "numbers", whole=True)]
    elif sort == "ladder":
        entry[sort] = _numbers(form, "numbers")
        for end in ("start", "below", "above"):
            given = _numbers(form, end)
            if given:
                entry[end] = given[0]
    elif sort == "cuts":
        lists = [part for part in first_of(form, "cuts").split(";") if part.strip()]
        entry[sort] = [_split(part, "cut points") for part in lists]
        if not lists:
            raise ParameterError("give at least one cut point")
    elif sort == "dates":
        # ticked in any order, and a hierarchy goes from short to long
        entry[sort] = [span for span in SPANS if span in form.get("spans", ())]
    elif sort in ("groups", "table"):
        rows = rows_of(first_of(form, "rows"), "the table of the hierarchy")
        as_lists = sort == "groups"
        entry[sort] = _lists(rows) if as_lists else [list(row) for row in rows]
    elif sort == "automatic":
        entry[sort] = first_of(form, "found", "by kind")
        levels = _numbers(form, "levels", whole=True)
        entry["levels"] = int(levels[0]) if levels else USUAL_LEVELS
    else:
        raise ParameterError(f"there is no hierarchy of the sort '{sort}'")
    other = first_of(form, "other").strip()
    if other:
        entry["other"] = other
    return as_entry(entry)


def _lists(rows: Sequence[Sequence[str]]) -> list[dict[str, list[str]]]:
    """Rows of values and their classes as lists of members, level by level."""
    levels: list[dict[str, list[str]]] = []
    for below, above in pairwise(zip(*rows, strict=False)):
        # lists put the class of all values on top by themselves
        if set(above) == {TOP}:
            break
        members: dict[str, list[str]] = {}
        for child, parent in dict.fromkeys(zip(below, above, strict=True)):
            members.setdefault(parent, []).append(child)
        levels.append(members)
    return levels


def _numbers(form: Form, name: str, *, whole: bool = False) -> list[float]:
    return _split(first_of(form, name), name, whole=whole)


def _split(text: str, name: str, *, whole: bool = False) -> list[float]:
    """Numbers that are separated by commas or spaces."""
    numbers = []
    for word in text.replace(",", " ").split():
        try:
            number = float(word)
        except ValueError:
            raise ParameterError(
                f"'{word}' is not a number; write {name} like this: 5, 10, 20"
            ) from None
        if whole and not number.is_integer():
            raise ParameterError(f"{name} are whole numbers, not {word}")
        numbers.append(number)
    return numbers


def _list(said: object) -> list[object]:
    return list(said) if isinstance(said, list | tuple) else []


def _joined(said: object) -> str:
    return ", ".join(_plain(one) for one in _list(said))


def _plain(number: object) -> str:
    return "" if number is None else f"{float(str(number)):.15g}"
