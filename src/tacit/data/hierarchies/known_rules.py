"""Rules as plans hold them: one word says the sort, other words what it may need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.base.errors import ParameterError, choices
from tacit.base.typing import Ints
from tacit.data.hierarchies.automatic import Automatic
from tacit.data.hierarchies.cuts import Cuts
from tacit.data.hierarchies.dates import Dates
from tacit.data.hierarchies.ladder import Ladder
from tacit.data.hierarchies.listed_groups import Groups
from tacit.data.hierarchies.mask import Mask
from tacit.data.hierarchies.prefix import Prefix
from tacit.data.hierarchies.rule import Rule
from tacit.data.hierarchies.table import Table
from tacit.data.microdata import Microdata

WORDS = (
    *("prefix", "mask", "ladder", "cuts", "dates", "groups"),
    *("table", "file", "automatic", "tree"),
)
"""The words that say of which sort a rule is."""
ENDS = ("other", "top")
"""The words that any rule may have."""
OWN = {
    "ladder": ("start", "below", "above"),
    "file": ("sha256",),
    "automatic": ("levels",),
}
"""The words that rules of one sort may have besides."""


def rule_of(
    entry: object,
    column: str = "column",
) -> Rule:
    """The rule of an entry: a rule, a dict with one of the words, or value -> ancestors.

    Examples
    --------
    >>> rule_of({"ladder": [5, 10], "above": 90}).classes_above(93)
    ('90 and more', '90 and more', '*')
    """
    if isinstance(entry, Rule):
        return entry
    if not isinstance(entry, Mapping):
        raise ParameterError(
            f"the hierarchy of '{column}' is {entry!r}; write a rule such as "
            "{prefix = [3, 1]} or {file = 'icd.csv'}"
        )
    words = [word for word in WORDS if word in entry]
    # a value may be called 'mask': a rule has nothing beside its word but its own words
    if len(words) != 1:
        return _of_tree(entry, column)
    word = words[0]
    allowed = (word, *ENDS, *OWN.get(word, ()))
    unknown = [name for name in entry if name not in allowed]
    if unknown:
        there_are = choices(str(unknown[0]), allowed)
        raise ParameterError(
            f"the hierarchy of '{column}' has no '{unknown[0]}'; {there_are}"
        )
    more = {name: entry[name] for name in entry if name != word}
    try:
        return _made(word, entry[word], more, column)
    # a rule does not know whose it is, and the user must
    except ParameterError as error:
        raise ParameterError(f"column '{column}': {error}") from None
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the hierarchy of '{column}' cannot be read: {word} = {entry[word]!r} ({error})"
        ) from None


def _made(
    word: str,
    said: Any,
    more: dict[str, Any],
    column: str,
) -> Rule:
    if word == "prefix":
        return Prefix(keep=tuple(int(length) for length in said), **more)
    if word == "mask":
        return Mask(hide=tuple(int(length) for length in said), **more)
    if word == "ladder":
        return Ladder(widths=tuple(float(width) for width in said), **more)
    if word == "cuts":
        levels = tuple(tuple(float(cut) for cut in cuts) for cuts in said)
        return Cuts(levels=levels, **more)
    if word == "dates":
        return Dates(spans=tuple(str(span) for span in said), **more)
    if word == "groups":
        return Groups(levels=[dict(level) for level in said], **more)
    if word == "table":
        rows = tuple(tuple(str(field) for field in row) for row in said)
        return Table(rows=rows, **more)
    if word == "file":
        return Table(file=str(said), **more)
    if word == "automatic":
        return Automatic(sort=str(said), **more)
    return _of_tree(said, column)


def _of_tree(
    tree: Mapping[str, Any],
    column: str,
) -> Rule:
    """value -> parent, or value -> list of ancestors, as ``recoding`` takes them."""
    lines: list[list[str]] = []
    for value, up in tree.items():
        line = [str(value)]
        if isinstance(up, list | tuple):
            line += [str(label) for label in up]
        elif isinstance(up, str):
            seen = {str(value)}
            # a circle of parents ends where it began
            while isinstance(up, str) and up not in seen:
                line.append(up)
                seen.add(up)
                up = tree.get(up)
        else:
            raise ParameterError(
                f"the hierarchy of '{column}' has none of the words {', '.join(WORDS)}, and "
                f"{value!r} has no parent that is text"
            )
        lines.append(line)
    parents = {label for line in lines for label in line[1:]}
    # a class that is listed without ancestors is no value of the column
    lines = [line for line in lines if line[0] not in parents or len(line) > 1]
    height = max((len(line) for line in lines), default=0)
    if height < 2:
        raise ParameterError(f"the hierarchy of '{column}' has no classes")
    # the top of a short branch is its own parent
    rows = []
    for line in lines:
        missing = height - len(line)
        rows.append(tuple(line + [line[-1]] * missing))
    return Table(rows=tuple(rows))


def as_entry(
    entry: object,
    column: str = "column",
) -> dict[str, object]:
    """An entry as plain types, whatever it was given as."""
    return rule_of(entry, column).entry()


def fitted(
    rule: Rule,
    data: Microdata,
    name: str,
    times: Ints | None = None,
) -> Rule:
    """The rule itself, or what an automatic one finds in the data.

    ``times``: how many records of the file each record of ``data`` stands for; one, unless given.
    """
    if not isinstance(rule, Automatic):
        return rule
    others = [other for other in data.quasi if other != name]
    return rule.found(data, name, others, times)
