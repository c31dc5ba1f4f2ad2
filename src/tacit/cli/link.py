"""``tacit link``: one attack on a release, at any size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.base.errors import InputError, ParameterError
from tacit.cli import assess_costs, own_files, two_files
from tacit.cli import options as shared

if TYPE_CHECKING:
    from tacit.assess.aligning import Settled
    from tacit.attack.base import Attacker
    from tacit.attack.linkage import Linkage
    from tacit.plan.plan import Plan
    from tacit.scale.any_size import Place
    from tacit.scale.block_step import Room
    from tacit.scale.run_result import BlockLinkage

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

CUTS = ("kdtree", "orthtree")
# records of a block where attackers look inside blocks, unless somebody says so
LEAF = 10_000


@shared.with_roles
def link(
    context: typer.Context,
    original: Annotated[
        Path, typer.Argument(metavar="ORIGINAL", help="The file before protection.")
    ],
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The release.")],
    attacker: Annotated[
        str, typer.Option(help="Who attacks: nearest, assignment, ...")
    ] = "nearest",
    settings: shared.Settings = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The manifest (or plan) of the release: it says whose row is whose."
        ),
    ] = None,
    key: shared.Key = None,
    aligned: shared.Aligned = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Link so many originals, drawn, to all masked records (nearest): quick, with an "
            "interval.",
        ),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            help="kdtree (blocks of equal size) or orthtree (2^d-tree): look inside the block of "
            "the original alone. Quick where an attacker compares all records, and finds less."
        ),
    ] = None,
    leaf: Annotated[
        int | None,
        typer.Option(min=2, help="With --blocks: at most so many records in a block."),
    ] = None,
    price: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --blocks: also count links without blocks, on a sample of so many.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the links: row, match (rows from 0; -1: none), success. Keep it private."
        ),
    ] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Run one attack on MASKED and count whom it finds; tacit assess runs all of them.

    Whose row is whose is settled as in tacit assess: by the manifest (--plan), a --key, or by the
    values, which must be nearer in equal rows than in random pairs unless you say --aligned.

    Files larger than memory are linked from the disk. Nearest record and assignment go over all
    blocks of the file there, and find what they find in memory; other attackers hold what they
    compare, or are refused.

    Examples:

      tacit link survey.csv release.csv --plan release.csv.manifest.json

      tacit link survey.csv release.csv --plan release.csv.manifest.json --attacker assignment

      tacit link survey.parquet release.parquet --aligned --quasi age,income --sample 20000

      tacit link survey.parquet release.parquet --aligned --attacker assignment --set gap=0.01

      tacit link survey.parquet release.parquet --aligned --memory 4GB --engine spark://host:7077
    """
    from tacit.assess.aligning import settled
    from tacit.attack.truth import true_rows
    from tacit.plan import manifest
    from tacit.scale.link_over_blocks import link_sample

    own_files.refuse(
        inputs={
            "ORIGINAL": original,
            "MASKED": masked,
            "--plan": plan,
            "--schema": schema,
        },
        outputs={"--out": out},
        force=force,
    )
    _refuse_options(blocks, leaf, price, sample)
    given = shared.settings(settings)
    _check(attacker, given)
    record = manifest.load(plan) if plan and plan.suffix == ".json" else None
    described = None if record is None else manifest.schema_of(record, str(plan))
    how = (schema or described, encoding, roles)
    held = assess_costs.held_in_memory(
        (original, masked),
        how,
        lambda *_: [_intruder(attacker, given, assess_costs.plan_of(plan))],
    )
    place = shared.place_for(
        context, original, masked, memory, engine, files=2, held=held
    )
    before, after = two_files.read((original, masked), how, place, record, key)
    both = settled(
        before,
        after,
        plan=plan,
        truth="rows" if aligned and key is None else None,
        key=key,
        done=two_files.done(record, plan, place, memory),
    )
    _refuse_shuffled(both, original, masked)
    with shared.progress(f"linking {before.n:,} records") as progress:
        progress(attacker, 0, 1)
        intruder = _intruder(attacker, given, both.plan)
        found: Linkage | BlockLinkage
        if blocks is not None:
            cut = (blocks, leaf or LEAF, price or 0)
            room = shared.room(place, memory)
            found = _inside_blocks(attacker, given, intruder, both, room, cut)
        elif sample is not None:
            rows = true_rows(both.original.n, both.masked.n, both.rows)
            found = link_sample(intruder, both.original, both.masked, rows, sample)
        else:
            found = _linked(intruder, both, place)
    if out is not None:
        _write(found, both, out, force)
    if as_json:
        shared.emit({"attacker": attacker, "records": found.records} | found.to_dict())
        return
    for sentence in _sentences(attacker, found):
        shared.say(sentence)


def _refuse_options(
    blocks: str | None, leaf: int | None, price: int | None, sample: int | None
) -> None:
    """What does not go together, before anything is read."""
    if blocks is not None and blocks not in CUTS:
        raise ParameterError(f"--blocks {blocks}: choose kdtree or orthtree")
    for word, value in (("--leaf", leaf), ("--price", price)):
        if value is not None and blocks is None:
            raise ParameterError(f"{word} goes with --blocks; give both, or neither")
    if blocks is not None and sample is not None:
        raise ParameterError(
            "--sample looks at all masked records, and --blocks does not; give one"
        )


