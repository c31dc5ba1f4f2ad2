"""Docstrings in numpydoc form, read as data.

The page's forms and ``tacit methods`` show what stands there once.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass, field

# a shorter row of dashes is a dash in a sentence, or a minus
SHORTEST_UNDERLINE = 3


@dataclass(frozen=True)
class Card:
    """A docstring in its parts."""

    summary: str
    sections: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


def card_of(thing: object) -> Card:
    """The card of a class or function.

    Examples
    --------
    >>> def noise(percent):
    ...     '''Add noise.
    ...
    ...     Parameters
    ...     ----------
    ...     percent : float
    ...         Standard deviation of the noise, in percent.
    ...     '''
    >>> card_of(noise).parameters
    {'percent': 'Standard deviation of the noise, in percent.'}
    """
    return parse(inspect.getdoc(thing) or "")


def parse(text: str) -> Card:
    """Cut a docstring at its underlined headings."""
    lines = inspect.cleandoc(text).splitlines()
    last = len(lines)
    heads = [i for i in range(last - 1) if _underlines(lines[i + 1], lines[i])]
    # a section ends where the next one begins
    ends = [*heads[1:], last] if heads else []
    sections = {}
    for head, end in zip(heads, ends, strict=True):
        body = lines[head + 2 : end]
        sections[lines[head].strip()] = "\n".join(body).strip("\n")
    # the summary is the first paragraph, on however many lines
    before = "\n".join(lines[: heads[0] if heads else last])
    paragraph = before.split("\n\n")[0]
    summary = " ".join(paragraph.split())
    return Card(summary, sections, _entries(sections.get("Parameters", "")))


def _underlines(
    line: str,
    heading: str,
) -> bool:
    """A heading is followed by dashes of its own length."""
    dashes = line.strip()
    if len(line) < SHORTEST_UNDERLINE or set(dashes) != {"-"}:
        return False
    return len(dashes) == len(heading.strip())


def _entries(section: str) -> dict[str, str]:
    """``name : type`` at the margin, its description indented below.

    'a, b : type' describes both.
    """
    described: dict[str, str] = {}
    names: list[str] = []
    for line in textwrap.dedent(section).splitlines():
        if line and not line.startswith(" "):
            listed = line.partition(" :")[0]
            names = [name.strip() for name in listed.split(",")]
            described |= dict.fromkeys(names, "")
        else:
            # lines of one description become one sentence
            for name in names:
                described[name] = f"{described[name]} {line.strip()}".strip()
    return described
