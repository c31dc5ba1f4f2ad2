"""What ``tacit stream`` does: filter, monitors, gate, source and sink put together, and run."""

from __future__ import annotations

import inspect
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack, nullcontext
from typing import TypeAlias

from tacit.base import seeds
from tacit.base.errors import InputError, ParameterError
from tacit.cli import options as shared
from tacit.cli import own_files, stream_files
from tacit.cli.stream_dashboard import Dashboard
from tacit.cli.stream_files import load_gate
from tacit.cli.stream_job import Job
from tacit.cli.stream_redis import open_redis
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
from tacit.stream.sources.sinks import SINKS
from tacit.stream.sources.text import Record
from tacit.stream.spent import SpentFile, spent_beside
from tacit.stream.state import count_of, taken_up
from tacit.stream.text_lines import Lines, open_source
from tacit.stream.vocabulary import unknown_parameter
from tacit.stream.watch import Watch

Records: TypeAlias = Iterable[Record | Refused]

# fewer categories than this are no sign of an identifier, however short the stream is
FEWEST_IDENTIFIERS = 20


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
    spent = _spent_file(job, unit)
    outputs = {
        "--out": job.target,
        "--dead-letter": letters,
        "--state": job.state,
        "--monitor": job.monitor,
        "what was spent": spent.path if spent else None,
    }
    own_files.refuse_collisions({"--in": job.source}, outputs)
    stream_files.refuse_pipes(outputs)
    goes_on = job.state is not None and job.state.exists()
    if job.target is not None and not goes_on:
        io.refuse_overwrite(job.target, force=job.force)
    pipeline = Pipeline(unit, None, watch, job.state, job.every, job.interval)
    pipeline.stop = Stop()
    pipeline.dead = DeadLetters(letters)
    pipeline.hidden = lambda: gate.hidden
    pipeline.spent = spent
    with ExitStack() as stack:
        stack.callback(pipeline.dead.close)
        if job.state is not None and not goes_on:
            stack.enter_context(stream_files.state_of_something(job.state, pipeline))
        also = pipeline.resume(lambda saved: load_gate(gate, saved))
        if job.redis is not None:
            skip = False
            records: Records = open_redis(job, pipeline, gate)
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


def _spent_file(job: Job, unit: Filter) -> SpentFile | None:
    """Where a private stream that can go on writes what left: beside the output if it has one."""
    if job.state is None or unit.spent is None:
        return None
    beside = job.state if job.target is None else job.target
    return SpentFile(spent_beside(beside), job.force)


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr)


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
    saved = also.get("intake")
    with taken_up(str(job.state)) if saved else nullcontext():
        intake, skip = _open_intake(job, pipeline, gate, saved, stack)
        length = count_of(also, "bytes") if "bytes" in also else None
    # a pipe has no beginning by which it is known again
    is_pipe = intake.to_dict()["head"] is None
    live = job.follow or job.state is not None or is_pipe
    # what left a private stream and does not come again stays where it is
    keep = not skip and pipeline.spent is not None and bool(pipeline.spent.ahead)
    out = stream_files.open_output(
        job.target, live, bool(also), length, job.force, stack, keep
    )
    dialect = intake.dialect
    pipeline.sink = SINKS[job.form](
        out,
        books=job.books,
        header=stream_files.begins(out),
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
    if source is not None and source.is_fifo():
        _say([f"Note: {source} is a named pipe (FIFO): reading until its writer ends"])
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
