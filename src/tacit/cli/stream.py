"""``tacit stream``: protect records as they pass."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import options as shared


def stream(
    filter: Annotated[
        str,
        typer.Option(
            "--filter",
            help="noise, microaggregation, rank_swapping, dp_microaggregation, clusters, ...",
        ),
    ],
    settings: shared.Settings = None,
    source: Annotated[
        Path | None,
        typer.Option("--in", help="Read this file instead of standard input."),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="Write this file instead of standard output."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="csv or jsonl (one JSON object per line).")
    ] = "csv",
    follow: Annotated[
        bool,
        typer.Option("--follow", help="The input grows: wait for more at its end."),
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns to protect (else all that hold numbers, and --nominal). a,b,c"
        ),
    ] = None,
    nominal: shared.Nominal = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Columns that leave as they came; others that are not protected do not. a,b,c"
        ),
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option(help="Columns to leave out of the output (identifiers). a,b,c"),
    ] = None,
    encoding: shared.Encoding = None,
    dead: Annotated[
        Path | None,
        typer.Option(
            "--dead-letter",
            help="Where withheld records go with their reasons "
            "(OUT.withheld.jsonl; it holds originals).",
        ),
    ] = None,
    books: Annotated[
        bool,
        typer.Option(
            "--books", help="Add _index, _delay, _group and _size to each record."
        ),
    ] = False,
    seed: shared.Seed = None,
    test_seed: shared.TestSeed = False,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Save the state here and go on from it after a stop or crash."
        ),
    ] = None,
    every: Annotated[
        int, typer.Option(help="Save the state every so many records.", min=1)
    ] = 10_000,
    monitor: Annotated[
        Path | None,
        typer.Option(help="Append monitored values to this file as JSON lines."),
    ] = None,
    interval: Annotated[
        float, typer.Option(help="Seconds between reports.", min=0.0)
    ] = 1.0,
    window: Annotated[
        int,
        typer.Option(
            help="Originals that the intruder of the risk monitor holds.", min=2
        ),
    ] = 100,
    alarm: Annotated[
        list[str] | None,
        typer.Option(help="Warn when a value goes above: risk_past=0.2; repeat."),
    ] = None,
    dashboard: Annotated[bool, typer.Option(help="Live view on a terminal.")] = True,
    monitors: Annotated[
        bool, typer.Option(help="Measure risk and loss while the stream flows.")
    ] = True,
    redis: Annotated[
        str | None,
        typer.Option(help="redis://host:port: read and write Redis Streams."),
    ] = None,
    from_key: Annotated[
        str | None, typer.Option("--from", help="The Redis stream to read.")
    ] = None,
    to_key: Annotated[
        str | None, typer.Option("--to", help="The Redis stream to write.")
    ] = None,
    group: Annotated[str, typer.Option(help="Redis consumer group.")] = "tacit",
    consumer: Annotated[
        str, typer.Option(help="Name of this consumer; one for each partition.")
    ] = "1",
    at_most_once: Annotated[
        bool,
        typer.Option(
            "--at-most-once",
            help="On Redis: keep no state; a crash loses what was inside.",
        ),
    ] = False,
    safe_formulas: shared.SafeFormulas = True,
    force: shared.Force = False,
) -> None:
    """Protect records as they pass: a pipe, a file that grows, or Redis Streams.

    A stream fails closed. Only protected columns leave, and those named by --keep; a record that
    cannot be read, has other columns or values of another type is withheld and written to the
    dead-letter file, never released.

    On Redis each record leaves exactly once, also after a crash: releases, the state of the filter
    and the acknowledgement are one transaction of the server.

    SIGTERM and Ctrl-C end the stream: what may leave leaves, and the exit code is 0. A file that
    exists is written to only with --force, or when --state goes on with it. Without --state and
    --follow, --out appears when it is whole.

    Examples:

      tacit stream --filter microaggregation --set k=3 --set window=100 < in.csv > out.csv

      tacit stream --filter noise --columns age,income --keep diagnosis --in in.csv --out out.csv

      tacit stream --filter noise --set percent=30 --in log.csv --follow --out masked.csv

      tacit stream --filter microaggregation --redis redis://localhost --from visits --to masked
    """
    # kernels are compiled code: imported when a stream runs, and not for --help
    from tacit.cli.stream_command import run
    from tacit.cli.stream_job import Job

    run(
        Job(
            filter=filter,
            settings=shared.settings(settings),
            source=source,
            target=target,
            form=form,
            follow=follow,
            columns=columns,
            nominal=nominal,
            keep=shared.split(keep or ""),
            drop=shared.split(drop or ""),
            encoding=encoding,
            dead=dead,
            books=books,
            seed=seed,
            test_seed=test_seed,
            state=state,
            every=every,
            monitor=monitor,
            interval=interval,
            window=window,
            alarm=alarm or [],
            dashboard=dashboard,
            monitors=monitors,
            redis=redis,
            from_key=from_key,
            to_key=to_key,
            group=group,
            consumer=consumer,
            at_most_once=at_most_once,
            safe_formulas=safe_formulas,
            force=force,
        )
    )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(stream)
