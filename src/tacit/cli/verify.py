"""``tacit verify``: repeat the run of a manifest and compare bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tacit.cli import options as shared

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


def verify(
    context: typer.Context,
    manifest: Annotated[
        Path,
        typer.Argument(
            metavar="MANIFEST", help="The file OUT.manifest.json of a release."
        ),
    ],
    source: Annotated[
        Path | None, typer.Option(help="The input, if it has moved.")
    ] = None,
    release: Annotated[
        Path | None, typer.Option(help="The release, if it has moved.")
    ] = None,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    as_json: shared.AsJson = False,
) -> None:
    """Repeat a release from its manifest and compare every byte. Exit code 1 when anything differs.

    Differentially private noise cannot be repeated, by design: then the hashes of both files and
    the plan are checked.

    Example:

      tacit verify release.csv.manifest.json
    """
    from tacit.plan.manifest import load
    from tacit.plan.manifest import verify as run

    record = load(manifest)
    if "blocks" in record:
        from tacit.scale.block_manifest import verify as run_blocks

        _say(run_blocks(manifest, source, release), as_json)
        return
    read_from = source or Path(record["input"]["path"])
    place = None
    if read_from.exists() or shared.is_table(read_from):
        place = shared.place_for(context, read_from, manifest, memory, engine)
    reader = None if place is None else place.read
    mask = None
    if "in_blocks" in record:
        from tacit.scale.in_blocks import InBlocks

        blocks = InBlocks.of(record, manifest, shared.room(place, memory))
        mask = None if blocks is None else blocks.mask
    _say(run(manifest, source=source, release=release, read=reader, mask=mask), as_json)


def _say(checks: dict[str, bool | None], as_json: bool) -> None:
    """What holds; exit code 1 if anything does not."""
    if as_json:
        shared.emit(checks)
    else:
        out = shared.console()
        # None: this cannot be checked, and that is no failure.
        words = {True: ("yes", "green"), False: ("NO ", "bold red"), None: ("-  ", "")}
        for what, holds in checks.items():
            out.print(Text.assemble(words[holds], f"  {what.replace('_', ' ')}"))
        if checks["repeated_same_bytes"] is None:
            shared.say(
                "Differentially private noise has no seed and cannot be repeated, by design: "
                "all else was checked."
            )
    if not checks["verified"]:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)
