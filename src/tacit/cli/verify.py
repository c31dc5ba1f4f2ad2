"""``tacit verify``: repeat the run of a manifest and compare bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import shared


def verify(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="The file OUT.manifest.json of a release.")],
    source: Annotated[Path | None, typer.Option(help="The input, if it has moved.")] = None,
    release: Annotated[Path | None, typer.Option(help="The release, if it has moved.")] = None,
    as_json: shared.AsJson = False,
) -> None:
    """Repeat a release from its manifest and compare every byte. Exit code 1 when anything differs.

    Example:

      tacit verify release.csv.manifest.json
    """
    from tacit.manifest import verify as run

    found = run(manifest, source=source, release=release)
    if as_json:
        shared.emit(found)
    else:
        out = shared.console()
        for what, holds in found.items():
            out.print(f"{'[green]yes[/]' if holds else '[bold red]NO[/]'}  {what.replace('_', ' ')}")
    if not found["verified"]:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)