def _check(name: str, given: dict[str, Any]) -> None:
    """A bad parameter is refused before anything is read."""
    from tacit.attack import registry
    from tacit.base import parameters

    parameters.check(registry[name], given)


def _refuse_shuffled(both: Settled, original: Path, masked: Path) -> None:
    """Alignment is checked, never assumed: with wrong rows nobody would seem to be found."""
    from tacit.assess.aligning import check_alignment

    if both.sure:
        return
    seen = check_alignment(both.original, both.masked, both.plan)
    if seen is not None and not seen.aligned:
        raise InputError(
            f"{masked}: its rows are not in the order of {original} (rows of equal number are no "
            "nearer than random pairs), so that correct links could not be counted; say whose row "
            "is whose: --plan OUT.manifest.json, --key COLUMN, or --aligned"
        )


def _intruder(name: str, given: dict[str, Any], plan: Plan | None) -> Attacker:
    """The attacker, who knows the plan where it is given and of use to him."""
    from inspect import signature

    from tacit.attack import registry

    kind = registry[name]
    knows = (
        {}
        if plan is None or "plan" not in signature(kind).parameters
        else {"plan": plan}
    )
    made: Attacker = kind(**(knows | given))
    return made


def _linked(intruder: Attacker, both: Settled, place: Place | None) -> Linkage:
    """The links of the whole file, unless finding them takes more memory than is allowed."""
    from tacit.assess.held import Allowed

    limit = None if place is None else place.limit
    allowed = Allowed.of(both.original, both.masked, limit)
    if allowed is not None:
        allowed.refuse_attack(intruder)
    return intruder.link(both.original, both.masked, truth=both.rows)


def _inside_blocks(
    name: str,
    given: dict[str, Any],
    intruder: Attacker,
    both: Settled,
    room: Room,
    cut: tuple[str, int, int],
) -> BlockLinkage:
    """Links inside blocks, which understate: for those who ask for them."""
    from tacit.scale.link_inside import link_inside_blocks

    if getattr(intruder, "works_over_blocks", False):
        raise ParameterError(
            f"{name} goes over all blocks, and inside them it would find less; leave --blocks out"
        )
    blocks, leaf, price = cut
    return link_inside_blocks(
        name,
        given,
        both.original,
        both.masked,
        both.rows,
        intruder._columns(both.original, both.masked),
        room,
        blocks=blocks,  # type: ignore[arg-type]  # one of the two: checked
        leaf=leaf,
        price=price,
    )


def _write(
    found: Linkage | BlockLinkage, both: Settled, path: Path, force: bool
) -> None:
    """Who was named for whom, in the rows of both files as they lie there; for their owner."""
    import numpy as np
    import pyarrow as pa

    from tacit.data import io
    from tacit.scale.link_over_blocks import sampled

    match = np.asarray(found.match)
    if both.released_as is not None:
        match = np.where(match >= 0, both.released_as[match], -1)
    rows = np.arange(found.records)
    drawn_of = getattr(found, "sampled_of", None)
    if drawn_of is not None:
        rows = sampled(drawn_of, found.records)
    table = pa.table({"row": rows, "match": match, "success": found.success})
    with io.replacing(path, force=force, private=True) as temporary:
        io.write(table, temporary, force=True)
        # what io.write makes may be read by others
        temporary.chmod(0o600)


def _sentences(name: str, found: Linkage | BlockLinkage) -> list[str]:
    """How many were found, and what must be said beside it."""
    from tacit.attack.linkage import Linkage

    counted, what = found.records, "records"
    if isinstance(found, Linkage):
        counted, what = found.counted, found.counts
    elif found.sampled_of is not None:
        what = f"originals that were drawn from {found.sampled_of:,}"
    low, high = found.interval
    said = [
        f"{name} finds {found.correct:,.2f} of {counted:,} {what}: "
        f"{100 * found.rate:.2f} % [{100 * low:.2f}, {100 * high:.2f}], "
        f"guessing {100 * found.chance:.4f} %; {found.seconds:.1f} s.",
        f"The intruder knows: {found.knows}.",
    ]
    if isinstance(found, Linkage):
        if found.remark:
            said.append(f"{found.remark[:1].upper()}{found.remark[1:]}.")
        if found.certified:
            said.append("Proven: no one-to-one linkage has a smaller total distance.")
        return said
    if not found.exact:
        said.append(
            f"This understates: {found.apart:,} originals have their own record in another of "
            f"the {found.blocks:,} blocks and cannot be found."
        )
    if found.price:
        said.append(
            f"Price of the blocks on {found.price['sample']:,.0f}: "
            f"{found.price['links_with_blocks']:,.1f} links in blocks, "
            f"{found.price['links_without_blocks']:,.1f} without."
        )
    return said


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(link)
