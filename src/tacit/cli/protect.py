"""``tacit protect``: mask a file."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import shared


@shared.with_roles
def protect(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to protect.")],
    release: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    method: Annotated[str | None, typer.Option(help="A protection method; 'tacit methods' lists them.")] = None,
    settings: shared.Settings = None,
    plan: Annotated[Path | None, typer.Option(help="A plan file (TOML) instead of --method.")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same bytes; drawn and recorded unless given.")] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Strengthen the method until this holds: 'risk<=0.05' (strongest attacker), 'dld<=0.1', ..."),
    ] = None,
    save_plan: Annotated[Path | None, typer.Option(help="Also write the plan, with its seeds, to this file.")] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    safe_formulas: Annotated[
        bool, typer.Option("--safe-formulas", help="Put ' before text cells that a spreadsheet would run.")
    ] = False,
    force: shared.Force = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Mask a file. Writes OUT and OUT.manifest.json; the input is never touched.

    Examples:

      tacit protect survey.csv release.csv --method microaggregation --set k=5 --quasi age,income

      tacit protect survey.parquet release.parquet --method noise --set percent=10 --seed 7

      tacit protect survey.csv release.csv --plan plan.toml --force

      tacit protect survey.csv release.csv --method microaggregation --until "risk<=0.05"
    """
    from tacit import io, manifest
    from tacit.errors import ParameterError
    from tacit.plan import Plan, Step

    if (method is None) == (plan is None):
        raise ParameterError("say how to protect: either --method NAME (with --set), or --plan FILE")
    for path in (release, manifest.path_of(release), *([save_plan] if save_plan else [])):
        io.refuse_overwrite(path, force=force)
    if release.resolve() == source.resolve():
        raise ParameterError(f"{release}: is the input itself, which is never written; name another file")
    if until is not None and method is None:
        raise ParameterError("--until strengthens one method; name it with --method")
    if until is None:
        recipe = Plan.load(plan) if plan else Plan((Step(str(method), shared.settings(settings)),))
        recipe = recipe.seeded(seed)
    data = shared.read(source, schema, encoding, roles)
    start = time.perf_counter()
    with shared.progress(f"protecting {data.n:,} records") as progress, shared.naming(source):
        if until is None:
            masked = recipe.apply(data)
        else:
            from tacit.until import protect_until

            found = protect_until(
                data, str(method), until, settings=shared.settings(settings), seed=seed, progress=progress
            )
            recipe, masked = found.plan, found.masked
    seconds = time.perf_counter() - start
    io.write(masked, release, force=force, safe_formulas=safe_formulas)
    record = manifest.describe(recipe, source, data, release, masked, seconds)
    if until is not None:
        record["until"] = found.to_dict()
    beside = manifest.write(record, release, force=force)
    if save_plan:
        recipe.save(save_plan, force=force)
    if as_json:
        shared.emit(record)
        return
    if until is not None:
        who = f" ({found.attacker})" if found.attacker else ""
        shared.say(f"{found.bound} holds: {found.risk:.4g}{who}, after {len(found.tried)} settings.")
    shared.say(f"Masked {data.n:,} records with {recipe}: wrote {release} and {beside.name}.")
    shared.say(f"Now attack it: {shlex.join(['tacit', 'assess', str(source), str(release), '--plan', str(beside)])}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(protect)
