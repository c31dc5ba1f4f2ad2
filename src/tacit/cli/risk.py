"""``tacit risk``: how exposed a file is as it stands, before protection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tacit.cli import options as shared

if TYPE_CHECKING:
    from tacit.risk.look import Look

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.


@shared.with_roles
def risk(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The file as it is.")],
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
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
    """
    from tacit.risk.look import look

    data = shared.read(source, schema, encoding, roles)
    with shared.progress(f"counting {data.n:,} records"), shared.naming(source):
        seen = look(data)
    if as_json:
        shared.emit(seen.to_dict())
        return
    show(seen)


def show(seen: Look) -> None:
    """What was counted as tables, then one sentence."""
    out = shared.console()
    homes = f", {seen.households:,} households" if seen.households is not None else ""
    counted = f"{seen.units:,} persons, " if seen.unit == "person" else ""
    out.print(
        f"Before protection: {counted}{seen.records:,} records{homes}, "
        f"{len(seen.keys)} keys\n",
        markup=False,
    )
    out.print(_by_number(seen))
    out.print(_by_key(seen))
    out.print(_riskiest(seen))
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
    shared.say(f"Verdict: {seen.verdict}.")


def _by_number(seen: Look) -> Table:
    """How many stand out when an intruder knows one key, two, ... all."""
    sets = "some sets" if seen.sampled else "all sets"
    table = Table(
        title=f"{seen.unit.capitalize()}s in groups below k, by the number of keys known "
        f"(mean over {sets}; worst set)",
        title_justify="left",
    )
    table.add_column("keys", justify="right")
    ks = list(seen.violations)
    for k in ks:
        table.add_column(f"k={k}", justify="right")
    table.add_column(f"worst k={ks[0]}", justify="right")
    table.add_column("worst set")
    for size in seen.sizes:
        means = [f"{size.mean[k]:,.0f}" for k in ks]
        worst = f"{size.worst[ks[0]]:,}"
        names = ", ".join(size.names)
        table.add_row(str(size.keys), *means, worst, names)
    return table


def _by_key(seen: Look) -> Table:
    """Which keys cause it."""
    table = Table(title="Which keys cause it", title_justify="left")
    table.add_column("key")
    table.add_column("share of the risk", justify="right")
    table.add_column("alone on this key", justify="right")
    order = sorted(seen.keys, key=lambda name: -seen.contributions[name])
    for name in order:
        table.add_row(
            name, f"{seen.contributions[name]:.1f} %", f"{seen.alone[name]:,}"
        )
    return table


def _riskiest(seen: Look) -> Table:
    """The ten most exposed records."""
    table = Table(title="The most exposed records", title_justify="left")
    table.add_column("row", justify="right")
    table.add_column("risk", justify="right")
    table.add_column("alone on")
    for one in seen.riskiest:
        cells = [f"{name}={one.values[name]}" for name in one.alone_on]
        table.add_row(f"{one.row:,}", f"{one.risk:.3f}", ", ".join(cells) or "-")
    return table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(risk)
