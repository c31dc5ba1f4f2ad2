"""What is true of a method stands on the method; everybody else asks here.

A protector, attacker or filter says it as class attributes (see `Described`), a measure by the
decorator `measure`. Nobody keeps a table of names elsewhere: a new method is one file and one
registry line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

from tacit.base.options import checked

Function = TypeVar("Function", bound=Callable[..., object])
MeasurePasses = Literal[
    "runs", "pieces", "sample", "keys", "cells", "units", "links", "together"
]
"""How a measure goes through a file: run of records by run; by pieces of sorted columns; from a
sample of the file sorted by all columns; holding the different combinations of keys, alone or with
a confidential value, or of files with persons or households alone; the links of attacks that have
run; or all columns that it compares."""

# halving a real number never reaches 0: below this the search goes to the end at once
SMALLEST_STEP = 1e-3
# two real settings that differ by less than this share are the same to a reader
NEXT_TO_EACH_OTHER = 0.02


@dataclass(frozen=True)
class Strength:
    """The parameter that makes a method protect more.

    Its range goes from the weakest setting to the strongest.
    """

    parameter: str
    weakest: float
    strongest: float
    whole: bool = False
    """The parameter takes whole numbers only."""

    @property
    def rises(self) -> bool:
        """A larger value protects more."""
        return self.strongest > self.weakest

    def stronger(self, value: float) -> float:
        """Twice as strong, or the strongest setting there is."""
        if self.rises:
            return min(self.strongest, value * 2)
        half = value // 2 if self.whole else value / 2
        too_small = half <= SMALLEST_STEP and not self.whole
        return self.strongest if too_small else max(self.strongest, half)

    def between(
        self,
        weak: float,
        strong: float,
    ) -> float | None:
        """A setting half-way, or None when the two are next to each other."""
        if self.whole:
            middle = (weak + strong) // 2
            return None if middle in (weak, strong) else middle
        size = max(abs(strong), abs(weak))
        if abs(strong - weak) <= NEXT_TO_EACH_OTHER * size:
            return None
        return (weak + strong) / 2


class Described:
    """A method that says what it is.

    Every attribute has a default, so that a new method runs before it is described.

    Attributes
    ----------
    title
        The name in plain words, as headings show it.
    family
        Methods of one family are listed together: noise, swapping, grouping, coding, synthetic,
        private, ...
    purpose
        What it is for, as one phrase.
    goal
        What somebody wants who takes it, as forms list methods: hide in a crowd, blur numbers,
        coarsen categories, ...; its family where none is said.
    plain
        Labels in plain words of the parameters that most people set; the others are advanced.
    strength
        The parameter that makes it stronger; None: there is no single one.
    example
        Parameters with which it runs on the table of the contract suite; methods without
        required ones need none.
    """

    title: ClassVar[str] = ""
    family: ClassVar[str] = "other"
    purpose: ClassVar[str] = ""
    goal: ClassVar[str] = ""
    plain: ClassVar[dict[str, str]] = {}
    strength: ClassVar[Strength | None] = None
    # values of any type; the contract suite unpacks them into the constructor
    example: ClassVar[dict[str, Any]] = {}


@dataclass(frozen=True)
class MeasureFacts:
    """What is true of a measure.

    Its title, and for a risk the threshold of the verdict with its reason.
    """

    title: str
    threshold: float | None = None
    why: str = ""
    passes: MeasurePasses = "together"
    holds: str = ""
    """Why it cannot go by passes and holds what it looks at; empty where it does not."""
    with_units: MeasurePasses | None = None
    """How it goes where persons or households have several records, if otherwise."""
    presumes: bool = False
    """It takes for granted that the values of released keys are those of the person, and is told by
    an assessment of which keys that was disproved (``assess.own_values``)."""
    view: str = ""
    """Whom its threshold is about, in words: what one intruder finds is not what another does."""

    def way(self, has_units: bool) -> MeasurePasses:
        """How it goes through a file that has persons or households, or none."""
        return (self.with_units if has_units else None) or self.passes


def measure(
    title: str,
    *,
    threshold: float | None = None,
    why: str = "",
    passes: MeasurePasses = "together",
    holds: str = "",
    with_units: MeasurePasses | None = None,
    presumes: bool = False,
    view: str = "",
) -> Callable[[Function], Function]:
    """Say what a measure is, how it goes through a file that is larger than memory, or why not.

    Examples
    --------
    >>> @measure("Squared error")
    ... def sse(original, masked): ...
    >>> title_of(sse, "SSE")
    'Squared error'
    """

    def attach(function: Function) -> Function:
        # on the function itself: nothing has to be looked up elsewhere
        facts = MeasureFacts(
            title, threshold, why, passes, holds, with_units, presumes, view
        )
        measured = checked(function)
        measured.facts = facts  # type: ignore[attr-defined]
        return measured  # type: ignore[return-value]  # the same face

    return attach


def facts_of(function: object) -> MeasureFacts:
    """The facts of a measure; a measure that says nothing has no threshold."""
    return getattr(function, "facts", MeasureFacts(""))


def title_of(
    thing: object,
    name: str,
) -> str:
    """The title of a method or measure; without one its registered name, written as words."""
    facts = getattr(thing, "facts", thing)
    title = getattr(facts, "title", "")
    return title if isinstance(title, str) and title else in_words(name)


def in_words(name: str) -> str:
    """A name as a heading.

    >>> in_words("local_suppression")
    'Local suppression'
    """
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def draws_numbers(method: Callable[..., object]) -> bool:
    """Does the method draw random numbers? If so, its constructor takes a ``random_state``."""
    return "random_state" in inspect.signature(method).parameters
