"""``tacit protect``: mask a file."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacit.base.errors import ParameterError
from tacit.cli import options as shared
from tacit.cli import own_files
from tacit.cli.known_tries import known_tries

if TYPE_CHECKING:
    from tacit.base.typing import Progress
    from tacit.data.microdata import Microdata
    from tacit.plan.plan import Plan, Table
    from tacit.scale.in_blocks import InBlocks

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


@shared.with_roles
def protect(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="The file to protect, a folder of Parquet files, or table:NAME.",
        ),
    ],
    release: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    method: Annotated[
        str | None,
        typer.Option(help="A protection method; 'tacit methods' lists them."),
    ] = None,
    settings: shared.Settings = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of hierarchies: icd.csv for the column icd, as ARX writes it, and "
            "rules in hierarchies.toml."
        ),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="A plan file (TOML) instead of --method.")
    ] = None,
    seed: shared.Seed = None,
    test_seed: shared.TestSeed = False,
    until: Annotated[
        str | None,
        typer.Option(
            help="Strengthen the method until this holds: "
            "'risk<=0.05' (strongest attacker), 'dld<=0.1', ..."
        ),
    ] = None,
    least: Annotated[
        str | None,
        typer.Option(
            help="Search the levels of a generalisation (and the strength of another step) for "
            "the least of this measure of loss: IL, TV, pMSE, ...; with --until among the safe "
            "ones."
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Seconds after which (or at Ctrl-C) a search of generalisations ends with the "
            "best so far, and says how much better another could be.",
        ),
    ] = None,
    search_state: Annotated[
        Path | None,
        typer.Option(
            help="Keep the state of a search in this file: run again, it goes on from there. "
            "Ctrl-C ends the search, and the best so far is released."
        ),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option(help="Also write the plan, without its seeds, to this file."),
    ] = None,
    codebook: Annotated[
        list[Path] | None,
        typer.Option(
            help="Also describe the release for those who will use it: "
            ".html, .json or .xml (DDI); repeat for more."
        ),
    ] = None,
    release_as_is: Annotated[
        str | None,
        typer.Option(
            help="Columns that may leave although nothing protects them. a,b,c"
        ),
    ] = None,
    allow_unprotected: Annotated[
        bool,
        typer.Option(
            "--allow-unprotected",
            help="Let every untouched quasi-identifier leave as it is.",
        ),
    ] = False,
    keep_order: Annotated[
        bool,
        typer.Option(
            "--keep-order",
            help="Do not shuffle the rows: whoever has a list in that order knows whose "
            "record is whose.",
        ),
    ] = False,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    blocks_of: Annotated[
        str | None,
        typer.Option(
            "--blocks",
            metavar="L|auto",
            help="Form the groups of a microaggregation inside blocks of at most so many near "
            "records (2^d-tree): quicker on millions of records, and a little more is lost. "
            "auto: blocks as large as a minute of one core allows.",
        ),
    ] = None,
    split_on: Annotated[
        str | None,
        typer.Option(
            help="Columns that --blocks are cut on, numbers or categories (default: those that "
            "are masked). a,b"
        ),
    ] = None,
    price: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Also say what --blocks lose, on a sample of so many records.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Keep finished pieces of a file that is larger than memory in OUT.work, and go on "
            "from them if the same command was stopped or killed before.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say what it would cost: bytes, passes, CPU hours. Nothing is written.",
        ),
    ] = False,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    safe_formulas: shared.SafeFormulas = True,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Mask a file. Writes OUT and OUT.manifest.json; the input is never touched.

    The manifest holds the seeds, with which the noise can be taken off, and whose record each
    row is: keep it, and never publish it.

    Rows are written in random order. Nothing is written while a column would leave by accident:
    one that the schema does not know, free text, a code of an identifier or of a protected
    column, a quasi-identifier that no step touches.

    Examples:

      tacit protect survey.csv release.csv --method microaggregation --set k=5 --quasi age,income

      tacit protect survey.parquet release.parquet --method noise --set percent=10

      tacit protect survey.csv release.csv --plan plan.toml --force

      tacit protect survey.csv release.csv --method microaggregation --until "risk<=0.05"

      tacit protect survey.csv release.csv --plan generalise-and-add-noise.toml --until "risk<=0.05"

      tacit protect survey.csv release.csv --plan plan.toml --release-as-is sex,region

      tacit protect visits.csv release.csv --method generalisation --hierarchies dir --set k=5

      tacit protect visits.csv release.csv --plan plan.toml --budget 60 --search-state visits.state

      tacit protect survey.sav release.sav --plan plan.toml --codebook release.html

      tacit protect survey.parquet release.parquet --method rank_swapping --set p=5 --memory 4GB

      tacit protect survey-by-year release.parquet --plan plan.toml --engine spark://host:7077

      tacit protect survey.parquet release.parquet --plan plan.toml --memory 4GB --dry-run

      tacit protect big.parquet release.parquet --method microaggregation --set k=5 --blocks 10000

      tacit protect big.parquet release.parquet --plan plan.toml --blocks auto --split-on age,region

      tacit protect table:survey.people release.parquet --plan plan.toml --engine yarn --resume
    """
    from tacit.base import seeds
    from tacit.data.io.undeclared import undeclared
    from tacit.plan import manifest
    from tacit.plan.outcomes import sentences
    from tacit.plan.release import accepting, look, write
    from tacit.plan.row_order import RowOrder

    if (method is None) == (plan is None):
        raise ParameterError(
            "say how to protect: either --method NAME (with --set), or --plan FILE"
        )
    # Everything that can be refused is refused before the file is read.
    own_files.refuse(
        inputs={"IN": source, "--plan": plan, "--schema": schema},
        outputs={
            "OUT": release,
            "the manifest": manifest.path_of(release),
            "--save-plan": save_plan,
            **{f"--codebook {path}": path for path in codebook or []},
        },
        force=force,
    )
    for path in codebook or []:
        from tacit.report.codebook_files import form_of

        form_of(path)
    leaf = _leaf(blocks_of)
    for word, needs_blocks in (("--split-on", split_on), ("--price", price)):
        if needs_blocks is not None and leaf is None:
            raise ParameterError(f"{word} goes with --blocks; give both, or neither")
    searches = until is not None or least is not None
    if searches and leaf is not None:
        raise ParameterError(
            "--blocks goes with a setting that is given: --until and --least attack releases "
            "that are made without blocks"
        )
    given = {} if plan else shared.settings(settings)
    if hierarchies is not None:
        given["hierarchies"] = _hierarchies(hierarchies, method)
    recipe = accepting(_plan(plan, method, given), shared.split(release_as_is or ""))
    if not searches:
        recipe = recipe.seeded(seed, test_seed=test_seed)
        # A seed that someone chose can be guessed, also one that stands in the plan file.
        chosen = [step.seed for step in recipe.steps if seeds.by_hand(step.seed)]
        seeds.warn(chosen[0] if chosen else None)
    else:
        seeds.warn(seed)

    if dry_run:
        read = (schema, encoding, roles)
        _say_cost(recipe, source, memory, engine, read, (leaf, split_on), as_json)
        return
    kept = None
    if resume and not searches:
        from tacit.scale.kept_pieces import resumable

        request = {
            "roles": roles,
            "schema": None if schema is None else schema.read_text(encoding="utf-8"),
            "encoding": encoding,
            "blocks": [blocks_of, split_on],
        }
        held = resumable(recipe, source, release, request)
        kept, recipe = context.with_resource(held)
    pieces = _Pieces()
    place = shared.place_for(
        context, source, release, memory, engine, kept, pieces.done
    )
    if place is not None and place.on_disk and searches:
        raise ParameterError(
            "--until and --least attack the whole file again and again, which is done in memory; "
            "find the plan on a sample, and protect the file with --plan"
        )
    if kept is not None and kept.goes_on and place is not None:
        shared.tell(f"Going on from {kept.folder}.")
    data = shared.read(source, schema, encoding, roles, place)
    blocks = None
    with shared.naming(source):
        if leaf is not None:
            from tacit.scale.in_blocks import asked_for

            blocks = asked_for(
                recipe,
                data,
                leaf,
                shared.room(place, memory, pieces.done),
                split_on=tuple(shared.split(split_on or "")),
                price=price or 0,
            )
        elif place is not None:
            blocks = place.in_blocks(recipe, data)
        if blocks is not None:
            shared.tell(f"In blocks: {blocks.sentence(recipe)}.")
        columns = look(recipe, data, allow_unprotected=allow_unprotected)
    start = time.perf_counter()
    search = None
    outcomes: list[Table] = []
    with (
        known_tries(until) as learn,
        shared.progress(f"protecting {data.n:,} records") as progress,
        shared.naming(source),
    ):
        pieces.tell = progress
        if not searches:
            masked, recipe = _masked(
                recipe, data, budget, search_state, outcomes, blocks
            )
        elif plan is not None or least is not None:
            from tacit.compare.joint import protect_jointly

            search = protect_jointly(
                data,
                recipe,
                until,
                measure=least,
                seed=seed,
                progress=progress,
                learn=learn,
            )
            recipe = replace(search.plan, release_as_is=recipe.release_as_is)
            masked = search.masked
            outcomes = list(search.outcomes)
        else:
            # Searching attacks every setting, and loads what attacks need.
            from tacit.compare.until import protect_until

            search = protect_until(
                data,
                str(method),
                str(until),
                settings=given,
                seed=seed,
                test_seed=test_seed,
                progress=progress,
                learn=learn,
            )
            recipe = replace(search.plan, release_as_is=recipe.release_as_is)
            masked = search.masked
            outcomes = list(search.outcomes)
    pieces.tell = None
    more = {} if blocks is None else blocks.entry()
    if search is not None:
        more["until"] = search.to_dict()
    record = write(
        recipe,
        source,
        data,
        release,
        masked,
        time.perf_counter() - start,
        order=RowOrder.of(recipe, keep=keep_order),
        columns=columns,
        force=force,
        encoding=encoding,
        safe_formulas=safe_formulas,
        outcomes=outcomes,
        more=more,
    )
    if kept is not None:
        kept.finished = True
    beside = manifest.path_of(release)
    if save_plan:
        recipe.without_seeds().save(save_plan, force=force)
    if codebook:
        # The page is drawn by what draws reports, which takes a while to load.
        from tacit.report.codebook import codebook as describe_release
        from tacit.report.codebook_files import write_codebook

        book = describe_release(masked, recipe, original=data, file=release)
        for path in codebook:
            write_codebook(book, path, force=force)
    if as_json:
        # Without the seeds: what is printed ends in logs.
        shared.emit(manifest.shown(record))
        return
    if search is not None and until is not None:
        shared.say(str(search))
    elif search is not None:
        shared.say(
            f"{least} is {search.value:.4g}, the least of {len(search.tried)} plans."
        )
    done = f"Masked {data.n:,} records with {recipe}"
    shared.say(f"{done}: wrote {release} and {beside.name}.", copied=True)
    for sentence in [] if blocks is None else blocks.afterwards():
        shared.say(sentence)
    for sentence in sentences(record["outcomes"]):
        shared.say(sentence)
    told = undeclared(masked.schema, release)
    # whoever declared them for a file of this format knows
    if told and release.suffix.lower() != source.suffix.lower():
        shared.say(
            f"{release.name} holds missing codes and cannot say which they are. Tell its readers: "
            f"{told}."
        )
    if place is not None and place.on_disk and not searches:
        from tacit.base.spark_tasks import worker_seconds
        from tacit.scale.cost import cost_of, size_of

        inside = None if blocks is None else blocks.sizes(recipe, data, data.n)
        size = size_of(source)
        cost = cost_of(recipe, data, data.n, size, on_disk=True, in_blocks=inside)
        shared.say(cost.afterwards(time.process_time(), worker_seconds()))
    if kept is not None and kept.taken:
        shared.say(f"{kept.taken} finished pieces of an earlier run were kept.")
    released = set(masked.names)
    dropped = [name for name in data.names if name not in released]
    if dropped:
        shared.say(f"Dropped: {', '.join(dropped)}.")
    command = ["tacit", "assess", str(source), str(release), "--plan", str(beside)]
    shared.say(f"Now attack it: {shlex.join(command)}", copied=True)


