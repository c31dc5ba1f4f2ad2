"""``tacit assess``: attack a release, measure its risk and its loss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import shared


@shared.with_roles
def assess(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The file before protection.")],
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The release.")],
    plan: Annotated[
        Path | None, typer.Option(help="The manifest (or plan) of the release: the intruder knows the method.")
    ] = None,
    attackers: Annotated[str | None, typer.Option(help="Attackers to run. a,b,c ('tacit methods' lists them)")] = None,
    json_file: shared.JsonFile = None,
    html: Annotated[Path | None, typer.Option(help="Write the report: one file that opens offline.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write the risk of every record to this file, to treat records by.")
    ] = None,
    external: Annotated[
        bool, typer.Option("--external", help="A report without parameters or records that help an intruder.")
    ] = False,
    fail_above: Annotated[
        float | None, typer.Option(metavar="RATE", help="Exit with 1 when the strongest attack's rate is above this.")
    ] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(help="A threshold of the verdict: name=value, or attack=value; repeat for more.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A regression to compare before and after: 'y ~ a + b'; repeat for more.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column that the classifier predicts.")] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    *,
    roles: shared.Roles,
) -> None:
    """Attack MASKED as an intruder who knows ORIGINAL would, and measure what was lost.

    Roles and kinds of columns come from --schema, or from the manifest given as --plan, or are guessed; options such as
    --quasi change them.

    Examples:

      tacit assess survey.csv release.csv

      tacit assess survey.csv release.csv --plan release.csv.manifest.json --html report.html

      tacit assess survey.csv release.csv --json - --fail-above 0.05

      tacit assess survey.csv release.csv --model "income ~ age + hours" --threshold attack=0.01
    """
    from tacit import io
    from tacit.assess import assess as run
    from tacit.errors import InputError

    shared.refuse(json_file, html, records, force=force)
    known, described = (None, None) if plan is None else load_plan(plan)
    before = shared.read(original, schema or described, encoding, roles)
    after = shared.read(masked, None, encoding, {})
    if before.n != after.n:
        raise InputError(
            f"{masked} has {after.n} records and {original} has {before.n}: rows cannot be aligned; "
            "assess files of equal length, or use the Python interface with truth=..."
        )
    with shared.progress("assessing") as progress:
        result = run(
            before,
            after,
            plan=known,
            attackers=None if attackers is None else shared.split(attackers),
            thresholds=shared.settings(threshold),
            options={
                **({"regression": {"models": model}} if model else {}),
                **({"classifier": {"target": target}} if target else {}),
            },
            progress=progress,
        )
    shared.show_or_write(result, show, json_file, force=force)
    if records is not None:
        from tacit import exposure

        io.write(exposure.table(result), records, force=force)
    if html is not None:
        result.to_html(html, external=external, force=force)
    if fail_above is not None:
        strongest = result.strongest
        if strongest is None or result.failures or strongest[1].rate > fail_above:
            raise typer.Exit(1)


def load_plan(path: Path) -> tuple[Any, Any]:
    """The plan, and the roles and kinds it was made for if the file is a manifest; those of a plan file are open."""
    from tacit import manifest
    from tacit.plan import Plan

    if path.suffix != ".json":
        return Plan.load(path), None
    found = manifest.load(path)
    return Plan.from_dict(found["plan"], source=str(path)), manifest.schema_of(found, path)


def show(result: Any) -> None:
    """The assessment as tables on the terminal."""
    from rich.table import Table

    from tacit.assess import Failure

    out = shared.console()
    table = Table(title=f"Attacks on {result.records:,} records", title_justify="left")
    for heading in ("attacker", "correct", "rate", "95 % interval", "chance", "seconds"):
        table.add_column(heading, justify="left" if heading == "attacker" else "right")
    for name, link in result.attacks.items():
        if isinstance(link, Failure):
            table.add_row(name, "[bold red]did not run[/]", link.reason, "", "", "")
            continue
        low, high = link.interval
        table.add_row(
            name,
            f"{link.correct:,.2f}",
            f"{link.rate:.2%}",
            f"{low:.2%} - {high:.2%}",
            f"{link.chance:.3%}",
            f"{link.seconds:.2f}",
        )
    out.print(table)
    for title, measures in (("Risk", result.risk), ("Loss", result.loss)):
        if not measures:
            continue
        absent: dict[str, list[str]] = {}
        table = Table(title=title, title_justify="left")
        table.add_column("measure")
        table.add_column("value", justify="right")
        table.add_column("range")
        table.add_column("higher means")
        for name, measure in measures.items():
            if isinstance(measure, Failure):
                table.add_row(name, "[bold red]did not run[/]", "", measure.reason)
            elif measure.value != measure.value:
                absent.setdefault(str(measure.details.get("not computed", "no value")), []).append(name)
            else:
                low, high = measure.range
                table.add_row(name, f"{measure.value:.4g}", f"{low:g} to {high:g}", measure.higher)
        out.print(table)
        for reason, names in absent.items():
            out.print(f"Not for this file: {', '.join(names)} ({reason})\n", style="dim", markup=False)

    shade = {True: "green", False: "red", None: "yellow"}[result.verdict.safe]
    out.print(f"Verdict: [bold {shade}]{result.verdict.word}[/]")
    for row in result.verdict.rows:
        if row.standing == "fails":
            out.print(f"  {row.name}: {row.value:.4g} is above {row.threshold:g} ({row.why})", markup=False)
        elif row.standing == "not computed" and row.threshold is not None:
            out.print(f"  {row.name}: not computed: {row.why}", markup=False)
    out.print(f"Score: {result.score}", markup=False)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(assess)
