"""What the page's process and its workers send each other: plain values, so that they cross a pipe.

Templates read the same values; a key that is renamed here must be renamed in ``templates``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from tacit.app.forms import JsonSchema
    from tacit.compare.trial import Trial
    from tacit.plan.plan import Plan


# The number of the file as it is, among attempts, which count from 1.
BEFORE = 0


class AskedFile(TypedDict):
    """A file, with the roles and kinds that the page gives to its columns."""

    path: str
    roles: dict[str, str]
    kinds: dict[str, str]
    # columns whose values look like codes for missing: are they? 'yes' or 'no'
    missing: dict[str, str]


class RunOrder(TypedDict):
    """How plans on all records are judged, and where what they make is kept."""

    name: str
    bound: float
    limits: dict[str, float]
    folder: str
    depth: str


class StepValues(TypedDict):
    """One step of a plan as the form holds it; `tacit.plan.plan.Step` is what checks it."""

    method: str
    parameters: dict[str, object]
    seed: int | None


class Entry(TypedDict):
    """A registered method as the pages show it; its facts come from the class."""

    title: str
    family: str
    goal: str
    purpose: str
    # labels in plain words of the parameters that most people set
    plain: dict[str, str]
    # kinds and scales of column that it can mask, and whether it takes identifiers
    kinds: list[str]
    identifiers: bool
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
    # values that look like codes for missing, in words; empty where none do
    suspects: str
    missing: int
    distinct: int
    spark: str
    range: str
    # its cells are numbers, which stand below each other
    numeric: bool


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


class BarView(TypedDict):
    """A class that can be picked and merged; `parent` is the class that it lies in."""

    label: str
    records: int
    bar: str
    parent: str
    joined: bool


class StandingView(TypedDict):
    """Who stands out when a column is published at one level."""

    level: int
    classes: int
    below: list[str]
    bar: str


class ClassesView(TypedDict):
    """The hierarchy of a column as the editor shows it; with an error there is no tree."""

    column: str
    error: str
    entry: dict[str, object] | None
    found: str
    is_number: bool
    chart: str
    step: float
    ends: str
    cuts: str
    further: str
    level: int
    levels: list[int]
    bars: list[BarView]
    not_shown: int
    ks: Sequence[int]
    standing: list[StandingView]
    counted: str
    unit: str
    tree: str
    without_values: bool
    rows: str


class MergeOrder(TypedDict):
    """Classes to be put together (with a label) or taken apart (without)."""

    level: int
    picked: list[str]
    label: str
    apart: bool


class ClassesOrder(TypedDict):
    """What the editor asks for: a column, its rule, and how the other keys are published."""

    column: str
    entry: dict[str, object] | None
    level: int
    merge: MergeOrder | None
    rules: dict[str, dict[str, object]]
    levels: dict[str, int]


class NodeView(TypedDict):
    """A node of the lattice: its levels, what it costs, and why it will not do."""

    id: str
    levels: list[int]
    loss: str
    suppressed: str
    share: str
    kept: bool
    best: bool
    chosen: bool
    why: str


class LatticeView(TypedDict):
    """The nodes of a lattice around the best one."""

    map: str
    columns: list[str]
    nodes: list[NodeView]
    sentence: str
    note: str


class CellView(TypedDict):
    """A value, and what the release has in its place: changed, gone, or the same ('')."""

    before: str
    after: str
    change: str


class RecordView(TypedDict):
    """A record: how many are like it on the keys, and its values."""

    row: str
    place: int
    alike: str
    risk: str
    together: str
    alone: bool
    cells: list[CellView]


class RecordsView(TypedDict):
    """A page of records."""

    columns: list[str]
    keys: list[str]
    found: str
    all: str
    page: int
    pages: int
    released: bool
    # what belongs together where that is known: household or person
    unit: str
    # columns that can be top-coded
    numbers: list[str]
    rows: list[RecordView]


class RivalView(TypedDict):
    """A released record that an intruder may take for an original, and why."""

    distance: str
    identical: str
    own: bool
    same: str
    other: str
    values: list[str]


class OneRecordView(TypedDict):
    """A record with its group, its household and its competitors."""

    columns: list[str]
    keys: list[str]
    released: bool
    record: RecordView
    group: list[RecordView]
    in_group: str
    unit: str
    home: list[RecordView]
    in_home: str
    rivals: list[RivalView]


class RecordsOrder(TypedDict):
    """Which records are asked for; `below`: in groups smaller than this, 0 for all."""

    sort: str
    falling: bool
    search: str
    below: int
    page: int
    masked: str
    manifest: str


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
    """The verdict of the report: its colour, its word, the reason, and what to do next."""

    state: str
    word: str
    sentence: str
    next: str


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
    plan: Plan
    formulas: int
    release: str
    leaving: Sequence[LeavingColumn]
    seconds: float


class Finished(TypedDict):
    """One plan of a run has ended, well or with an error; a search says which plan it was."""

    run: int
    steps: NotRequired[list[StepValues]]
    final: NotRequired[bool]
    summary: Summary
    files: dict[str, str]
    error: str


# The monitors of a stream at one moment, by name; a monitor that has no value yet is left out.
StreamTick = dict[str, float]
