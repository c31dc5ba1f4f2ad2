"""``tacit stream``: protect records as they pass."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import shared


def stream(
    filter: Annotated[
        str, typer.Option("--filter", help="noise, microaggregation, rank_swapping, private, clusters, ...")
    ],
    settings: shared.Settings = None,
    source: Annotated[Path | None, typer.Option("--in", help="Read this file instead of standard input.")] = None,
    target: Annotated[Path | None, typer.Option("--out", help="Write this file instead of standard output.")] = None,
    form: Annotated[str, typer.Option("--format", help="csv or jsonl (one JSON object a line).")] = "csv",
    follow: Annotated[bool, typer.Option("--follow", help="The input grows: wait for more at its end.")] = False,
    columns: Annotated[str | None, typer.Option(help="Columns to protect; others are carried along. a,b,c")] = None,
    nominal: shared.Nominal = None,
    drop: Annotated[str | None, typer.Option(help="Columns to leave out of the output (identifiers). a,b,c")] = None,
    books: Annotated[
        bool, typer.Option("--books", help="Add _index, _delay, _group and _size to each record.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Same seed, same bytes. For tests, where privacy is claimed.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Save the state here and go on from it after a stop or crash.")
    ] = None,
    every: Annotated[int, typer.Option(help="Save the state every so many records.", min=1)] = 10_000,
    monitor: Annotated[Path | None, typer.Option(help="Append monitored values to this file as JSON lines.")] = None,
    interval: Annotated[float, typer.Option(help="Seconds between reports.", min=0.0)] = 1.0,
    window: Annotated[int, typer.Option(help="Originals that the intruder of the risk monitor holds.", min=2)] = 100,
    alarm: Annotated[
        list[str] | None, typer.Option(help="Warn when a value goes above: risk_past=0.2; repeat.")
    ] = None,
    dashboard: Annotated[bool, typer.Option(help="Live view on a terminal.")] = True,
    monitors: Annotated[bool, typer.Option(help="Measure risk and loss while the stream flows.")] = True,
    redis: Annotated[str | None, typer.Option(help="redis://host:port: read and write Redis Streams.")] = None,
    from_key: Annotated[str | None, typer.Option("--from", help="The Redis stream to read.")] = None,
    to_key: Annotated[str | None, typer.Option("--to", help="The Redis stream to write.")] = None,
    group: Annotated[str, typer.Option(help="Redis consumer group.")] = "tacit",
    consumer: Annotated[str, typer.Option(help="Name of this consumer; one for each partition.")] = "1",
    force: shared.Force = False,
) -> None:
    """Protect records as they pass: a pipe, a file that grows, or Redis Streams.

    SIGTERM and Ctrl-C end the stream: what may leave leaves, and the exit code is 0. A file that exists is written to
    only with --force, or when --state goes on with it.

    Examples:

      tacit stream --filter microaggregation --set k=3 --set window=100 < in.csv > out.csv

      tacit stream --filter noise --set amount=0.3 --in log.csv --follow --out masked.csv --state noise.state

      tacit stream --filter microaggregation --redis redis://localhost --from visits --to masked --state p1.state
    """
    from tacit.errors import ParameterError
    from tacit.stream import registry
    from tacit.stream.run import Run, file_position
    from tacit.stream.sinks import SINKS

    if form not in SINKS:
        raise ParameterError(f"--format {form}: choose csv or jsonl")
    make = registry[filter]
    options = shared.settings(settings)
    for name, value in (("columns", columns), ("nominal", nominal)):
        if value is not None:
            options[name] = shared.split(value)
    unit = _build(make, options, seed)
    watch = _watch(unit, window, alarm) if monitors else None
    stopped = _Stop()
    with ExitStack() as stack:
        run = Run(unit, None, watch, state, every, interval, stop=stopped)
        also = run.resume()
        if monitor is not None:
            run.log = stack.enter_context(monitor.open("a", encoding="utf-8"))
        if dashboard and sys.stderr.isatty() and monitors:
            from tacit.cli.stream_dashboard import Dashboard

            run.show = stack.enter_context(Dashboard(repr(unit))).show
        if redis is not None:
            records = _redis(run, redis, from_key, to_key, group, consumer, follow, stopped)
        else:
            if target is not None and source is not None and target.resolve() == source.resolve():
                raise ParameterError(f"{target}: is the input itself, which is never written; name another file")
            out = _open(target, resumed=bool(also), length=also.get("bytes"), force=force, stack=stack)
            run.sink = SINKS[form](out, books=books, header=not also.get("bytes"))
            run.sync = file_position(out, real=target is not None)
            records = _records(run, source, form, follow, stopped, stack)
        left_out = set(shared.split(drop)) if drop else set()
        if left_out:
            records = ({k: v for k, v in r.items() if k not in left_out} for r in records)
        run(records, skip=redis is None)
        run.sync()
    if unit.withheld:
        print(f"{len(unit.withheld)} record(s) were withheld: too few to be protected", file=sys.stderr)
    for name in _identifiers(unit):
        print(f"Note: '{name}' has nearly as many values as records, like an identifier; --drop it", file=sys.stderr)
    for warned in watch.alarms if watch else []:
        print(
            f"alarm: {warned.name} = {warned.value:.4g} was above {warned.bound:g} at record {warned.arrived}",
            file=sys.stderr,
        )


def _identifiers(unit: Any) -> list[str]:
    """Unordered columns, protected as categories, in which most records have a value of their own."""
    records = unit._records
    if records is None:
        return []
    known = zip(records.names, records.categories, strict=True)
    return [str(n) for n, c in known if c is not None and len(c) >= max(20, unit._arrived // 2)]


class _Stop:
    """True after SIGTERM or SIGINT."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, *_: Any) -> None:
        self.asked = True

    def __call__(self) -> bool:
        return self.asked


