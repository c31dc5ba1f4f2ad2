"""``tacit schema``: what tacit takes the columns for, as a file to correct."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import shared


@shared.with_roles
def schema(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the schema file (TOML).")] = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Show the kind and role of each column, with the reason; write them to a file that you can correct.

    Examples:

      tacit schema survey.csv

      tacit schema survey.csv --confidential income -o survey.toml
    """
    from tacit import io

    found = shared.read(source, None, encoding, roles).schema
    if output is not None:
        with io.replacing(output, force=force) as temporary:
            temporary.write_text(found.to_toml(), encoding="utf-8")
    if as_json:
        shared.emit(found.to_dict())
        return
    from rich.table import Table

    table = Table(title=str(source), title_justify="left")
    for heading in ("column", "kind", "role", "why"):
        table.add_column(heading)
    for column in found:
        table.add_row(column.name, str(column.kind), str(column.role), column.why)
    shared.console().print(table)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(schema)
