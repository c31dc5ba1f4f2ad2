"""``tacit reproduce``: recompute the tables that the field cites, and say where the published number is
wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tacit.reproduce.run import Result

_COLOURS = {
    "agrees": "green",
    "better": "green",
    "artefact": "yellow",
    "differs": "red",
    "reproduced": "green",
    "stand-in": "cyan",
    "not available": "bold red",
    "error": "bold red",
}


def _list() -> None:
    from rich.console import Console
    from rich.table import Table

    from tacit.reproduce.run import missing
    from tacit.reproduce.targets import targets

    table = Table(title="targets")
    for heading in ("target", "source", "what", "state"):
        table.add_column(heading)
    for target in targets().values():
        absent = missing(target)
        state = f"[bold red]not available: {absent}[/]" if absent else "ready"
        table.add_row(target.name, target.source, target.title, state)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def _show(result: Result) -> None:
    from rich.console import Console
    from rich.table import Table

    from tacit.reproduce.write import number

    console = Console(width=None if sys.stdout.isatty() else 150)
    target = result.target
    title = f"{target.name}: {target.title} ({target.source})"
    if result.missing:
        console.print(f"[bold red]{target.name}: NOT AVAILABLE[/] ({result.missing}); counted as not reproduced")
        return
    table = Table(title=title)
    for heading in ("cell", "measure", "published", "ours", "95 %", "difference", "verdict"):
        table.add_column(heading, justify="left" if heading in {"cell", "measure", "verdict"} else "right")
    for cell, measure, j in result.lines:
        colour = _COLOURS.get(j.verdict, "")
        verdict = f"[{colour}]{j.verdict}[/]" if colour else j.verdict
        interval = j.why if j.ours is None else f"{number(j.interval[0])} .. {number(j.interval[1])}"
        table.add_row(cell, measure, j.published, number(j.ours), interval, number(j.difference), verdict)
    console.print(table)
    if result.count("artefact"):
        console.print(f"[yellow]artefact[/]: the published value is explained in docs/{target.explained}")
    for note in result.notes:
        console.print(f"[cyan]note: {note}[/]")
    for text, held, figure in result.claims:
        console.print(f"{'[green]holds' if held else '[red]does not hold'}[/]: {text} ({figure})")
    for error in result.errors[:3]:
        console.print(f"[bold red]error:[/] {error}")


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("reproduce")
    def reproduce(
        target: Annotated[list[str], typer.Argument(help="list, all, or names of targets (assignment-4.3)")],
        quick: Annotated[bool, typer.Option("--quick", help="smaller files and fewer seeds (minutes)")] = False,
        data: Annotated[Path | None, typer.Option(help="directory of the CASC reference files")] = None,
        out: Annotated[Path, typer.Option(help="where CSV, plots and summary go")] = Path("reproduce-output"),
        jobs: Annotated[int | None, typer.Option(help="processes (default: 2)")] = None,
        fresh: Annotated[bool, typer.Option("--fresh", help="forget stored runs instead of resuming")] = False,
    ) -> None:
        """Recompute published tables: published value, ours with interval, difference, verdict by a rule."""
        if target == ["list"]:
            _list()
            return
        from rich.console import Console

        from tacit.errors import ParameterError
        from tacit.reproduce.known import surprises
        from tacit.reproduce.run import reproduce as run
        from tacit.reproduce.targets import targets

        known = targets()
        names = list(known) if target == ["all"] else target
        for name in names:
            if name not in known:
                raise ParameterError(f"no target '{name}'; see: tacit reproduce list")
        say = (lambda text: print(text, file=sys.stderr, flush=True)) if sys.stderr.isatty() else (lambda text: None)
        results = run(names, quick=quick, data=str(data) if data else None, out=out, jobs=jobs, fresh=fresh, say=say)
        for result in results:
            _show(result)
        console = Console()
        good = sum(r.status == "reproduced" for r in results)
        console.print(f"{good} of {len(results)} targets reproduced; summary: {out / 'summary.md'}")
        found = surprises(results)
        for text in found[:40]:
            console.print(f"[bold red]not reproduced:[/] {text}")
        if len(found) > 40:
            console.print(f"[bold red]and {len(found) - 40} more[/]")
        if found:
            raise typer.Exit(1)
