"""``tacit schema``: what tacit takes the columns for, as a file to correct."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tacit.cli import options as shared

if TYPE_CHECKING:
    from tacit.data.schema import Schema
from tacit.cli import own_files

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


# names of columns that one question lists
MOST_NAMES = 5


@shared.with_roles
def schema(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the schema file (TOML)."),
    ] = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Show the kind and role of each column, with the reason; write them to a file to correct.

    What needs a decision is marked with a question mark and asked below the table: a date whose
    day and month cannot be told apart, numbers that may be codes, values that may stand for a
    missing one. Below stands what a sampling weight tells besides itself, such as the size of the
    household.

    Examples:

      tacit schema survey.csv

      tacit schema survey.csv --confidential income -o survey.toml
    """
    from tacit.data import io
    from tacit.data.determined import determined

    own_files.refuse(inputs={"FILE": source}, outputs={"-o": output}, force=force)
    data = shared.read(source, None, encoding, roles)
    columns = data.schema
    # The file can be corrected and given back to every command as --schema.
    if output is not None:
        with io.replacing(output, force=force) as temporary:
            temporary.write_text(columns.to_toml(), encoding="utf-8")
    if as_json:
        tells = [asdict(one) for one in determined(data)]
        shared.emit(columns.to_dict() | ({"weights": tells} if tells else {}))
        return
    table = Table(title=str(source), title_justify="left")
    for heading in ("", "column", "kind", "role", "sure?", "why"):
        table.add_column(heading)
    for column in columns:
        mark = "?" if column.questions else ""
        kind, role = str(column.kind), str(column.role)
        table.add_row(mark, column.name, kind, role, column.confidence, column.why)
    shared.console().print(table)
    for found in determined(data):
        shared.say(str(found))
    _questions(columns)


def _questions(columns: Schema) -> None:
    """What a person must decide, one line for each."""
    asked = questions(columns)
    if not asked:
        return
    shared.say(f"To decide ({len(asked)}): the guess stands until you say otherwise.")
    for sentence in asked:
        shared.say(f"  {sentence}")
    open_ones = [column for column in columns if column.ask]
    if open_ones:
        first = open_ones[0]
        shared.say(
            f"Say it with --{first.kind} {first.name} (or another kind), "
            "or in the file that -o writes."
        )


def questions(columns: Schema) -> list[str]:
    """What a person must decide: the same question of several columns is one."""
    where: dict[tuple[str, str], list[str]] = {}
    for column in columns:
        if column.ask:
            where.setdefault((str(column.kind), column.ask), []).append(column.name)
    asked = [
        f"{_listed(names)} ({kind}): {ask}" for (kind, ask), names in where.items()
    ]
    return [*asked, *about_codes(columns)]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    others = len(names) - MOST_NAMES
    return f"{shown} and {others} others" if others > 0 else shown


def about_codes(columns: Schema) -> list[str]:
    """What looks like missing codes, one question for the same values of several columns."""
    from tacit.data.column import said_codes

    where: dict[str, list[str]] = {}
    typed: dict[str, str] = {}
    for column in columns:
        if column.suspects:
            said = said_codes(column.suspects)
            where.setdefault(said, []).append(column.name)
            typed[said] = ",".join(str(code) for code in column.suspects)
    out = []
    for said, names in where.items():
        name = names[0] if len(names) == 1 else "*"
        out.append(
            f"{_listed(names)}: does {said} stand for a missing value? If so, say "
            f"--missing '{name}={typed[said]}'; if not, --missing '{names[0]}='."
        )
    return out


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(schema)
