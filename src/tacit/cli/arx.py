"""``tacit arx``: a project of ARX as a plan and hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import options as shared
from tacit.cli import own_files

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


def arx(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A project of ARX (.deid).")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The folder for plan.toml and hierarchies/."
        ),
    ],
    with_data: Annotated[
        bool,
        typer.Option(
            "--with-data",
            help="Also write the project's data, as input.csv that only you can read.",
        ),
    ] = False,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
) -> None:
    """Read the settings of an ARX project: a plan, its hierarchies, and what is left behind.

    Roles, hierarchies, levels, privacy models, suppression limit, weights and quality model are
    taken over. What a plan cannot hold is said, one line each.

    Examples:

      tacit arx study.deid -o study

      tacit arx study.deid -o study --with-data

      tacit protect study/input.csv release.csv --plan study/plan.toml
    """
    from tacit.base.errors import InputError
    from tacit.data import io
    from tacit.plan.from_arx import from_arx

    taken = from_arx(source)
    if with_data and taken.data is None:
        raise InputError(f"{source}: the project holds no data (data/input.csv)")
    if output.exists() and not output.is_dir():
        raise InputError(f"{output}: this is a file; name a folder")
    output.mkdir(parents=True, exist_ok=True)
    data = output / "input.csv" if with_data else None
    own_files.refuse(
        inputs={"FILE": source},
        outputs={"the plan": output / "plan.toml", "--with-data": data},
        force=force,
    )
    where = taken.save(output, force=force)
    if data is not None and taken.data is not None:
        with io.replacing(data, force=force, private=True) as temporary:
            temporary.write_bytes(taken.data)
    if as_json:
        shared.emit(
            {
                "plan": str(where),
                "hierarchies": list(taken.hierarchies),
                "left": taken.left,
            }
        )
        return
    shared.say(
        f"Wrote {where} and {len(taken.hierarchies)} hierarchies: {taken.plan.steps[0].method}."
    )
    for sentence in taken.left:
        shared.say(f"Not taken over: {sentence}.")
    shared.say(
        f"Now protect: tacit protect FILE release.csv --plan {where}", copied=True
    )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(arx)
