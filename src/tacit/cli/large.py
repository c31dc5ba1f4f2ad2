"""``tacit large``: names of before, each of which says what it stands for and runs that."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import options as shared
from tacit.cli import own_files

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

app = typer.Typer(
    no_args_is_help=True,
    help="Names of before: tacit protect --blocks and tacit link do the same for files of any "
    "size. picture draws the blocks of two columns.",
)

Cluster = Annotated[
    str | None,
    typer.Option(help="Now --engine: a Spark master (spark://..., yarn, local[2])."),
]
# this machine, in words that --cluster took
HERE = ("threads", "processes")
# attackers that go over all blocks, whatever blocks were asked for
OVER_BLOCKS = ("nearest", "assignment")


@app.command()
def protect(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to protect.")],
    release: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    method: Annotated[
        str, typer.Option(help="A protection method.")
    ] = "microaggregation",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    identifier: shared.Identifier = None,
    nominal: shared.Nominal = None,
    split_on: Annotated[
        str | None, typer.Option(help="Columns that blocks are cut on. a,b")
    ] = None,
    leaf: Annotated[
        str, typer.Option(help="Now --blocks: at most so many records, or auto.")
    ] = "10000",
    memory: shared.Memory = None,
    cluster: Cluster = None,
    seed: shared.Seed = None,
    test_seed: shared.TestSeed = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped.")
    ] = False,
    price: Annotated[
        int, typer.Option(help="Also say what blocks lose, on a sample of so many.")
    ] = 0,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
) -> None:
    """Now: tacit protect IN OUT --blocks 10000. Says the whole command, and runs it.

    Rows are shuffled now, columns that would leave by accident are refused, and OUT is one file,
    also from a cluster.

    Example:

      tacit large protect survey.parquet release.parquet --set k=5 --quasi age,income
    """
    in_blocks = _forms_groups(method, shared.settings(settings))
    _run(
        context,
        ["protect", str(source), str(release), "--method", method],
        settings=settings,
        options={
            "--quasi": quasi,
            "--identifier": identifier,
            "--nominal": nominal,
            # a method that goes record by record gives the same without blocks
            "--blocks": leaf if in_blocks else None,
            "--split-on": split_on if in_blocks else None,
            "--price": price or None if in_blocks else None,
            "--memory": memory,
            "--engine": None if cluster in HERE else cluster,
            "--seed": seed,
        },
        flags={
            "--test-seed": test_seed,
            "--resume": resume,
            "--force": force,
            "--json": as_json,
        },
    )


@app.command()
def link(
    context: typer.Context,
    original: Annotated[Path, typer.Argument(help="The file before protection.")],
    masked: Annotated[Path, typer.Argument(help="The release.")],
    attacker: Annotated[
        str, typer.Option(help="An attacker: nearest, assignment, ...")
    ] = "nearest",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    blocks: Annotated[
        str | None, typer.Option(help="kdtree or orthtree, for other attackers.")
    ] = None,
    leaf: Annotated[
        str | None, typer.Option(help="With --blocks: records of a block.")
    ] = None,
    cluster: Cluster = None,
    out: Annotated[Path | None, typer.Option(help="Where the links go.")] = None,
    price: Annotated[
        int, typer.Option(help="With --blocks: also count links without, on a sample.")
    ] = 0,
    sample: Annotated[
        int, typer.Option(help="Link so many originals, drawn (nearest).")
    ] = 0,
    as_json: shared.AsJson = False,
) -> None:
    """Now: tacit link ORIGINAL MASKED. Says the whole command, and runs it.

    Whose row is whose is checked now, and --plan with the manifest says it.

    Example:

      tacit large link survey.parquet release.parquet --quasi age,income --sample 20000
    """
    inside = blocks is not None and attacker not in OVER_BLOCKS
    size = None if leaf == "auto" else leaf
    _run(
        context,
        ["link", str(original), str(masked), "--attacker", attacker],
        settings=settings,
        options={
            "--quasi": quasi,
            "--blocks": blocks if inside else None,
            "--leaf": size if inside else None,
            "--price": price or None if inside else None,
            "--sample": sample or None,
            "--engine": None if cluster in HERE else cluster,
            "--out": out,
        },
        flags={"--json": as_json},
    )


def _forms_groups(method: str, given: dict[str, Any]) -> bool:
    """Does the method, with these parameters, form groups that can be formed inside blocks?"""
    from tacit.base.parameters import check
    from tacit.protect import registry

    kind = registry[method]
    check(kind, given)
    return kind.scales == "blocks" and kind(**given).needs_whole_file() is None


def _run(
    context: typer.Context,
    words: list[str],
    *,
    settings: list[str] | None,
    options: dict[str, object],
    flags: dict[str, bool],
) -> None:
    """Say the command, and run exactly that."""
    for pair in settings or []:
        words += ["--set", pair]
    for name, value in options.items():
        words += [] if value is None else [name, str(value)]
    words += [name for name, is_set in flags.items() if is_set]
    name = f"tacit large {words[0]}"
    shared.tell(f"{name} is now: {shlex.join(['tacit', *words])}")
    main = context.find_root().command
    with main.make_context("tacit", words) as again:
        main.invoke(again)


@app.command()
def picture(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of records.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The SVG to write.")],
    columns: Annotated[str, typer.Option(help="Two numeric columns. a,b")],
    leaf: Annotated[
        int, typer.Option(help="L: at most so many records per leaf.")
    ] = 50,
    least: Annotated[
        int, typer.Option(help="Leaves with fewer records are fused.")
    ] = 10,
    force: shared.Force = False,
) -> None:
    """Draw the blocks of two columns: cells, records, and which small leaves were fused.

    Example:

      tacit large picture survey.csv blocks.svg --columns age,income
    """
    from tacit.data import io
    from tacit.report.charts.partition import draw
    from tacit.scale.partition.orthtree import OrthTree

    own_files.refuse(inputs={"IN": source}, outputs={"OUT": target}, force=force)
    data = io.read(source)
    points = data.numbers(shared.split(columns))
    draw(points, OrthTree(leaf=leaf, least=least), target)
    shared.say(f"Wrote {target}")


def register(main: typer.Typer) -> None:
    """Add the commands."""
    main.add_typer(app, name="large")
