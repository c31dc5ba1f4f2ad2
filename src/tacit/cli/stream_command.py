"""What ``tacit stream`` does: filter, monitors, gate, source and sink put together, and run."""

from __future__ import annotations

import inspect
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tacit.base import seeds
from tacit.base.errors import InputError, ParameterError
from tacit.cli import options as shared
from tacit.cli import own_files, stream_files
from tacit.cli.stream_dashboard import Dashboard
from tacit.data import io
from tacit.stream import registry
from tacit.stream.base import Filter
from tacit.stream.gate import Gate
from tacit.stream.intake import Intake, same
from tacit.stream.kinds import Plain
from tacit.stream.monitors.base import Monitor
from tacit.stream.monitors.flow import FlowMonitor
from tacit.stream.monitors.loss import LossMonitor
from tacit.stream.monitors.risk import RiskMonitor
from tacit.stream.pipeline import Pipeline, file_position
from tacit.stream.refused import DeadLetters, Refused
from tacit.stream.sources.redis import RedisSink, RedisSource
from tacit.stream.sources.redis_ledger import RedisLedger
from tacit.stream.sources.sinks import SINKS
from tacit.stream.sources.text import Record
from tacit.stream.text_lines import Lines, open_source
from tacit.stream.vocabulary import unknown_parameter
from tacit.stream.watch import Watch

Records: TypeAlias = Iterable[Record | Refused]

# fewer categories than this are no sign of an identifier, however short the stream is
FEWEST_IDENTIFIERS = 20


@dataclass(frozen=True)
class Job:
    """The options of the command line, by their names there."""

    filter: str
    settings: Plain
    source: Path | None
    target: Path | None
    form: str
    follow: bool
    columns: str | None
    nominal: str | None
    keep: list[str]
    drop: list[str]
    encoding: str | None
    dead: Path | None
    books: bool
    seed: int | None
    test_seed: bool
    state: Path | None
    every: int
    monitor: Path | None
    interval: float
    window: int
    alarm: list[str]
    dashboard: bool
    monitors: bool
    redis: str | None
    from_key: str | None
    to_key: str | None
    group: str
    consumer: str
    at_most_once: bool
    safe_formulas: bool
    force: bool


