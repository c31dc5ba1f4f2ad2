"""``tacit risk``: how exposed a file is as it stands, before protection."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tacit.base.errors import InputError
from tacit.cli import options as shared
from tacit.cli.schema import about_codes
from tacit.cli.tables import Head, print_table

if TYPE_CHECKING:
    from tacit.risk.look import Look
    from tacit.scale.risk_cost import RiskCost

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


@shared.with_roles
def risk(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The file as it is.")],
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    memory: shared.Memory = None,
    engine: shared.Engine = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say what it would cost: bytes, passes, CPU seconds, combinations of keys.",
        ),
    ] = False,
    as_json: shared.AsJson = False,
    *,
    roles: shared.Roles,
) -> None:
    """Look at a file before protection: who stands out on its quasi-identifiers, and why.

    Counts persons where a column has that role, else records. Nothing is masked or attacked:
    after protection, tacit assess says what an intruder finds.

    Examples:

      tacit risk survey.csv --quasi age,sex,region --weight weight

      tacit risk survey.csv --schema survey.toml --household hid --json

      tacit risk survey-by-year --quasi age,sex,region --memory 4GB

      tacit risk survey-by-year --quasi age,sex,region --memory 4GB --dry-run
    """
    from tacit.risk.look import look

    if dry_run:
        _say_cost(_cost(source, schema, encoding, roles, memory, engine), as_json)
        return
    place = shared.place_for(context, source, source, memory, engine)
    data = shared.read(source, schema, encoding, roles, place)
    if place is not None and place.on_disk:
        from tacit.assess.held import Allowed

        with shared.naming(source):
            Allowed(data, data, place.limit).refuse_keys(data.quasi)
    with shared.progress(f"counting {data.n:,} records"), shared.naming(source):
        seen = look(data)
    if as_json:
        shared.emit(seen.to_dict())
        return
    show(seen)
    for sentence in about_codes(data.schema):
        shared.say(f"To decide: {sentence}")
    if place is not None and place.on_disk and not shared.is_table(source):
        from tacit.base.spark_tasks import worker_seconds

        cost = _cost(source, schema, encoding, roles, memory, engine)
        took = (time.process_time(), worker_seconds())
        shared.tell(cost.cost.afterwards(*took))


def _cost(
    source: Path,
    schema: Path | None,
    encoding: str | None,
    roles: shared.Roles,
    memory: str | None,
    engine: str | None,
) -> RiskCost:
    """What it would cost, from the header and the first records of the file."""
    from tacit.data.schema import Schema
    from tacit.scale.any_size import fits, left_beside_threads, limit_of
    from tacit.scale.cost import head_of
    from tacit.scale.risk_cost import risk_cost

    known = None if schema is None else Schema.load(schema)
    found = head_of(source, known, encoding, roles)
    if found is None:
        raise InputError(
            f"{source}: --dry-run looks at the header of Parquet and CSV files; this is neither"
        )
    data, records, size = found
    on_disk = engine not in (None, "local") or not fits(source, memory)
    limit = limit_of(memory)
    if on_disk and engine in (None, "local"):
        limit = left_beside_threads(limit, files=1)
    return risk_cost(data, records, size, limit, on_disk=on_disk)


def _say_cost(cost: RiskCost, as_json: bool) -> None:
    if as_json:
        shared.emit(cost.to_dict())
        return
    first, *more = cost.sentences()
    where = "In memory" if cost.may_be_held is None else "Out of core"
    shared.say(f"{where}: {first}")
    for sentence in more:
        shared.say(sentence)


def show(seen: Look) -> None:
    """What was counted as tables, then one sentence."""
    out = shared.console()
    out.print(f"Verdict: {seen.verdict}.")
    homes = f", {seen.households:,} households" if seen.households is not None else ""
    counted = f"{seen.units:,} persons, " if seen.unit == "person" else ""
    out.print(
        f"Before protection: {counted}{seen.records:,} records{homes}, "
        f"{len(seen.keys)} keys\n",
        markup=False,
    )
    _print_by_number(out, seen)
    _print_by_key(out, seen)
    _print_riskiest(out, seen)
    shared.say(
        f"Expected re-identifications by an intruder who knows who is in the file: "
        f"{seen.in_file:,.1f}"
    )
    # without weights the sample would stand for the population
    if seen.weighted:
        shared.say(
            f"by one who does not, if weights say how many share a key: {seen.expected:,.1f}"
        )
    if seen.expected_household is not None:
        shared.say(
            f"records in a household of which anyone is found so: "
            f"{seen.expected_household:,.1f}"
        )


def _print_by_number(out: Console, seen: Look) -> None:
    """How many stand out when an intruder knows one key, two, ... all."""
    sets = "some sets" if seen.sampled else "all sets"
    title = (
        f"{seen.unit.capitalize()}s in groups below k, by the number of keys known "
        f"(mean over {sets}; worst set)"
    )
    ks = list(seen.violations)
    heads = [Head("keys", number=True), *(Head(f"k={k}", number=True) for k in ks)]
    heads += [Head(f"worst k={ks[0]}", number=True), Head("worst set", spare=1)]
    rows = [
        [
            str(size.keys),
            *(f"{size.mean[k]:,.0f}" for k in ks),
            f"{size.worst[ks[0]]:,}",
            ", ".join(size.names),
        ]
        for size in seen.sizes
    ]
    print_table(out, title, heads, rows)


def _print_by_key(out: Console, seen: Look) -> None:
    """Which keys cause it."""
    heads = [
        Head("key"),
        Head("share of the risk", number=True),
        Head("alone on this key", number=True),
    ]
    order = sorted(seen.keys, key=lambda name: -seen.contributions[name])
    rows = [
        [name, f"{seen.contributions[name]:.1f} %", f"{seen.alone[name]:,}"]
        for name in order
    ]
    print_table(out, "Which keys cause it", heads, rows)


def _print_riskiest(out: Console, seen: Look) -> None:
    """The ten most exposed records."""
    heads = [Head("row", number=True), Head("risk", number=True), Head("alone on")]
    rows = []
    for one in seen.riskiest:
        cells = [f"{name}={one.values[name]}" for name in one.alone_on]
        rows.append([f"{one.row:,}", f"{one.risk:.1%}", ", ".join(cells) or "-"])
    print_table(out, "The most exposed records", heads, rows)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(risk)
