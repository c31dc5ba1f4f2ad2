"""What a report says, as plain data.

The templates only lay it out; `internal` and `external` fill it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Row: TypeAlias = Mapping[str, object]
"""One entry of a table or one part of the page, by the names that the template uses."""


@dataclass
class Headline:
    """The verdict as the page shows it: a sign (good, warn, bad), a word, why, and what to do."""

    state: str
    word: str
    sentence: str
    next_step: str = ""


@dataclass
class Content:
    """Every part is optional except the verdict: what was not computed is not shown."""

    title: str
    date: str
    version: str
    verdict: Headline
    # the footer and the heading say for whom the page is
    external: bool = False
    subtitle: str = ""
    figures: Sequence[Row] = ()
    checks: Sequence[Row] = ()
    remarks: list[str] = field(default_factory=list)
    map: Row | None = None
    attacks: Sequence[Row] = ()
    attack_chart: str = ""
    evidence: Row | None = None
    records: Row | None = None
    columns: Row | None = None
    groups: Row | None = None
    risk: Sequence[Row] = ()
    loss: Sequence[Row] = ()
    gaps: Row | None = None
    distributions: Row | None = None
    correlations: Row | None = None
    steps: Sequence[Row] = ()
    no_steps: str = "The plan was not given to the report."
    # a fact is a text, or a list of one text that is shown as code
    facts: list[tuple[str, str | list[str]]] = field(default_factory=list)
    repeat: Sequence[Row] = ()
    glossary: list[tuple[str, str]] = field(default_factory=list)

    @property
    def contents(self) -> list[tuple[str, str]]:
        """The sections that are there, for the table of contents."""
        # the names are those of the sections' ids in the template
        parts: list[tuple[str, str, object]] = [
            ("summary", "In short", True),
            ("map", "Risk and utility", self.map),
            ("attacks", "Who could find whom", self.attacks),
            ("evidence", "What was looked at", self.evidence),
            ("records", "Risk by record", self.records),
            ("columns", "Risk by column", self.columns),
            ("groups", "How many look alike", self.groups),
            ("risk", "Risk measures", self.risk),
            ("loss", "What was lost", self.loss),
            ("gaps", "What was blanked", self.gaps),
            ("distributions", "Before and after", self.distributions),
            ("correlations", "Correlations", self.correlations),
            ("done", "What was done", True),
            ("words", "Words", True),
        ]
        return [(key, name) for key, name, there in parts if there]
