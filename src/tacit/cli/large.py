"""``tacit large``: files too large for memory or for quadratic work, here or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacit.base.errors import ParameterError
from tacit.cli import options as shared
from tacit.cli import own_files

if TYPE_CHECKING:
    from tacit.scale.run_result import BlockLinkage

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

app = typer.Typer(
    no_args_is_help=True,
    help="Work on blocks of a file, where comparing every record with every other takes too long. "
    "For a file that is larger than memory use tacit protect (--memory, --engine).",
)

Leaf = Annotated[
    str, typer.Option(help="L: at most so many records per block, or auto.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Where to run: threads, processes, or a Spark master (spark://..., yarn, local[2])."
    ),
]


@app.command()
def protect(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="Parquet: a file, or a folder of files."),
    ],
    release: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="The Parquet to write (a folder, from a cluster)."
        ),
    ],
    method: Annotated[
        str, typer.Option(help="A protection method.")
    ] = "microaggregation",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    identifier: shared.Identifier = None,
    nominal: shared.Nominal = None,
    split_on: Annotated[
        str | None,
        typer.Option(help="Columns that blocks are cut on (default: --quasi). a,b"),
    ] = None,
    leaf: Leaf = "10000",
    memory: Annotated[str, typer.Option(help="Memory limit of this process.")] = "2GB",
    cluster: Cluster = None,
    seed: shared.Seed = None,
    test_seed: shared.TestSeed = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with a run that was stopped (OUT.work)."),
    ] = False,
    price: Annotated[
        int,
        typer.Option(
            help="Also report the price of blocking on a sample of so many records."
        ),
    ] = 0,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
) -> None:
    """Mask a Parquet file block by block (2^d-tree), within a memory limit.

    tacit protect --blocks 10000 does the same, as a step of any plan, and shuffles the rows, which
    this command does not; where the columns of a microaggregation do not fit in --memory it goes
    by blocks by itself. Use this one for blocks on a cluster, for their price, and to cut on other
    columns than those masked. Both write a private manifest that tacit verify checks.

    Examples:

      tacit large protect survey.parquet release.parquet --set k=5 --quasi age,income --memory 2GB

      tacit large protect hdfs/survey release --set k=5 --quasi age,income --cluster spark://host:7077
    """
    from tacit.base import seeds
    from tacit.plan.manifest import path_of
    from tacit.scale.block_manifest import seeds_matter
    from tacit.scale.block_manifest import write as write_manifest
    from tacit.scale.parquet_folder import refuse_folder
    from tacit.scale.protect import protect as run

    seeds.warn(seed)
    shared.tell(
        "In blocks, with the rows in their order: tacit protect --blocks does it as a step of any "
        "plan, and shuffles them."
    )
    inputs = {"IN": source}
    outputs = {"OUT": release, "the manifest": path_of(release)}
    if cluster is None:
        own_files.refuse(inputs, outputs, force=force)
    else:
        own_files.refuse_collisions(inputs, outputs)
        refuse_folder(release, force=force)
    given = shared.for_test(method, shared.settings(settings), seed, test_seed)
    request: dict[str, Any] = {
        # what is not said is guessed from the file
        "columns": shared.split(quasi) if quasi else None,
        "split_on": shared.split(split_on) if split_on else None,
        "categorical": shared.split(nominal) if nominal else [],
        "drop": shared.split(identifier) if identifier else None,
        "leaf": _leaf(leaf),
        "memory": memory,
    }
    if seed is None and not resume and seeds_matter(method):
        # drawn here, so that the manifest can repeat it
        seed = seeds.draw()
    with shared.progress("protecting") as report:
        done = run(
            source,
            release,
            method=method,
            parameters=given,
            engine=cluster,
            seed=seed,
            **request,
            resume=resume,
            price=price,
            progress=lambda finished, total: report("bins", finished, total),
        )
    beside = write_manifest(done, source, release, method, given, seed, request)
    if as_json:
        shared.emit(done.to_dict())
        return
    sizes = f"{done.smallest:,} to {done.largest:,} records"
    if done.resumed_bins:
        sizes += f", {done.resumed_bins} bins of an earlier run kept"
    shared.say(
        f"Masked {done.records:,} records in {done.blocks:,} blocks ({sizes}) "
        f"in {sum(done.seconds.values()):.1f} s, "
        f"peak memory {done.peak_memory / 1e6:.0f} MB; "
        f"loss (100 SSE/SST) {done.loss:.4f}; "
        # the beginning of the digest is enough to see that two runs agree
        f"wrote {release} and {beside.name}, digest {done.digest[:16]}"
    )
    paid = done.price
    if paid:
        shared.say(
            f"Price of blocking on {paid['sample']:.0f} records: "
            f"loss {paid['loss_with_blocks']:.4f} "
            f"in blocks of at most {paid['leaf']:.0f}, "
            f"{paid['loss_without_blocks']:.4f} without"
        )


@app.command()
def link(
    original: Annotated[Path, typer.Argument(help="The original (Parquet).")],
    masked: Annotated[
        Path, typer.Argument(help="The masked file (Parquet), in the same order.")
    ],
    attacker: Annotated[
        str, typer.Option(help="An attacker: nearest, assignment, ...")
    ] = "nearest",
    settings: shared.Settings = None,
    quasi: shared.Quasi = None,
    blocks: Annotated[
        str, typer.Option(help="kdtree (blocks of equal size) or orthtree (2^d-tree).")
    ] = "kdtree",
    leaf: Leaf = "10000",
    cluster: Cluster = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the links (needed on a cluster).")
    ] = None,
    price: Annotated[
        int, typer.Option(help="Sample on which links without blocks are counted, too.")
    ] = 0,
    sample: Annotated[
        int,
        typer.Option(
            help="Link so many originals, drawn, to all masked records (nearest): quick, with an "
            "interval."
        ),
    ] = 0,
    as_json: shared.AsJson = False,
) -> None:
    """Attack a masked file block by block.

    The nearest record is looked for in every block that can hold it, and the assignment of all
    records is one problem that is priced block by block (--set gap=0.01, --set time_limit=900 end
    it earlier, with the gap that is proven): their links are those of the whole file. Other
    attackers look in the block of the original alone, which understates.

    Example:

      tacit large link survey.parquet release.parquet --quasi age,income --price 2000
    """
    from tacit.scale.link import link as run

    if blocks not in ("kdtree", "orthtree"):
        raise ParameterError(f"--blocks {blocks}: choose kdtree or orthtree")
    with shared.progress("linking") as report:
        linkage = run(
            original,
            masked,
            attacker=attacker,
            parameters=shared.settings(settings),
            columns=shared.split(quasi) if quasi else None,
            leaf=_leaf(leaf),
            blocks=blocks,  # type: ignore[arg-type]  # one of the two: checked above
            engine=cluster,
            price=price,
            sample=sample,
            out=out,
            progress=lambda finished, total: report("blocks", finished, total),
        )
    if as_json:
        shared.emit(linkage.to_dict())
    else:
        _say_linked(linkage)


def _say_linked(linkage: BlockLinkage) -> None:
    """How many were found, and what the blocks cost the intruder."""
    low, high = linkage.interval
    shared.say(
        f"{linkage.attacker}: {linkage.correct:,.2f} of {linkage.records:,} "
        f"{'drawn originals ' if linkage.sampled_of else ''}correct, "
        f"{100 * linkage.rate:.2f} % [{100 * low:.2f}, {100 * high:.2f}], "
        f"chance {100 * linkage.chance:.5f} %; {linkage.blocks} blocks, "
        f"{linkage.apart:,} originals have their own record in another block"
        # whose own record is in another block cannot be found there: blocks understate the risk
        f"{', which was looked into' if linkage.exact else ' and cannot be found'}; "
        f"{linkage.seconds:.1f} s"
    )
    if linkage.sampled_of:
        shared.say(
            f"Drawn from {linkage.sampled_of:,} originals; the rate of all is in the interval "
            "with 95 % confidence."
        )
    if linkage.gap is not None:
        shared.say(_proven(linkage.gap, bool(linkage.certified), linkage.tolerance))
    price = linkage.price
    if price:
        shared.say(
            f"Price of blocking on {price['sample']:.0f}: "
            f"{price['links_with_blocks']:.1f} links in blocks, "
            f"{price['links_without_blocks']:.1f} without"
        )


def _proven(gap: float, certified: bool, tolerance: float) -> str:
    """What is known of the linkage of all records at once."""
    if certified:
        return "Proven: no one-to-one linkage has a smaller total distance."
    sentence = (
        f"The total distance is at most {100 * gap:.3g} % above the least one (proven)."
    )
    if tolerance:
        sentence += (
            f" The interval is longer by {tolerance} at both ends, as links may differ."
        )
    return sentence


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


def _leaf(text: str) -> int | Literal["auto"]:
    """The size of a block as it was typed."""
    if text == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            f"--leaf {text}: give a number of records, or auto"
        ) from None


def register(main: typer.Typer) -> None:
    """Add the commands."""
    main.add_typer(app, name="large")
