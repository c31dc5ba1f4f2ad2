"""What the page's process and its workers send each other: plain values, so that they cross a pipe.

Templates read the same values; a key that is renamed here must be renamed in ``templates``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from tacit.app.forms import JsonSchema
    from tacit.compare.trial import Trial


class StepValues(TypedDict):
    """One step of a plan as the form holds it; `tacit.plan.plan.Step` is what checks it."""

    method: str
    parameters: dict[str, object]
    seed: int | None


class Entry(TypedDict):
    """A registered method as the pages show it; its facts come from the class."""

    title: str
    family: str
    purpose: str
    about: str
    doc: str
    schema: JsonSchema
    random: bool


class Catalogue(TypedDict):
    """Every method by its registered name: protectors, and stream filters."""

    protect: dict[str, Entry]
    stream: dict[str, Entry]


class ColumnView(TypedDict):
    """A column as the roles page shows it; `place` counts from 0."""

    name: str
    place: int
    kind: str
    role: str
    why: str
    # How sure the guess is, and what a person must decide where it is not.
    confidence: str
    ask: str
    missing: int
    distinct: int
    spark: str
    range: str


class FileView(TypedDict, total=False):
    """A file as the pages show it; empty until it has been read."""

    records: int
    columns: list[ColumnView]
    missing: int
    head: list[list[str]]
    steps: list[StepValues]


class LookView(TypedDict):
    """How exposed the file is as it stands, as the roles page shows it."""

    verdict: str
    state: str
    figures: Sequence[Mapping[str, str]]
    unit: str
    ks: Sequence[int]
    sizes: Sequence[Mapping[str, object]]
    keys: Sequence[Mapping[str, str]]
    riskiest: Sequence[Mapping[str, str]]
    note: str


class PlanOrder(TypedDict):
    """A plan to run on all records; `run` is the number of its attempt."""

    run: int
    label: str
    steps: list[StepValues]


class Preview(TypedDict):
    """What a plan does to a sample."""

    note: str
    risk: str
    loss: str
    figures: Sequence[Mapping[str, object]]
    attacks: str
    columns: Sequence[Mapping[str, object]]
    remark: str


class VerdictWords(TypedDict):
    """The verdict of the report: its colour, its word, its sentence."""

    state: str
    word: str
    sentence: str


class LeavingColumn(TypedDict):
    """A column that would leave by accident; `refused` until somebody accepts it by name."""

    column: str
    why: str
    refused: bool


class Summary(TypedDict, total=False):
    """The figures of a plan that was run on all records; empty when the run failed."""

    trial: Trial
    chance: float
    note: str
    verdict: VerdictWords
    figures: Sequence[Mapping[str, object]]
    attacks: Sequence[Mapping[str, object]]
    command: str
    python: str
    formulas: int
    release: str
    leaving: Sequence[LeavingColumn]
    seconds: float


class Finished(TypedDict):
    """One plan of a run has ended, well or with an error."""

    run: int
    summary: Summary
    files: dict[str, str]
    error: str


# The monitors of a stream at one moment, by name; a monitor that has no value yet is left out.
StreamTick = dict[str, float]
