"""``tacit large``: files too large for memory or for quadratic work, on this machine or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import shared

app = typer.Typer(no_args_is_help=True, help="Work on blocks: larger than memory, or on a Spark cluster.")

Leaf = Annotated[str, typer.Option(help="L: at most so many records a block, or auto.")]
Cluster = Annotated[
    str | None, typer.Option(help="Where to run: threads, processes, or a Spark master (spark://..., yarn, local[2]).")
]


@app.command()
def protect(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Parquet: a file, or a folder of files.")],
    release: Annotated[Path, typer.Argument(metavar="OUT", help="The Parquet to write (a folder, from a cluster).")],
    method: Annotated[str, typer.Option(help="A protection method.")] = "microaggregation",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    identifier: shared.Identifier = None,
    nominal: shared.Nominal = None,
    split_on: Annotated[str | None, typer.Option(help="Columns that blocks are cut on (default: --quasi). a,b")] = None,
    leaf: Leaf = "10000",
    memory: Annotated[str, typer.Option(help="Memory limit of this process.")] = "2GB",
    cluster: Cluster = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped (OUT.work).")] = False,
    price: Annotated[int, typer.Option(help="Also report the price of blocking on a sample of so many records.")] = 0,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
) -> None:
    """Mask a Parquet file block by block (2^d-tree), within a memory limit.

    Examples:

      tacit large protect survey.parquet release.parquet --set k=5 --quasi age,income --memory 2GB

      tacit large protect hdfs/survey release --set k=5 --quasi age,income --cluster spark://host:7077
    """
    from tacit import io
    from tacit.large.run import protect as run

    if not resume:
        io.refuse_overwrite(release, force=force)
    with shared.progress("protecting") as report:
        done = run(
            source,
            release,
            method=method,
            parameters=shared.settings(settings),
            columns=shared.split(quasi) if quasi else None,
            split_on=shared.split(split_on) if split_on else None,
            categorical=shared.split(nominal) if nominal else (),
            drop=shared.split(identifier) if identifier else None,
            leaf=_leaf(leaf),
            memory=memory,
            engine=cluster,
            seed=seed,
            resume=resume,
            price=price,
            progress=lambda finished, total: report("bins", finished, total),
        )
    if as_json:
        shared.emit(done.to_dict())
        return
    again = f", {done.resumed_bins} bins of an earlier run kept" if done.resumed_bins else ""
    shared.say(
        f"Masked {done.records:,} records in {done.blocks:,} blocks ({done.smallest:,} to {done.largest:,} records"
        f"{again}) in {sum(done.seconds.values()):.1f} s, peak memory {done.peak_memory / 1e6:.0f} MB; loss "
        f"(100 SSE/SST) {done.loss:.4f}; wrote {release}, digest {done.digest[:16]}"
    )
    if done.price:
        shared.say(
            f"Price of blocking on {done.price['sample']:.0f} records: loss {done.price['loss_with_blocks']:.4f} in "
            f"blocks of at most {done.price['leaf']:.0f}, {done.price['loss_without_blocks']:.4f} without"
        )


@app.command()
def link(
    original: Annotated[Path, typer.Argument(help="The original (Parquet).")],
    masked: Annotated[Path, typer.Argument(help="The masked file (Parquet), in the same order.")],
    attacker: Annotated[str, typer.Option(help="An attacker: nearest, assignment, ...")] = "nearest",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    blocks: Annotated[str, typer.Option(help="kdtree (blocks of equal size) or orthtree (2^d-tree).")] = "kdtree",
    leaf: Leaf = "10000",
    cluster: Cluster = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the links (needed on a cluster).")] = None,
    price: Annotated[int, typer.Option(help="Sample on which links without blocks are counted, too.")] = 0,
    as_json: shared.AsJson = False,
) -> None:
    """Attack a masked file block by block.

    Example:

      tacit large link survey.parquet release.parquet --attacker nearest --quasi age,income --price 2000
    """
    from tacit.errors import ParameterError
    from tacit.large.linking import link as run

    if blocks not in ("kdtree", "orthtree"):
        raise ParameterError(f"--blocks {blocks}: choose kdtree or orthtree")
    with shared.progress("linking") as report:
        found = run(
            original,
            masked,
            attacker=attacker,
            parameters=shared.settings(settings),
            columns=shared.split(quasi) if quasi else None,
            leaf=_leaf(leaf),
            blocks=blocks,  # type: ignore[arg-type]
            engine=cluster,
            price=price,
            out=out,
            progress=lambda finished, total: report("blocks", finished, total),
        )
    if as_json:
        shared.emit(found.to_dict())
        return
    low, high = found.interval
    shared.say(
        f"{found.attacker}: {found.correct:,.2f} of {found.records:,} correct, {100 * found.rate:.2f} % "
        f"[{100 * low:.2f}, {100 * high:.2f}], chance {100 * found.chance:.5f} %; {found.blocks} blocks, "
        f"{found.apart:,} originals have their own record in another block; {found.seconds:.1f} s"
    )
    if found.price:
        shared.say(
            f"Price of blocking on {found.price['sample']:.0f}: {found.price['links_with_blocks']:.1f} links in "
            f"blocks, {found.price['links_without_blocks']:.1f} without"
        )


@app.command()
def picture(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of records.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The SVG to write.")],
    columns: Annotated[str, typer.Option(help="Two numeric columns. a,b")],
    leaf: Annotated[int, typer.Option(help="L: at most so many records a leaf.")] = 50,
    least: Annotated[int, typer.Option(help="Leaves with fewer records are fused.")] = 10,
    force: shared.Force = False,
) -> None:
    """Draw the blocks of two columns: cells, records, and which small leaves were fused.

    Example:

      tacit large picture survey.csv blocks.svg --columns age,income
    """
    from tacit import io
    from tacit.partition.orthtree import OrthTree
    from tacit.partition.picture import draw

    io.refuse_overwrite(target, force=force)
    draw(io.read(source).numbers(shared.split(columns)), OrthTree(leaf=leaf, least=least), target)
    shared.say(f"Wrote {target}")


def _leaf(text: str) -> Any:
    from tacit.errors import ParameterError

    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"--leaf {text}: give a number of records, or auto") from None


def register(main: typer.Typer) -> None:
    """Add the commands."""
    main.add_typer(app, name="large")
