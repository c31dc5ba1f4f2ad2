"""``tacit reproduce``: recompute the tables that the field cites, and say where they are wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from tacit.base.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.reproduce.run import Result

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

# Columns of a table when there is no terminal: published and own figures stand side by side.
WIDTH = 150
# Surprises and errors that are printed; the summary file has all.
SURPRISES, ERRORS = 40, 3
# Where published values that are artefacts are explained; a target names file and heading.
EXPLAINED = "docs/explanation"

_COLOURS = {
    "agrees": "green",
    "better": "green",
    "artefact": "yellow",
    "outside": "yellow",
    "differs": "red",
    "reproduced": "green",
    "stand-in": "cyan",
    "not available": "bold red",
    "error": "bold red",
}


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDTH)


def _list() -> None:
    """Every target, and whether the data for it are here."""
    from tacit.reproduce.run import missing
    from tacit.reproduce.targets import targets

    table = Table(title="targets")
    for heading in ("target", "source", "what", "state"):
        table.add_column(heading)
    for target in targets().values():
        absent = missing(target)
        state = f"[bold red]not available: {absent}[/]" if absent else "ready"
        table.add_row(target.name, target.source, target.title, state)
    _console().print(table)


def _show(result: Result) -> None:
    """A target: its table, then what is said about it."""
    console = _console()
    target = result.target
    if result.missing:
        # What did not run is not a success.
        console.print(
            f"[bold red]{target.name}: NOT AVAILABLE[/] ({result.missing}); "
            "counted as not reproduced"
        )
        return
    console.print(_table(result))
    if result.count("artefact"):
        place = f"{EXPLAINED}/{target.explained}"
        console.print(
            f"[yellow]artefact[/]: the published value is explained in {place}"
        )
    for note in result.notes:
        console.print(f"[cyan]note: {note}[/]")
    for text, holds, figure in result.claims:
        word = "[green]holds[/]" if holds else "[red]does not hold[/]"
        console.print(f"{word}: {text} ({figure})")
    for error in result.errors[:ERRORS]:
        console.print(f"[bold red]error:[/] {error}")


def _table(result: Result) -> Table:
    """Published value, ours with interval, how far the means are, verdict; one row a figure."""
    from tacit.reproduce.figures_text import cell_text, number, p_text
    from tacit.reproduce.transcript import runs

    target = result.target
    kind = f"; {runs()[target.name]}" if target.name in runs() else ""
    table = Table(title=f"{target.name}: {target.title} ({target.source}{kind})")
    table.add_column("cell")
    table.add_column("measure")
    for heading in ("published", "ours", "95 %", "p", "apart", "s.e.", "fault", "p"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for cell, measure, judged in result.lines:
        colour = _COLOURS.get(judged.verdict, "")
        verdict = f"[{colour}]{judged.verdict}[/]" if colour else judged.verdict
        low, high = judged.interval
        # Without a figure of ours the reason stands in place of the interval.
        interval = judged.why
        if judged.ours is not None:
            interval = f"{number(low)} .. {number(high)}"
        table.add_row(
            cell_text(result, cell),
            measure,
            judged.published,
            number(judged.ours),
            interval,
            p_text(judged.p),
            number(judged.difference),
            "" if judged.errors is None else f"{judged.errors:+.1f}",
            number(judged.fault),
            p_text(judged.fault_p),
            verdict,
        )
    return table


def _log(start: float) -> Callable[[Result], None]:
    """One line for each target as it ends: minutes since the start, status, verdicts, CPU."""
    from tacit.reproduce.sentences import verdicts

    console = _console()

    def log(result: Result) -> None:
        minutes = (time.perf_counter() - start) / 60
        colour = _COLOURS.get(result.status, "")
        failing = [text for text, holds, _ in result.claims if not holds]
        told = verdicts(result) + "".join(f"; does not hold: {t}" for t in failing)
        # without a terminal a line is a line, however long
        console.print(
            f"{minutes:5.1f} min  {result.target.name:<23} [{colour}]{result.status:<13}[/]"
            f" {told}; {result.seconds:,.0f} CPU s",
            soft_wrap=True,
            highlight=False,
        )

    return log


def _say(text: str) -> None:
    """Progress, for someone who watches; a log need not hold it."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("reproduce")
    def reproduce(
        target: Annotated[
            list[str],
            typer.Argument(help="list, all, or names of targets (assignment-4.3)"),
        ],
        quick: Annotated[
            bool,
            typer.Option("--quick", help="smaller files and fewer seeds (minutes)"),
        ] = False,
        data: Annotated[
            Path | None, typer.Option(help="directory of the CASC reference files")
        ] = None,
        out: Annotated[Path, typer.Option(help="where CSV, plots and pages go")] = Path(
            "reproduce-output"
        ),
        jobs: Annotated[int | None, typer.Option(help="processes (default: 2)")] = None,
        fresh: Annotated[
            bool, typer.Option("--fresh", help="forget stored runs instead of resuming")
        ] = False,
    ) -> None:
        """Recompute published tables: their value, ours with interval, a verdict by a rule."""
        if target == ["list"]:
            _list()
            return
        from tacit.reproduce.known import surprises
        from tacit.reproduce.run import reproduce as run
        from tacit.reproduce.targets import targets

        known = targets()
        everything = target == ["all"]
        names = list(known) if everything else target
        for name in names:
            if name not in known:
                raise ParameterError(f"no target '{name}'; see: tacit reproduce list")
        results = run(
            names,
            quick=quick,
            data=str(data) if data else None,
            out=out,
            jobs=jobs,
            fresh=fresh,
            say=_say,
            # sixty tables would hide what matters: the pages have them
            told=_log(time.perf_counter()) if everything else _show,
        )
        console = _console()
        good = sum(result.status == "reproduced" for result in results)
        console.print(
            f"{good} of {len(results)} targets reproduced; summary: {out / 'index.md'}",
            soft_wrap=True,
        )
        # Deviations that are known and explained are no surprise, and no failure.
        unexpected = surprises(results)
        for text in unexpected[:SURPRISES]:
            console.print(f"[bold red]not reproduced:[/] {text}", soft_wrap=True)
        if len(unexpected) > SURPRISES:
            console.print(f"[bold red]and {len(unexpected) - SURPRISES} more[/]")
        if unexpected:
            raise typer.Exit(1)