def _say_cost(
    recipe: Plan,
    source: Path,
    memory: str | None,
    engine: str | None,
    read: tuple[Path | None, str | None, shared.Roles],
    cut: tuple[int | Literal["auto"] | None, str | None],
    as_json: bool,
) -> None:
    """What the run would cost, from the header and the first records of the file."""
    from tacit.base.errors import InputError
    from tacit.data.schema import Schema
    from tacit.scale.any_size import fits
    from tacit.scale.cost import cost_of, head_of
    from tacit.scale.in_blocks import asked_for

    schema, encoding, roles = read
    leaf, split_on = cut
    known = None if schema is None else Schema.load(schema)
    found = head_of(source, known, encoding, roles)
    if found is None:
        raise InputError(
            f"{source}: --dry-run looks at the header of Parquet and CSV files; this is neither"
        )
    data, records, size = found
    on_disk = engine not in (None, "local") or not fits(source, memory)
    with shared.naming(source):
        inside = None
        if leaf is not None:
            cut_on = tuple(shared.split(split_on or ""))
            room = shared.room(None, memory)
            blocks = asked_for(recipe, data, leaf, room, split_on=cut_on)
            inside = blocks.sizes(recipe, data, records)
        cost = cost_of(recipe, data, records, size, on_disk=on_disk, in_blocks=inside)
    if as_json:
        shared.emit(cost.to_dict())
        return
    where = "Out of core" if on_disk else "In memory"
    shared.say(f"{where}: {cost.sentence()}")


