"""``tacit assess``: attack a release, measure its risk and its loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.base.errors import InputError
from tacit.cli import options as shared
from tacit.cli import own_files

if TYPE_CHECKING:
    from tacit.assess.assessment import Assessment, Failure
    from tacit.base.measure import Measure
    from tacit.data.microdata import Microdata
    from tacit.plan.manifest import Manifest

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the command that needs it.

DID_NOT_RUN = Text("did not run", "bold red")


@shared.with_roles
def assess(
    original: Annotated[
        Path, typer.Argument(metavar="ORIGINAL", help="The file before protection.")
    ],
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The release.")],
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The manifest (or plan) of the release: the intruder knows the method."
        ),
    ] = None,
    attackers: Annotated[
        str | None,
        typer.Option(help="Attackers to run. a,b,c ('tacit methods' lists them)"),
    ] = None,
    json_file: shared.JsonFile = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the report: one file that opens offline.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write the risk of every record to this file, to treat records by."
        ),
    ] = None,
    external: Annotated[
        bool,
        typer.Option(
            "--external",
            help="A report without parameters or records that help an intruder.",
        ),
    ] = False,
    fail_above: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Exit with 1 unless every attack stays below this rate, at the upper end of its "
            "interval, nobody is far worse off, and nothing in the release is raw.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="A column of both files that says whose record it is; not part of the release."
        ),
    ] = None,
    aligned: Annotated[
        bool,
        typer.Option(
            "--aligned",
            help="Row i of MASKED is row i of ORIGINAL, whatever the values seem to say.",
        ),
    ] = False,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="A threshold of the verdict: name=value, or attack=value; repeat for more."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A regression to compare before and after: 'y ~ a + b'; repeat for more."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The column that the classifier predicts.")
    ] = None,
    schema: shared.SchemaFile = None,
    encoding: shared.Encoding = None,
    force: shared.Force = False,
    *,
    roles: shared.Roles,
) -> None:
    """Attack MASKED as an intruder who knows ORIGINAL would, and measure what was lost.

    Roles and kinds of columns come from --schema, or from the manifest given as --plan, or are
    guessed; options such as --quasi change them. The manifest also says whose record each row
    of MASKED is: rows are shuffled when a release is written.

    Examples:

      tacit assess survey.csv release.csv --plan release.csv.manifest.json --html report.html

      tacit assess survey.csv release.csv --plan release.csv.manifest.json --fail-above 0.05

      tacit assess survey.csv made-elsewhere.csv --key id --json -

      tacit assess survey.csv made-elsewhere.csv --aligned --model "income ~ age + hours"
    """
    from tacit.assess import exposure
    from tacit.assess.assessment import assess as run
    from tacit.data import io
    from tacit.data.units import check
    from tacit.plan import manifest

    # Attacks may take minutes: an output that cannot be written is refused before them.
    own_files.refuse(
        inputs={
            "ORIGINAL": original,
            "MASKED": masked,
            "--plan": plan,
            "--schema": schema,
        },
        outputs={"--json": json_file, "--html": html, "--records": records},
        force=force,
    )
    record = manifest.load(plan) if plan and plan.suffix == ".json" else None
    described = None if record is None else manifest.schema_of(record, str(plan))
    before = shared.read(original, schema or described, encoding, roles)
    with shared.naming(original):
        check(before)
    # Columns of the release are known by name; roles are those of the original.
    after = _named_back(shared.read(masked, None, encoding, {}), before, masked, record)
    if before.n != after.n and key is None:
        raise InputError(
            f"{masked} has {after.n} records and {original} has {before.n}: rows cannot be "
            "aligned; say which column of both files tells whose record it is (--key COLUMN)"
        )
    if fail_above is not None and not 0 <= fail_above <= 1:
        raise InputError(
            f"--fail-above {fail_above} is not a rate; give a number from 0 to 1"
        )
    limits = _limits(threshold)
    options: dict[str, dict[str, object]] = {}
    if model:
        options["regression"] = {"models": model}
    if target:
        options["classifier"] = {"target": target}
    with shared.progress("assessing") as progress:
        result = run(
            before,
            after,
            plan=plan,
            truth="rows" if aligned and key is None else None,
            key=key,
            attackers=None if attackers is None else shared.split(attackers),
            thresholds=limits,
            options=options,
            progress=progress,
        )
    shared.show_or_write(result, show, json_file, force=force)
    if records is not None:
        io.write(exposure.table(result), records, force=force)
    if html is not None:
        result.to_html(html, external=external, force=force, manifest=record)
    if fail_above is None:
        return
    # What did not run is not zero: a failed attack fails the release, too.
    verdict = result.attacked_verdict(fail_above)
    if verdict.state != "safe":
        typer.echo(f"--fail-above {fail_above:g}: {verdict}", err=True)
        raise typer.Exit(1)


def _limits(pairs: list[str] | None) -> dict[str, float]:
    """The thresholds by name; each is a number."""
    limits: dict[str, float] = {}
    for name, value in shared.settings(pairs).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not value >= 0:
            raise InputError(
                f"--threshold {name}={value}: a threshold is a number, zero or more; "
                "write name=value, for example attack=0.05"
            )
        limits[name] = value
    return limits


def _named_back(
    after: Microdata, before: Microdata, masked: Path, record: Manifest | None
) -> Microdata:
    """The release with the names of the original where its format does not allow them.

    A column that is not known by its name would be left out of the attacks.
    """
    from tacit.data.io import legal_names
    from tacit.data.microdata import Microdata

    names = None if record is None else record["output"].get("renamed")
    if names is None:
        names = legal_names.legal(before.names, masked.suffix.lower())
    # a name that both files have is the same column
    changed = {
        name: there
        for name, there in names.items()
        if there in after.names and there not in before.names
    }
    if not changed:
        return after
    return Microdata.of(legal_names.named_back(after.native, changed))


def show(result: Assessment) -> None:
    """The assessment on the terminal: verdict and score, then the tables they rest on."""
    out = shared.console()
    _print_verdict(out, result)
    out.print(f"Score: {result.score}")
    out.print(_attacks(result))
    for title, measures in (("Risk", result.risk), ("Loss", result.loss)):
        if measures:
            _print_measures(out, title, measures)


def _attacks(result: Assessment) -> Table:
    """One row for each attacker; one that failed says why."""
    from tacit.assess.assessment import Failure

    people = result.units.get("person")
    on = f"{result.records:,} records" + (f" of {people:,} persons" if people else "")
    table = Table(title=f"Attacks on {on}", title_justify="left")
    table.add_column("attacker")
    for heading in ("correct", "rate", "95 % interval", "chance", "seconds"):
        table.add_column(heading, justify="right")
    for name, link in result.attacks.items():
        if isinstance(link, Failure):
            table.add_row(name, DID_NOT_RUN, link.reason, "", "", "")
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
    return table


def _print_measures(
    out: Console, title: str, measures: Mapping[str, Measure | Failure]
) -> None:
    """A table of the measures that have a value; the others below it, by reason."""
    from tacit.assess.assessment import Failure

    absent: dict[str, list[str]] = {}
    table = Table(title=title, title_justify="left")
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("range")
    table.add_column("higher means")
    for name, measure in measures.items():
        if isinstance(measure, Failure):
            table.add_row(name, DID_NOT_RUN, "", measure.reason)
        elif math.isnan(measure.value):
            reason = str(measure.details.get("not computed", "no value"))
            absent.setdefault(reason, []).append(name)
        else:
            low, high = measure.range
            span = f"{low:g} to {high:g}"
            table.add_row(name, f"{measure.value:.4g}", span, measure.higher)
    out.print(table)
    for reason, names in absent.items():
        sentence = f"Not for this file: {', '.join(names)} ({reason})\n"
        out.print(sentence, style="dim")


def _print_verdict(out: Console, result: Assessment) -> None:
    """The verdict, and each figure that is above its threshold or could not be computed."""
    verdict = result.verdict
    # None: something that has a threshold was not computed, so nobody knows.
    shade = {True: "green", False: "red", None: "yellow"}[verdict.safe]
    out.print(Text.assemble("Verdict: ", (verdict.word, f"bold {shade}")))
    out.print(verdict.next_step)
    for row in verdict.rows:
        if row.standing == "fails":
            why = f"{row.value:.4g} is above {row.threshold:g} ({row.why})"
        elif row.standing == "borderline" and row.interval is not None:
            why = f"{row.value:.4g}, up to {row.interval[1]:.4g}, crosses {row.threshold:g}"
        elif row.standing == "not computed" and row.threshold is not None:
            why = f"not computed: {row.why}"
        else:
            continue
        out.print(f"  {row.name}: {why}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(assess)