def _build(make: Any, options: dict[str, Any], seed: int | None) -> Any:
    import inspect

    from tacit.errors import ParameterError, choices

    known = [name for name in inspect.signature(make.__init__).parameters if name != "self"]
    for name in options:
        if name not in known:
            raise ParameterError(f"{make.__name__} has no parameter '{name}'; {choices(name, known)}")
    if seed is not None and "random_state" in known:
        options = options | {"random_state": seed}
    return make(**options)


def _watch(unit: Any, window: int, alarm: list[str] | None) -> Any:
    from tacit.errors import ParameterError
    from tacit.stream.monitor_flow import FlowMonitor
    from tacit.stream.monitor_loss import LossMonitor
    from tacit.stream.monitor_risk import RiskMonitor
    from tacit.stream.watch import Watch

    bounds = {}
    for pair in alarm or []:
        name, _, value = pair.partition("=")
        try:
            bounds[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(f"--alarm {pair}: write name=number, for example risk_past=0.2") from None
    return Watch(unit, [RiskMonitor(window), LossMonitor(), FlowMonitor()], bounds)


def _records(run: Any, source: Path | None, form: str, follow: bool, stop: Any, stack: ExitStack) -> Any:
    from tacit.stream.sources import csv_records, json_records, lines, open_source

    opened = open_source(source)
    if source is not None:
        stack.callback(opened.close)
    text = lines(opened, follow=follow, stop=stop, idle=run.idle)
    return csv_records(text) if form == "csv" else json_records(text)


def _open(target: Path | None, resumed: bool, length: int | None, force: bool, stack: ExitStack) -> Any:
    """Standard output, or a file; after a restart the file is cut back to where the saved state stood."""
    import os

    from tacit import io

    if target is None:
        return sys.stdout
    if resumed and length is not None and target.exists():
        with target.open("r+b") as whole:
            os.ftruncate(whole.fileno(), length)
        return stack.enter_context(target.open("a", encoding="utf-8", newline=""))
    io.refuse_overwrite(target, force=force or resumed)
    return stack.enter_context(target.open("w", encoding="utf-8", newline=""))


def _redis(
    run: Any, url: str, key: str | None, to: str | None, group: str, consumer: str, follow: bool, stop: Any
) -> Any:
    from tacit.errors import ParameterError
    from tacit.stream.redis_streams import RedisSink, RedisSource

    if key is None or to is None:
        raise ParameterError("--redis needs --from KEY and --to KEY")
    run.sink = RedisSink(url, to)
    source = RedisSource(url, key, group, consumer, follow=follow, stop=stop, idle=run.idle)
    run.commit = source.acknowledge
    return source


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stream)