class Stop:
    """True after SIGTERM or SIGINT."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True

    def __call__(self) -> bool:
        return self.asked


def run(job: Job) -> None:
    """Run the stream to its end, and say on standard error what became of it."""
    if job.form not in SINKS:
        raise ParameterError(f"--format {job.form}: choose csv or jsonl")
    unit = build_filter(job)
    watch = build_watch(unit, job) if job.monitors else None
    gate = Gate(unit, job.keep, job.drop)
    letters = stream_files.dead_letter(job.dead, job.target)
    own_files.refuse_collisions(
        inputs={"--in": job.source},
        outputs={
            "--out": job.target,
            "--dead-letter": letters,
            "--state": job.state,
            "--monitor": job.monitor,
        },
    )
    goes_on = job.state is not None and job.state.exists()
    if job.target is not None and not goes_on:
        io.refuse_overwrite(job.target, force=job.force)
    pipeline = Pipeline(unit, None, watch, job.state, job.every, job.interval)
    pipeline.stop = Stop()
    pipeline.dead = DeadLetters(letters)
    pipeline.hidden = lambda: gate.hidden
    with ExitStack() as stack:
        stack.callback(pipeline.dead.close)
        if job.state is not None and not goes_on:
            stack.enter_context(stream_files.state_of_something(job.state, pipeline))
        also = pipeline.resume(lambda saved: _load_gate(gate, saved))
        if job.redis is not None:
            skip = False
            records = open_redis(job, pipeline, gate)
        else:
            records, skip = open_files(job, pipeline, gate, also, stack)
        # after the state was read: what earlier runs withheld is theirs
        withheld_before = len(unit.withheld)
        _say(stream_files.dropped(gate))
        decided = gate.names is not None
        if job.monitor is not None:
            log = job.monitor.open("a", encoding="utf-8")
            pipeline.log = stack.enter_context(log)
        if job.dashboard and job.monitors and sys.stderr.isatty():
            pipeline.show = stack.enter_context(Dashboard(repr(unit))).show
        pipeline(records, skip=skip)
    # a stream that was empty at first showed its columns later
    if not decided:
        _say(stream_files.dropped(gate))
    _say([stream_files.summary(pipeline, len(unit.withheld) - withheld_before)])
    _say(_notes(unit, watch))


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr)


def _load_gate(gate: Gate, saved: Plain) -> None:
    if "gate" in saved:
        gate.load(saved["gate"])


def _notes(unit: Filter, watch: Watch | None) -> list[str]:
    """What a person should look at: columns like identifiers, and alarms."""
    notes = [
        f"Note: '{name}' has nearly as many values as records, like an identifier; --drop it"
        for name in _identifiers(unit)
    ]
    for alarm in watch.alarms if watch else []:
        notes.append(
            f"alarm: {alarm.name} = {alarm.value:.4g} was above {alarm.bound:g} "
            f"at record {alarm.arrived}"
        )
    return notes


def _identifiers(unit: Filter) -> list[str]:
    """Unordered columns, protected as categories, in which most records have their own value."""
    records = unit._records
    if records is None:
        return []
    many = max(FEWEST_IDENTIFIERS, unit._arrived // 2)
    columns = zip(records.names, records.categories, strict=True)
    return [
        str(name)
        for name, categories in columns
        if categories is not None and len(categories) >= many
    ]


def build_filter(job: Job) -> Filter:
    """The filter with its parameters, checked by name before it is made."""
    make: Callable[..., Filter] = registry[job.filter]
    given = dict(job.settings)
    if job.columns is not None:
        given["columns"] = shared.split(job.columns)
    if job.nominal is not None:
        given["nominal"] = shared.split(job.nominal)
    known = inspect.signature(make).parameters
    for name in given:
        if name not in known:
            raise unknown_parameter(registry[job.filter], name, known)
    if job.seed is not None and "random_state" in known:
        seeds.warn(job.seed)
        given["random_state"] = job.seed
        if job.test_seed and "test_seed" in known:
            given["test_seed"] = True
    return make(**given)


def build_watch(unit: Filter, job: Job) -> Watch:
    """The filter with risk, loss and flow around it, and the bounds of ``--alarm``."""
    bounds: dict[str, float] = {}
    for pair in job.alarm:
        name, _, value = pair.partition("=")
        try:
            bounds[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(
                f"--alarm {pair}: write name=number, for example risk_past=0.2"
            ) from None
    monitors: list[Monitor] = [RiskMonitor(job.window), LossMonitor(), FlowMonitor()]
    return Watch(unit, monitors, bounds)


def open_files(
    job: Job, pipeline: Pipeline, gate: Gate, also: Plain, stack: ExitStack
) -> tuple[Records, bool]:
    """Records of a pipe or file, and whether those that were consumed before come again."""
    intake, skip = _open_intake(job, pipeline, gate, also.get("intake"), stack)
    # a pipe has no beginning by which it is known again
    is_pipe = intake.to_dict()["head"] is None
    live = job.follow or job.state is not None or is_pipe
    length = also.get("bytes")
    out = stream_files.open_output(
        job.target, live, bool(also), length, job.force, stack
    )
    dialect = intake.dialect
    pipeline.sink = SINKS[job.form](
        out,
        books=job.books,
        header=not length,
        delimiter=dialect.delimiter,
        decimal=dialect.decimal,
        safe_formulas=job.safe_formulas,
    )
    place = file_position(out, real=job.target is not None)
    pipeline.sync = lambda: (
        place() | {"gate": gate.to_dict(), "intake": intake.to_dict()}
    )
    return intake, skip


def _open_intake(
    job: Job, pipeline: Pipeline, gate: Gate, saved: Plain | None, stack: ExitStack
) -> tuple[Intake, bool]:
    source = job.source
    opened = open_source(source)
    if source is not None:
        stack.callback(opened.close)
    skip = saved is not None and same(opened, saved["head"])
    if saved and saved["head"] and source is not None and not skip:
        raise InputError(
            f"{source}: is not the file that the state was saved with; "
            "name that file, or another --state"
        )
    lines = Lines(
        opened,
        follow=job.follow,
        stop=pipeline.stop,
        idle=pipeline.idle,
        encoding=job.encoding,
        name="the stream" if source is None else str(source),
    )
    tabs = source is not None and source.suffix.lower() == ".tsv"
    intake = Intake(lines, job.form, gate, "\t" if tabs else None)
    intake.open(saved)
    return intake, skip


def _keep_a_ledger(pipeline: Pipeline, ledger: RedisLedger, gate: Gate) -> None:
    """Output, state and acknowledgement of the pipeline go together from now on."""
    pipeline.sink = ledger
    pipeline.state = ledger
    pipeline.commit = ledger.commit
    # releases wait for the save: as often as messages are fetched, and when nothing comes
    pipeline.every = min(pipeline.every, ledger.source.count)

    def idle() -> None:
        pipeline.idle()
        if ledger.waiting:
            pipeline.save()

    ledger.source.idle = idle
    pipeline.resume(lambda saved: _load_gate(gate, saved))


def open_redis(job: Job, pipeline: Pipeline, gate: Gate) -> Records:
    """Records of a Redis stream; each leaves exactly once, or at most once if so asked."""
    if job.redis is None or job.from_key is None or job.to_key is None:
        raise ParameterError("--redis needs --from KEY and --to KEY")
    if job.state is not None:
        raise ParameterError(
            "--state: on Redis the state is kept on the server, in one transaction with the "
            "releases and the acknowledgement, so that nothing is lost or leaves twice; "
            "leave --state out"
        )
    source = RedisSource(
        job.redis,
        job.from_key,
        job.group,
        job.consumer,
        follow=job.follow,
        stop=pipeline.stop,
        idle=pipeline.idle,
        at_most_once=job.at_most_once,
    )
    pipeline.sync = lambda: {"gate": gate.to_dict()}
    if job.at_most_once:
        pipeline.sink = RedisSink(job.redis, job.to_key)
    else:
        _keep_a_ledger(pipeline, RedisLedger(source, job.to_key), gate)
    first = source.beginning()
    if first and gate.names is None:
        gate.open(first)
    return map(gate.check, source)