class _Pieces:
    """How many pieces of a pass are done, told to whoever shows it now."""

    tell: Progress | None = None

    def done(self, finished: int, total: int) -> None:
        """One more."""
        if self.tell is not None:
            self.tell("pieces", finished, total)


def _hierarchies(folder: Path, method: str | None) -> dict[str, dict[str, Any]]:
    """The hierarchies of a folder, for a method that takes them."""
    from tacit.data.hierarchies.files import read_folder

    if method is None:
        raise ParameterError(
            "--hierarchies goes with --method; a plan names its hierarchies itself"
        )
    return read_folder(folder)


def _masked(
    recipe: Plan,
    data: Microdata,
    budget: float | None,
    state: Path | None,
    outcomes: list[Table],
    blocks: InBlocks | None,
) -> tuple[Microdata, Plan]:
    """The release, and the plan that repeats it where a search was ended early."""
    from tacit.plan.ended_search import ended_after
    from tacit.protect.lattice.watching import Watch, watched

    watch = Watch(shared.tell, budget, state)
    with watched(watch):
        if blocks is None:
            masked = recipe.mask(data, outcomes)
        else:
            masked = blocks.mask(recipe, data, outcomes)
    return masked, ended_after(recipe, watch.ended)


def _leaf(text: str | None) -> int | Literal["auto"] | None:
    """The size of a block as it was typed."""
    if text is None or text == "auto":
        return text  # type: ignore[return-value]  # one of the two
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f"--blocks {text}: give a number of records, or auto")
    return int(text)


def _plan(path: Path | None, method: str | None, given: dict[str, object]) -> Plan:
    """The plan of a file, or of one method."""
    from tacit.plan.plan import Plan, Step

    return Plan.load(path) if path else Plan((Step(str(method), given),))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(protect)
